/**
 * Writes down what the log and the metrics will want to know of a request.
 */
import type { DocumentNode, ExecutionResult } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { causeOf } from '../operation/mask-error.ts';
import {
  noteOperation,
  type RequestRecord,
  type ServerContext,
} from '../operation/request-record.ts';

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

function note(record: RequestRecord, { data, errors = [] }: ExecutionResult): void {
  record.hasData = data !== undefined;
  record.errorCodes = [...new Set(errors.map(({ extensions }) => String(extensions['code'])))];
  for (const error of errors) {
    const cause = causeOf(error);
    if (cause !== undefined) record.causes.push(cause);
  }
}
