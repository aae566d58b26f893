/**
 * The plugins of the gateway: Yoga's, with two hooks more, which the plain lane and Yoga's answers both pass.
 */
import type { DocumentNode } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { MaybePromise } from '../execution/core/resolved-value.ts';
import type { Context } from '../graph/context.ts';
import type { Answer, AnswerParts } from './result/answer.ts';
import type { Outcome } from './result/outcome.ts';
import type { OperationParams } from './request/params.ts';
import type { Caller } from './request/caller.ts';
import type { RequestRecord } from './request/request-record.ts';
import type { ResultStream } from './result/result-stream.ts';

/** What a carrier brings; plugins add to it from phase to phase. */
export interface ServerContext {
  readonly record: RequestRecord;
  readonly caller: Caller;
  /** The document that the carrier itself has chosen: it is trusted as it is. */
  readonly chosen?: ChosenDocument;
  /** Where the carrier is asked, if not at `/graphql`. */
  readonly path?: string;
  /** What follows the first part of an answer in parts. */
  parts?: AnswerParts;
  /** The answers to a subscription. */
  stream?: ResultStream;
}

export interface ChosenDocument {
  readonly text: string;
  /** The SHA-256 of the text. */
  readonly hash: string;
  readonly document: DocumentNode;
}

/** What plugins and resolvers get. */
export interface OperationContext extends ServerContext, Context {
  readonly params: OperationParams;
  /** Undefined over WebSocket. */
  readonly request: Request | undefined;
}

type YogaPlugin = Plugin<OperationContext, ServerContext, OperationContext>;

export interface GatewayPlugin extends YogaPlugin {
  /** An answer is about to be written over HTTP: what it changes of it is sent. Whole ones are JSON yet. */
  onAnswer?(answer: Answer, context: ServerContext): MaybePromise<void>;
  /** An operation has been answered, over any carrier: a subscription when it has begun. */
  onAnswered?(answered: Answered, context: ServerContext): void;
}

export interface Answered {
  /** Of HTTP; 200 over a WebSocket. */
  readonly status: number;
  readonly outcome: Outcome;
  /** From the arrival to the answer. */
  readonly durationMs: number;
}
