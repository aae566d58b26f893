/** Options and interface of a gateway. */
import type { GraphQLSchema } from 'graphql';
import type { PageSettings } from '../client/page-settings.ts';
import type { Execute } from '../execution/execute.ts';
import type { Clock } from '../lib/clock.ts';
import type { Pollers, PollRange } from '../live/pollers.ts';
import type { Upstream } from '../rest/upstream.ts';
import type { WebSocketOptions } from './transports/web-socket.ts';
import type { DocumentLimits } from './documents/document-limits.ts';
import type { IntrospectionAudience } from './documents/documents.ts';
import type { TrustedDocumentsOptions } from './documents/trusted-documents.ts';
import type { Extension } from './extension.ts';
import type { Policies } from './policy.ts';
import type { GatewayPlugin } from './yoga/gateway-plugin.ts';
import type { Site } from './http/site.ts';
import type { Logger } from './observe/logs/logger.ts';
import type { Metrics } from './observe/metrics/metrics.ts';
import type { ExplainAudience } from './policies/explain.ts';
import type { RequestLimits } from './policies/execution.ts';

export interface GatewayOptions {
  readonly schema: GraphQLSchema;
  readonly upstream: Upstream;
  /** Clock of pollers, subscriptions and the upstream. @default the system's */
  readonly clock?: Clock;
  /** Key used for callers without one. */
  readonly apiKey?: string | undefined;
  /** @default none */
  readonly headers?: HeaderOptions;
  readonly http: GatewayHttpOptions;
  readonly limits: RequestLimits;
  readonly documents: GatewayDocumentsOptions;
  readonly live: LiveOptions;
  readonly tools: ToolsOptions;
  /** Build of GraphiQL and the initial content of its page. @default none: a page says that it was not built */
  readonly explorer?: ExplorerOptions | undefined;
  /** @default silence */
  readonly logger?: Logger;
  /** Operations that take longer than this, in milliseconds, are logged with their calls. @default none */
  readonly logSlowMs?: number | undefined;
  readonly metrics?: Metrics;
  readonly execute?: Execute | undefined;
  /** Modifies the list of policies. @default all of them */
  readonly arrange?: (policies: Policies) => Policies;
  readonly extensions?: readonly Extension[];
  /** Warnings about settings, shown in `/ready`. @default none */
  readonly warnings?: readonly string[];
  readonly plugins?: readonly GatewayPlugin[];
}

/** Names of headers, in lower case. */
export interface HeaderOptions {
  /** Headers of callers that are forwarded to the backend. @default none */
  readonly forward?: readonly string[];
  /** Headers of the backend that callers get. @default none */
  readonly expose?: readonly string[];
}

export interface GatewayHttpOptions {
  /** Port of metrics and readiness details; undefined: they are served next to `/graphql`. */
  readonly adminPort: number | undefined;
  /** Prefix of callers' paths, removed by the server. @default none */
  readonly basePath?: string;
  /** Origins whose pages may read responses. */
  readonly corsOrigins: readonly string[];
  /** Maximum size of a WebSocket message, in bytes. */
  readonly maxBodyBytes: number;
}

export interface GatewayDocumentsOptions extends Omit<TrustedDocumentsOptions, 'folder'> {
  /** Folder of trusted documents; undefined for none. */
  readonly folder: string | undefined;
  /** `max-age` of responses to trusted documents by GET, in seconds. */
  readonly cacheMaxAge: number;
  /** @default all of them */
  readonly limits?: Partial<DocumentLimits>;
}

export interface LiveOptions extends WebSocketOptions {
  /** Minimum and maximum interval between polls of an object, in milliseconds. */
  readonly pollMs: PollRange;
  /** Maximum number of open subscriptions per key. */
  readonly maxPerKey: number;
  /** Time without an event until the last result is repeated, in milliseconds. @default 20,000 */
  readonly heartbeatMs?: number | undefined;
}

export interface ToolsOptions {
  /** Whether GraphiQL is served; browsers get a message otherwise. */
  readonly graphiql: boolean;
  readonly introspection: IntrospectionAudience;
  /** Who may see costs: all callers, those with a key, or none. */
  readonly explain: ExplainAudience;
}

export interface ExplorerOptions extends Pick<PageSettings, 'apiKey' | 'pageId' | 'note'> {
  readonly folder: string;
}

export interface Gateway extends Site {
  readonly metrics: Metrics;
  /** Pollers of objects, for subscriptions and waiting mutations. */
  readonly pollers: Pollers;
  /** Routes of operators, for a separate port. */
  readonly admin: Site;
  /**
   * Reads what the first request requires, such as trusted documents.
   *
   * @throws {TrustedDocumentsError} for a bad file.
   */
  open(): Promise<void>;
  /** Stops pollers and releases resources, including those of plugins. */
  close(): Promise<void>;
  /** Serves a request; never rejects. */
  fetch(request: Request): Promise<Response>;
}
