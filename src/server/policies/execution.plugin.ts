/** Execution by our executor, with a context of this request's own. */
import type { GatewayPlugin } from '../../operation/gateway-plugin.ts';
import type { OperationExecution } from './execution.ts';

export const useExecution = (execution: OperationExecution): GatewayPlugin => ({
  onContextBuilding({ context, extendContext }) {
    const { record } = context;
    // A caller who leaves gives up a read. A write is finished, and so is what follows it.
    const leaving = record.operationType === 'query' ? record.leaving : undefined;
    extendContext(execution.contextFor(context, record.startedAt, leaving));
  },
  onExecute({ setExecuteFn }) {
    setExecuteFn((args) => execution.execute(args));
  },
});
