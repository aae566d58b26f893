/**
 * Interface of extensions: optional parts, switched on by settings. The core imports none of them, and names none;
 * `createGateway` gets them as an option.
 */
import type { ExecutionResult, GraphQLSchema } from 'graphql';
import type { BackendConnections, ReadCache } from '../rest/call/options.ts';
import type { RouteSet } from '../v0/routes.ts';
import type { RouteHandler, RouteHandlers } from './http/site.ts';
import type { Logger } from './observe/logs/logger.ts';
import type { Metrics } from './observe/metrics/metrics.ts';
import type { Document } from './operation/document.ts';
import type { Arrival } from './operation/operation.ts';
import type { Policies } from './policy.ts';
import type { EventObserver } from './policies/subscriptions.ts';
import type { OwnRequest } from './transports/own-transport.ts';

export interface Extension {
  /* Policies of operations. A state on the operation has a key of its own (`StateKey`). */

  /** Policies before all others. */
  readonly around?: Policies;
  /** Policies after the budget, before admission and execution. */
  readonly policies?: Policies;
  /** HTTP headers that its policies read and send. */
  readonly headers?: ExtensionHeaders;
  /** Observer of subscriptions' events. */
  readonly events?: EventObserver;

  /* Layers of calls. */

  readonly calls?: CallLayers;
  /** A substitute for the backend. */
  readonly standIn?: StandIn;

  /* Routes and the schema. A transport is a route that runs operations by `Core.run`. */

  /** Routes for callers, beside `/graphql`. */
  readonly routes?: (core: Core) => RouteHandlers;
  /** Replaces the core's schema. */
  readonly schema?: (schema: GraphQLSchema) => GraphQLSchema;

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
  /** Around reads: may answer, and learns of answers and of writes. */
  readonly cache?: ReadCache;
}

/** Services of extensions for later ones. The extension that uses a service declares its contract. */
export interface Offers {}

/** A substitute for the backend, such as recordings. */
export interface StandIn {
  readonly connections: BackendConnections;
  readonly routeSet: RouteSet | 'auto';
  /** The backend in words, for the log. */
  readonly label: string;
  /** API key to begin with in GraphiQL. */
  readonly apiKey: string | undefined;
  /** A sentence for GraphiQL's page. */
  readonly note: string;
}

/** The backend of the gateway. */
export interface Backend {
  /** `https://api.example.com`; empty for a stand-in. */
  readonly origin: string;
  /** The path before `/v0`: empty, or `/prefix`. */
  readonly pathPrefix: string;
  readonly routeSet: RouteSet | 'auto';
  readonly isEmbedded: boolean;
}

/** The process that an extension is opened in. */
export interface Host {
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Version of the gateway. */
  readonly version: string;
  /** Opens the backend on first use. */
  readonly backend: () => Promise<Backend>;
  /** Extensions earlier in the list. */
  readonly opened: readonly Extension[];
}

/**
 * Type of the `open` function that each extension exports. Called once if the extension's setting is set.
 *
 * @throws {OperatorError} for invalid settings.
 */
export type Open<Settings> = (settings: Settings, host: Host) => Extension | Promise<Extension>;

/** Policies of all extensions. */
export const policiesOf = (
  extensions: readonly Extension[],
  part: 'around' | 'policies',
): Policies =>
  Object.fromEntries(extensions.flatMap((extension) => Object.entries(extension[part] ?? {})));

/** Headers of all extensions. */
export const headersOf = (
  extensions: readonly Extension[],
  part: keyof ExtensionHeaders,
): readonly string[] => extensions.flatMap(({ headers }) => headers?.[part] ?? []);

/** Routes of all extensions. */
export const routesOf = (extensions: readonly Extension[], core: Core): RouteHandlers =>
  Object.fromEntries(extensions.flatMap(({ routes }) => Object.entries(routes?.(core) ?? {})));

/** The gateway as extensions see it. */
export interface Core {
  readonly schema: GraphQLSchema;
  readonly logger: Logger;
  /** Allowed origins of pages, in addition to the gateway's own. */
  readonly corsOrigins: readonly string[];
  /** Parses and validates an operator's document within the limits, and computes its least cost. */
  readonly prepare: (text: string) => Document;
  /** Runs an operation with one result through Yoga and the policies; never rejects. */
  readonly run: (request: OwnRequest, arrival: Arrival) => Promise<ExecutionResult>;
}

export type { RouteHandler };
