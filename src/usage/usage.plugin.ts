/** Counts what operations ask for, as they are executed. */
import type { ExecutionArgs } from 'graphql';
import type { GatewayPlugin, ServerContext } from '../operation/gateway-plugin.ts';
import type { Usage } from './usage.ts';

/** What is read of the payload of Envelop's `onExecute` and `onSubscribe`. */
export interface ExecutePayload {
  readonly args: ExecutionArgs;
  readonly context: ServerContext;
}

/** @param usage undefined where operators cannot ask for it. */
export function useUsage(usage: Usage | undefined): GatewayPlugin {
  if (!usage) return {};
  const count = ({ args, context: { record } }: ExecutePayload): void => {
    if (record.operation) usage.count(record, args.document, record.operation);
  };
  // A subscription is counted once, when it begins.
  return { onExecute: count, onSubscribe: count };
}
