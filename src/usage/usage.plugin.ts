/** Counts what operations ask for, as they are executed. */
import { getOperationAST, type ExecutionArgs } from 'graphql';
import type { GatewayPlugin, OperationContext } from '../operation/gateway-plugin.ts';
import type { Usage } from './usage.ts';

/** @param usage undefined where operators cannot ask for it. */
export function useUsage(usage: Usage | undefined): GatewayPlugin {
  if (!usage) return {};
  const count = ({ args }: { readonly args: ExecutionArgs }): void => {
    const { document, operationName, contextValue } = args;
    const operation = getOperationAST(document, operationName);
    if (operation) usage.count((contextValue as OperationContext).record, document, operation);
  };
  // A subscription is counted once, when it begins.
  return { onExecute: count, onSubscribe: count };
}
