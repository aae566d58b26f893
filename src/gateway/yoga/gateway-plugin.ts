/**
 * Plugins of operators: those of Yoga and Envelop, with two additional hooks.
 */
import type { Plugin } from 'graphql-yoga';
import type { MaybePromise } from '../../execution/core/resolved-value.ts';
import { OperationContext } from '../operation/operation-context.ts';
import type { Outcome } from '../operation/outcome.ts';
import type { OperationResponse } from '../operation/response.ts';
import type { Policy } from '../policy.ts';

/** Context of hooks before `onContextBuilding`, and of those of HTTP. */
export type HookContext = Pick<OperationContext, 'operation' | 'record' | 'caller'>;

/** Context of plugins and resolvers. */
export type PluginContext = OperationContext;

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

/** The gateway's additional hooks of a plugin, as a policy. */
export const policyOf = (plugin: GatewayPlugin): Policy => ({
  ...(plugin.onAnswer && {
    onAnswer: (operation, response) => plugin.onAnswer!(response, new OperationContext(operation)),
  }),
  ...(plugin.onAnswered && {
    onAnswered: (operation) => {
      const { status, outcome, durationMs } = operation;
      // Set before `onAnswered` of policies.
      const answered = { status, outcome: outcome!, durationMs };
      plugin.onAnswered!(answered, new OperationContext(operation));
    },
  }),
});
