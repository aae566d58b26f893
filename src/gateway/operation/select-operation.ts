/** Selects the operation of a document. */
import type { GraphQLError } from 'graphql';
import { clientError } from './client-error.ts';
import type { Document, OperationDefinition } from './document.ts';

/** @throws the document's failure, or OPERATION_RESOLUTION_FAILURE. */
export function selectOperation(
  document: Document,
  name: string | null | undefined,
): OperationDefinition {
  if (document.failure) throw document.failure;
  const definition = document.operation(name);
  if (!definition) throw noOperation(document, name);
  return definition;
}

/** Maximum number of names in a message. */
const MAX_NAMES = 10;

/** The client error of an unknown operation name. */
function noOperation({ operations }: Document, asked: string | null | undefined): GraphQLError {
  const names = operations.map(({ name }) =>
    name === undefined ? 'one without a name' : JSON.stringify(name),
  );
  const more = names.length > MAX_NAMES ? `, and ${names.length - MAX_NAMES} more` : '';
  const list = `the document has ${names.slice(0, MAX_NAMES).join(', ')}${more}`;
  const message =
    names.length === 0
      ? 'Send a document with an operation: there are fragments alone.'
      : asked
        ? `There is no operation ${JSON.stringify(asked)}: ${list}.`
        : `Name one of the operations as "operationName": ${list}.`;
  return clientError(400, 'OPERATION_RESOLUTION_FAILURE', message);
}
