/**
 * Which operation of the document is meant, and whether the carrier takes its kind.
 */
import { getOperationAST, Kind, OperationTypeNode, type DocumentNode } from 'graphql';
import { refusal } from '../../operation/refusal.ts';
import type { GatewayPlugin, OperationContext } from '../../operation/gateway-plugin.ts';
import type { Caller } from '../../operation/request/caller.ts';
import { acceptsEvents } from '../../operation/result/negotiation.ts';

export const useOperationKind = (): GatewayPlugin => ({ onParse: () => afterParse });

interface Parsed {
  /** The document, or why there is none. */
  readonly result: unknown;
  readonly context: Pick<OperationContext, 'params' | 'record' | 'caller'>;
}

function afterParse({ result, context: { params, record, caller } }: Parsed): void {
  if (!result || result instanceof Error) return;
  // Envelop has no type for what it hands on.
  const operation = getOperationAST(result as DocumentNode, params.operationName);
  if (!operation) {
    throw refusal(
      400,
      'OPERATION_RESOLUTION_FAILURE',
      notFound(result as DocumentNode, params.operationName),
    );
  }
  record.operation = operation;
  record.operationName = operation.name?.value;
  record.operationType = operation.operation;
  refuseKind(operation.operation, caller);
}

/** Names that a message has. */
const MAX_NAMES = 10;

/** What is wrong with the name of an operation, and what there is. */
function notFound({ definitions }: DocumentNode, asked: string | null | undefined): string {
  const names = definitions
    .filter((one) => one.kind === Kind.OPERATION_DEFINITION)
    .map(({ name }) => (name ? JSON.stringify(name.value) : 'one without a name'));
  if (names.length === 0) return 'Send a document with an operation: there are fragments alone.';
  const more = names.length > MAX_NAMES ? `, and ${names.length - MAX_NAMES} more` : '';
  const list = `the document has ${names.slice(0, MAX_NAMES).join(', ')}${more}`;
  return asked
    ? `There is no operation ${JSON.stringify(asked)}: ${list}.`
    : `Name one of the operations as "operationName": ${list}.`;
}

/** @throws METHOD_NOT_ALLOWED, NOT_ACCEPTABLE for what the carrier does not take. */
function refuseKind(
  kind: OperationTypeNode,
  { method, accept, streams, onlySubscriptions }: Caller,
): void {
  if (kind === OperationTypeNode.MUTATION && method === 'GET') {
    throw refusal(405, 'METHOD_NOT_ALLOWED', 'Send a mutation by POST.', { allow: 'POST' });
  }
  if (kind !== OperationTypeNode.SUBSCRIPTION) {
    if (!onlySubscriptions) return;
    throw refusal(
      405,
      'METHOD_NOT_ALLOWED',
      'Send queries and mutations by POST: this WebSocket takes subscriptions alone.',
    );
  }
  if (streams || acceptsEvents(accept)) return;
  throw refusal(
    406,
    'NOT_ACCEPTABLE',
    'Accept text/event-stream, or open a WebSocket: a subscription has more than one answer.',
  );
}
