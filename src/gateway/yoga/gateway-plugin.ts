/** Plugins of operators: those of Yoga and Envelop, with two additional hooks. */
import type { ExecutionResult } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { MaybePromise } from '../../execution/core/resolved-value.ts';
import { GatewayContext } from '../operation/gateway-context.ts';
import type { Answered } from '../operation/operation.ts';
import type { OperationResponse } from '../operation/response.ts';
import type { ResultPart } from '../operation/result-parts.ts';
import type { Policy } from '../policy.ts';

/** Context of hooks before `onContextBuilding`, and of those of HTTP. */
export type HookContext = Pick<GatewayContext, 'record' | 'caller'>;

export interface GatewayPlugin extends Plugin<GatewayContext, HookContext, GatewayContext> {
  /** Called before a response is written over HTTP; may modify it. */
  onAnswer?(response: OperationResponse, context: HookContext): MaybePromise<void>;
  /** Called at the end of an operation, over any transport; for a subscription after its start. */
  onAnswered?(answered: Answered, context: HookContext): void;
}

/** The gateway's additional hooks of a plugin, as a policy. */
export const policyOf = (plugin: GatewayPlugin): Policy => ({
  ...(plugin.onAnswer && {
    onAnswer: (operation, response) => plugin.onAnswer!(response, new GatewayContext(operation)),
  }),
  ...(plugin.onAnswered && {
    onAnswered: (operation, answered) =>
      plugin.onAnswered!(answered, new GatewayContext(operation)),
  }),
});

/** Hooks of requests and responses of the Fetch API. */
const HTTP_HOOKS = ['onRequest', 'onRequestParse', 'onResultProcess', 'onResponse'] as const;

/** Phases of Yoga that instrumentation may wrap, apart from those of Envelop. */
const WRAPPED_BY_YOGA = ['request', 'requestParse', 'operation', 'resultProcess'] as const;

/** Returns which hooks plugins have, so that only what one of them uses is created. */
export function hooksOf(plugins: readonly GatewayPlugin[]) {
  const has = (...hooks: readonly (keyof GatewayPlugin)[]): boolean =>
    plugins.some((plugin) => hooks.some((hook) => plugin[hook] !== undefined));
  return {
    any: plugins.length > 0,
    /** Whether one sees a document before its validation. */
    parse: has('onParse'),
    /** Whether one sees or adds validation rules. */
    rules: has('onValidate'),
    results: has('onExecute', 'onExecutionResult', 'onResultProcess', 'onParams'),
    params: has('onParams', 'onExecutionResult'),
    http:
      has(...HTTP_HOOKS) ||
      plugins.some(({ instrumentation }) =>
        WRAPPED_BY_YOGA.some((phase) => instrumentation?.[phase] !== undefined),
      ),
  };
}

/**
 * Converts the executor's objects to objects without a prototype, as graphql-js creates them: plugins do not descend
 * into others.
 */
export const withPlainData = (result: ExecutionResult): ExecutionResult =>
  result.data ? { ...result, data: plain(result.data) as typeof result.data } : result;

export async function* plainParts(
  parts: AsyncIterable<ResultPart>,
): AsyncGenerator<ResultPart, void> {
  for await (const part of parts) {
    const incremental = part.incremental?.map((one) =>
      one.items ? { ...one, items: plain(one.items) } : { ...one, data: plain(one.data) },
    );
    yield incremental ? { ...part, incremental } : part;
  }
}

function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  const prototype: unknown = Object.getPrototypeOf(value);
  const isOfExecutor =
    prototype === null ||
    (prototype !== Object.prototype && Object.getPrototypeOf(prototype) === null);
  // Scalars may have other prototypes.
  if (!isOfExecutor) return value;
  const copy = Object.create(null) as Record<string, unknown>;
  for (const key of Object.keys(value)) copy[key] = plain((value as typeof copy)[key]);
  return copy;
}
