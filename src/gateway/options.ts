/** Options and interface of a gateway. */
import type { GraphQLSchema } from 'graphql';
import type { PageSettings } from '../client/page-settings.ts';
import type { Execute } from '../execution/execute.ts';
import type { PollRange } from '../live/poller.ts';
import type { Clock } from '../lib/clock.ts';
import type { Pollers } from '../live/pollers.ts';
import type { Upstream } from '../rest/client/client.ts';
import type { RateLimits } from './policies/rate-limit.ts';
import type { WebSocketOptions } from './transports/web-socket.ts';
import type { DocumentLimits } from './documents/document-limits.ts';
import type { IntrospectionAudience } from './documents/documents.ts';
import type { Extension, Gather } from './extension.ts';
import type { Policies } from './pipeline.ts';
import type { GatewayPlugin } from './yoga/gateway-plugin.ts';
import type { Site } from './http/site.ts';
import type { Logger } from './observe/logs/logger.ts';
import type { Metrics } from './observe/metrics/metrics.ts';
import type { ExplainAudience } from './policies/budget.ts';
import type { RequestLimits } from './policies/execution.ts';

export interface GatewayOptions {
  readonly schema: GraphQLSchema;
  readonly upstream: Upstream;
  /** Clock of polls and ends of subscriptions; the upstream's too. @default the system's */
  readonly clock?: Clock;
  /** Sent for callers who send no key. */
  readonly apiKey?: string | undefined;
  /** @default none */
  readonly headers?: HeaderOptions;
  readonly http: GatewayHttpOptions;
  readonly limits: RequestLimits;
  readonly documents: GatewayDocumentsOptions;
  readonly live: LiveOptions;
  readonly tools: ToolsOptions;
  /** Limit of a key's REST calls. @default none */
  readonly rateLimits?: RateLimits | undefined;
  /** GraphiQL's build and what its page begins with. @default none: a page says that it was not built */
  readonly explorer?: ExplorerOptions | undefined;
  /** @default silence */
  readonly logger?: Logger;
  /** Operations that take longer, in milliseconds, are logged with their calls. @default none */
  readonly logSlowMs?: number | undefined;
  readonly metrics?: Metrics;
  /** Asks all workers for what each has counted. @default this process alone */
  readonly gather?: Gather | undefined;
  /** Executes operations. @default the gateway's own executor */
  readonly execute?: Execute | undefined;
  /** Changes the gateway's list of policies, by their names. @default all of them */
  readonly arrange?: (policies: Policies) => Policies;
  /** Extensions of this deployment. @default none */
  readonly extensions?: readonly Extension[];
  /** Warnings about settings in `/ready`. @default none */
  readonly warnings?: readonly string[];
  /** Plugins of the operator's, after ours. @default none */
  readonly plugins?: readonly GatewayPlugin[];
}

/** Names of headers, in lower case. */
export interface HeaderOptions {
  /** Of callers, for the backend. @default none */
  readonly forward?: readonly string[];
  /** Of the backend, for callers: those that the upstream exposes. @default none */
  readonly expose?: readonly string[];
}

export interface GatewayHttpOptions {
  /** Port of metrics and the details of readiness; undefined: they are served beside `/graphql`. */
  readonly adminPort: number | undefined;
  /** Prefix of callers' paths, which the server removes. @default none */
  readonly basePath?: string;
  /** Origins whose pages may read responses. */
  readonly corsOrigins: readonly string[];
  /** The largest message of a WebSocket that is read. */
  readonly maxBodyBytes: number;
}

export interface GatewayDocumentsOptions {
  /** Folder of trusted documents; undefined for none. */
  readonly folder: string | undefined;
  /** Whether every other document is rejected. */
  readonly only: boolean;
  /** For how long caches may reuse responses to trusted documents by GET without asking, in seconds. */
  readonly cacheMaxAge: number;
  /** Time between two looks at the folder, in milliseconds. @default 2,000 */
  readonly pollMs?: number;
  /** @default all of them */
  readonly limits?: Partial<DocumentLimits>;
}

export interface LiveOptions extends WebSocketOptions {
  /** The least and the most time between two polls of an object, in milliseconds. */
  readonly pollMs: PollRange;
  /** Subscriptions that one key may have open. */
  readonly maxPerKey: number;
  /** After how long without an event the last one is repeated, in milliseconds. @default 20,000 */
  readonly heartbeatMs?: number | undefined;
}

export interface ToolsOptions {
  /** False: browsers get a sentence instead of GraphiQL. */
  readonly graphiql: boolean;
  readonly introspection: IntrospectionAudience;
  /** Audience of costs: all callers, those with a key, or none. */
  readonly explain: ExplainAudience;
}

export interface ExplorerOptions extends Pick<PageSettings, 'apiKey' | 'pageId' | 'replays'> {
  readonly folder: string;
}

export interface Gateway extends Site {
  readonly metrics: Metrics;
  /** Watches objects for subscriptions and for mutations that wait. */
  readonly pollers: Pollers;
  /** The operators' routes, for a port of their own. */
  readonly admin: Site;
  /**
   * Reads what must be there before the first request, such as trusted documents.
   *
   * @throws {TrustedDocumentsError} for a bad file among them.
   */
  open(): Promise<void>;
  /** Ends what it watches, and lets plugins end theirs. */
  close(): Promise<void>;
  /** Serves any request; never rejects. */
  fetch(request: Request): Promise<Response>;
}
