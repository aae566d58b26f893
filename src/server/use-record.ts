/**
 * Writes down what the log and the metrics will want to know of a request.
 */
import { getOperationAST, type DocumentNode, type ExecutionResult } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { causeOf } from './mask-error.ts';
import type { RequestRecord, ServerContext } from './request-record.ts';

export function useRecord(): Plugin<ServerContext, ServerContext> {
  return {
    onParse() {
      return ({ result, context: { record, params } }) => {
        if (result === null || result instanceof Error) return;
        noteOperation(record, result as DocumentNode, params.operationName);
      };
    },
    onResultProcess({ result, serverContext: { record } }) {
      if (!Array.isArray(result) && !(Symbol.asyncIterator in result)) note(record, result);
    },
  };
}

/** What is asked for in a document; nothing when that is not clear. */
export function noteOperation(
  record: RequestRecord,
  document: DocumentNode,
  operationName: string | null | undefined,
): void {
  const operation = getOperationAST(document, operationName);
  if (!operation) return;
  record.operationName = operation.name?.value;
  record.operationType = operation.operation;
}

function note(record: RequestRecord, { data, errors = [] }: ExecutionResult): void {
  record.hasData = data !== undefined;
  record.errorCodes = [...new Set(errors.map(({ extensions }) => String(extensions['code'])))];
  for (const error of errors) {
    const cause = causeOf(error);
    if (cause !== undefined) record.causes.push(cause);
  }
}
