/**
 * Extensions: what some deployments switch on. The core does not know them; whoever opens a gateway hands them in.
 */
import type { ExecutionResult, GraphQLSchema } from 'graphql';
import type { Route, Routes } from './http/site.ts';
import type { Logger } from './observe/logs/logger.ts';
import type { AppVersion } from './operation/app-version.ts';
import type { Document } from './operation/document.ts';
import type { Arrival, HeaderFields } from './operation/operation.ts';
import type { Policies } from './pipeline.ts';
import type { EventObserver } from './policies/subscriptions.ts';

export interface Extension {
  /** Policies around all others. */
  readonly around?: Policies;
  /** Policies of what is executed, after all that may refuse it. */
  readonly policies?: Policies;
  /** Hears of the events of subscriptions. */
  readonly events?: EventObserver;
  /** Works out ahead what it needs of a trusted document, which is valid. */
  readonly prepare?: (document: Document) => void;
  /** Routes beside `/graphql`, for callers. */
  readonly routes?: (core: Core) => Routes;
  /** Routes for operators, beside `/metrics`. */
  readonly operatorRoutes?: (core: Core) => Routes;
}

/** What an operation of an extension's own transport is made of. */
export interface OwnRequest {
  /** It is trusted as it is. */
  readonly document: Document;
  readonly variables: unknown;
  /** Where it was asked, such as `/mcp`. */
  readonly path: string;
  readonly method: string;
  readonly headers: HeaderFields;
}

/** What extensions get of the gateway. */
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
  /** Answers an operation with one result, through the pipeline; never rejects. */
  readonly run: (request: OwnRequest, arrival: Arrival) => Promise<ExecutionResult>;
}

/** @param tell what this process knows by the name. @returns what asks for that of each process. */
export type Gather = <Told>(
  name: string,
  tell: () => Told | Promise<Told>,
) => () => Promise<readonly Told[]>;

export type { Route };
