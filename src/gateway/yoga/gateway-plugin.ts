/**
 * Plugins of operators: those of Yoga and Envelop, with two additional hooks.
 */
import type { Plugin } from 'graphql-yoga';
import type { MaybePromise } from '../../execution/core/resolved-value.ts';
import type { Context } from '../../graph/context.ts';
import type { Cancel } from '../../lib/cancel.ts';
import type { Operation } from '../operation/operation.ts';
import type { Outcome } from '../operation/outcome.ts';
import type { OperationParams } from '../operation/params.ts';
import type { OperationResponse } from '../operation/response.ts';

/** The sender of an operation. */
interface Caller {
  /** Undefined over a WebSocket. */
  readonly method: string | undefined;
  /** Key sent by the caller. */
  readonly apiKey: string | undefined;
  /** The `x-explain` header. */
  readonly explain: string | undefined;
  readonly accept: string | undefined;
}

/** Context of hooks before `onContextBuilding`. */
export interface HookContext {
  readonly operation: Operation;
  /** The operation; documented are `requestId`, `operationName` and `operationType`. */
  readonly record: Operation;
  readonly caller: Caller;
}

/** Context of plugins and resolvers. */
export interface PluginContext extends HookContext, Context {
  readonly params: OperationParams;
  /** Undefined over a WebSocket. */
  readonly request: Request | undefined;
  readonly cancel: Cancel;
}

type YogaPlugin = Plugin<PluginContext, HookContext, PluginContext>;

export interface GatewayPlugin extends YogaPlugin {
  /** Called before a response is written over HTTP; may modify it. */
  onAnswer?(response: OperationResponse, context: HookContext): MaybePromise<void>;
  /** Called at the end of an operation, over any transport; for a subscription after its start. */
  onAnswered?(answered: Answered, context: HookContext): void;
}

export interface Answered {
  /** HTTP status; 200 over a WebSocket. */
  readonly status: number;
  readonly outcome: Outcome;
  /** Time from arrival to response, in milliseconds. */
  readonly durationMs: number;
}

export const hookContextOf = (operation: Operation): HookContext => ({
  operation,
  record: operation,
  caller: {
    method: operation.method,
    apiKey: operation.callerKey,
    explain: operation.explain,
    accept: operation.accept,
  },
});
