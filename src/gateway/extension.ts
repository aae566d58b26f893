/**
 * Interface of extensions: optional parts, each enabled by its own settings. The core neither imports nor names them;
 * `createGateway` gets them as an option.
 */
import type { GraphQLSchema } from 'graphql';
import type { BackendConnections, ReadCache } from '../rest/call/options.ts';
import type { RouteSet } from '../v0/routes.ts';
import type { IntrospectionAudience } from './documents/documents.ts';
import type { RouteHandlers } from './http/site.ts';
import type { Logger } from './observe/logs/logger.ts';
import type { Metrics } from './observe/metrics/metrics.ts';
import type { Document } from './operation/document.ts';
import type { Policies } from './policy.ts';
import type { OnForeignOrigin } from './policies/cors.ts';
import type { EventObserver } from './policies/subscriptions.ts';
import type { SettingGroup, Settings, ValuesOf } from './settings/setting.ts';
import type { OwnTransport } from './transports/own-transport.ts';

/** An extension has four ways to reach the core. */
export interface Extension {
  /* 1. Policies of operations. They keep state on the operation under a `StateKey`. */

  /** Policies before all others. */
  readonly around?: Policies;
  /** Policies after the budget, before admission and execution. */
  readonly policies?: Policies;
  /** HTTP headers that its policies read and send. */
  readonly headers?: ExtensionHeaders;
  readonly events?: EventObserver;

  /* 2. A transport: a route that runs operations by `Core.run`. */

  /** Routes for callers, in addition to `/graphql`. */
  readonly routes?: (core: Core) => RouteHandlers;

  /* 3. Layers of calls. */

  readonly calls?: CallLayers;
  readonly standIn?: StandIn;

  /* 4. A schema; also routes (above) and settings (`ExtensionSettings`). */

  readonly schema?: (schema: GraphQLSchema) => GraphQLSchema;

  /* In addition. */

  /** Services for later extensions. */
  readonly offers?: Offers;
  /** Releases resources after the last operation. */
  readonly close?: () => Promise<void>;
}

/** Names of headers, in lower case. */
export interface ExtensionHeaders {
  /** Headers of requests that responses depend on. */
  readonly varying?: readonly string[];
  /** Headers of responses that pages of allowed origins may read. */
  readonly readable?: readonly string[];
}

/** Layers around calls to the backend. */
export interface CallLayers {
  /** Wraps the connections to the backend. */
  readonly connections?: (inner: BackendConnections, backend: Backend) => BackendConnections;
  /** Around reads: may return cached responses, and is notified of responses and writes. */
  readonly cache?: ReadCache;
}

/** Services of extensions for later ones. The extension that provides a service declares it. */
export interface Offers {}

/** A substitute for the backend, such as recordings. */
export interface StandIn {
  readonly connections: BackendConnections;
  readonly routeSet: RouteSet | 'auto';
  /** Description of the backend, for the log. */
  readonly label: string;
  /** API key to begin with in GraphiQL. */
  readonly apiKey: string | undefined;
  /** A sentence for GraphiQL's page. */
  readonly note: string;
}

export interface Backend {
  /** `https://api.example.com`; empty for a stand-in. */
  readonly origin: string;
  /** The path before `/v0`: empty, or `/prefix`. */
  readonly pathPrefix: string;
  readonly routeSet: RouteSet | 'auto';
  /** An API key that is no secret: that of the embedded backend. */
  readonly publicKey?: string;
}

/** The process that an extension is opened in. */
export interface Host {
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly version: string;
  /** Opens the backend on first use. */
  readonly backend: () => Promise<Backend>;
  /** Extensions earlier in the list. */
  readonly opened: readonly Extension[];
}

/**
 * Type of the `open` function that each extension exports. Called once if the extension is on.
 *
 * @throws {OperatorError} for invalid settings.
 */
export type Open<Options> = (options: Options, host: Host) => Extension | Promise<Extension>;

/**
 * Settings of an extension, in a separate file: every process reads them, so the file must not load what only a process
 * with the extension needs.
 */
export interface ExtensionSettings<
  Members extends Settings = Settings,
  Options = unknown,
> extends SettingGroup {
  readonly settings: Members;
  /** Names of headers, in lower case, that operators may not forward or expose. @default none */
  readonly ownHeaders?: readonly string[];
  /** Whether hosts are checked by default when only this machine is served. @default no */
  checksHosts?(own: ValuesOf<Members>): boolean;
  /**
   * Checks settings together.
   *
   * @returns warnings for the log.
   * @throws {ConfigError} for settings that contradict each other or those of the core.
   */
  check?(own: ValuesOf<Members>, core: CoreSettings): readonly string[];
  /**
   * Options for `open`; undefined if the extension is off.
   *
   * @param opened extensions earlier in the list.
   * @throws {ConfigError} for an invalid value.
   */
  options(
    own: ValuesOf<Members>,
    core: CoreSettings,
    opened: readonly Extension[],
  ): Options | undefined;
}

export const extensionSettings = <Members extends Settings, Options>(
  settings: ExtensionSettings<Members, Options>,
): ExtensionSettings<Members, Options> => settings;

/** Options of an extension, by its settings. */
export type OptionsOf<Own extends { options(...given: never[]): unknown }> = NonNullable<
  ReturnType<Own['options']>
>;

/** Settings of the core that those of an extension may depend on. */
export interface CoreSettings {
  readonly http: {
    /** Names of hosts that requests may have; undefined for all. */
    readonly allowedHosts: readonly string[] | undefined;
    readonly socketPath: string | undefined;
  };
  /** Undefined for the embedded backend. */
  readonly backend: { readonly url: URL | undefined };
  readonly headers: { readonly forward: readonly string[] };
  readonly tools: { readonly introspection: IntrospectionAudience };
}

export const policiesOf = (
  extensions: readonly Extension[],
  part: 'around' | 'policies',
): Policies =>
  Object.fromEntries(extensions.flatMap((extension) => Object.entries(extension[part] ?? {})));

export const headersOf = (
  extensions: readonly Extension[],
  part: keyof ExtensionHeaders,
): readonly string[] => extensions.flatMap(({ headers }) => headers?.[part] ?? []);

export const routesOf = (extensions: readonly Extension[], core: Core): RouteHandlers =>
  Object.fromEntries(extensions.flatMap(({ routes }) => Object.entries(routes?.(core) ?? {})));

/** The gateway as extensions see it. */
export interface Core {
  readonly schema: GraphQLSchema;
  readonly logger: Logger;
  /** Allowed origins of pages, in addition to the gateway's own. */
  readonly corsOrigins: readonly string[];
  readonly onForeignOrigin: OnForeignOrigin;
  /** Parses and validates an operator's document within the limits, and computes its least cost. */
  readonly prepare: (text: string) => Document;
  /** Runs an operation with one result through Yoga and the policies; never rejects. */
  readonly run: OwnTransport;
}
