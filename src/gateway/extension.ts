/**
 * Extensions: what some deployments switch on. The core does not know them; whoever opens a gateway hands them in.
 */
import type { ExecutionResult, GraphQLSchema } from 'graphql';
import type {
  BackendConnections,
  PausesOfOthers,
  ReadCache,
  SharedReads,
} from '../rest/call/options.ts';
import type { UpstreamObserver } from '../rest/call/observer.ts';
import type { RouteSet } from '../v0/routes.ts';
import type { Route, Routes } from './http/site.ts';
import type { Logger } from './observe/logs/logger.ts';
import type { Metrics } from './observe/metrics/metrics.ts';
import type { AppVersion } from './operation/app-version.ts';
import type { Document } from './operation/document.ts';
import type { Arrival, HeaderFields } from './operation/operation.ts';
import type { Policies } from './pipeline.ts';
import type { RateLimits } from './policies/rate-limit.ts';
import type { EventObserver } from './policies/subscriptions.ts';

export interface Extension {
  /** Policies around all others. */
  readonly around?: Policies;
  /** Policies of what is executed, after those that may reject it. */
  readonly policies?: Policies;
  /** Hears of the events of subscriptions. */
  readonly events?: EventObserver;
  /** Works out ahead what it needs of a trusted document, which is valid. */
  readonly prepare?: (document: Document) => void;
  /** Routes beside `/graphql`, for callers. */
  readonly routes?: (core: Core) => Routes;
  /** Routes for operators, beside `/metrics`. */
  readonly operatorRoutes?: (core: Core) => Routes;
  /** The schema that is served in place of the core's. */
  readonly schema?: (schema: GraphQLSchema) => GraphQLSchema;
  /** Layers around calls of the backend. */
  readonly calls?: CallLayers;
  /** In place of a backend. */
  readonly replay?: Replay;
  /** Ends what it holds, after the last operation. */
  readonly close?: () => Promise<void>;
}

export interface CallLayers {
  /** Around the connections to the backend. */
  readonly connections?: (inner: BackendConnections, backend: Backend) => BackendConnections;
  /** A cache of reads. */
  readonly cache?: ReadCache;
  /** Pauses of keys that the backend has limited, of all replicas. */
  readonly pauses?: PausesOfOthers;
  /** Reads that all replicas keep. */
  readonly reads?: SharedReads;
  /** Limits of a key's calls. */
  readonly rateLimits?: RateLimits;
  /** Called with each response. */
  readonly onAnswer?: Required<UpstreamObserver>['onAnswer'];
}

/** Recordings in place of a backend. */
export interface Replay extends BackendConnections {
  /** Names of the scenarios, which callers send as keys. */
  readonly names: readonly string[];
  readonly routeSet: RouteSet | 'auto';
  /** Whether nothing is waited for. */
  readonly isHurried: boolean;
}

/** The backend of the gateway. */
export interface Backend {
  /** `https://api.example.com`; empty where recordings take its place. */
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
  /** Of the gateway. */
  readonly version: string;
  /** Opens the backend at the first call. */
  readonly backend: () => Promise<Backend>;
  /** Extensions that stand before this one in the list. */
  readonly opened: readonly Extension[];
}

/**
 * The `open` that each extension exports, called once where its setting is there.
 *
 * @throws {OperatorError} for settings that cannot be followed.
 */
export type Open<Settings> = (settings: Settings, host: Host) => Extension | Promise<Extension>;

/** An operation of an extension's own transport. */
export interface OwnRequest {
  /** It is trusted as it is. */
  readonly document: Document;
  readonly variables: unknown;
  /** Path of the transport, such as `/mcp`. */
  readonly path: string;
  readonly method: string;
  readonly headers: HeaderFields;
}

/** The gateway as extensions see it. */
export interface Core {
  readonly schema: GraphQLSchema;
  readonly logger: Logger;
  /** Origins whose pages may ask, beside those of this very host. */
  readonly corsOrigins: readonly string[];
  /** Trusted documents that are served, each with the apps that were built with it. */
  readonly trusted: () => ReadonlyMap<Document, readonly AppVersion[]>;
  /** Asks all workers for what each has counted. @param tell what this process knows by the name. */
  readonly gather: Gather;
  /** Parses and validates a document of the operator's within the limits, and works out its least cost. */
  readonly prepare: (text: string) => Document;
  /** Runs an operation with one result through the pipeline; never rejects. */
  readonly run: (request: OwnRequest, arrival: Arrival) => Promise<ExecutionResult>;
}

/** @param tell what this process knows by the name. @returns what asks for that of each process. */
export type Gather = <Told>(
  name: string,
  tell: () => Told | Promise<Told>,
) => () => Promise<readonly Told[]>;

export type { Route };
