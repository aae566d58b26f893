/**
 * GraphiQL's way to this gateway: operations are sent and recorded, the schema may be at hand already.
 */
import type { Fetcher } from '@graphiql/toolkit';
import {
  getOperationAST,
  GraphQLError,
  OperationTypeNode,
  type DocumentNode,
  type ExecutionResult,
} from 'graphql';
import type { Settings } from '../settings.ts';
import { keepIntrospection, readIntrospection } from './introspection.ts';
import { ENDPOINT, requestHeaders, type GraphQLRequest } from './request.ts';
import { send } from './send.ts';

export const createFetcher =
  ({ explain, schemaId }: Settings): Fetcher =>
  async (params, options) => {
    const request = params as GraphQLRequest;
    const documentAST = options?.documentAST;
    // GraphiQL's own has no document; what users send has one.
    if (request.operationName === 'IntrospectionQuery' && !documentAST) {
      return introspect(schemaId, request);
    }
    return send(
      request,
      requestHeaders({
        ...mediaTypes(request, documentAST),
        ...(explain !== 'off' && { 'x-explain': 'true' }),
      }),
    );
  };

/** The media type that a document's results are asked for in, where they come one after the other. */
function mediaTypes(
  { query, operationName }: GraphQLRequest,
  documentAST: DocumentNode | undefined,
): { accept?: string } {
  const operation = documentAST && getOperationAST(documentAST, operationName);
  if (operation?.operation === OperationTypeNode.SUBSCRIPTION) {
    return { accept: 'text/event-stream' };
  }
  if (!/@(?:defer|stream)\b/.test(query)) return {};
  return { accept: 'multipart/mixed;incrementalSpec=v0.2, application/json;q=0.9' };
}

async function introspect(
  schemaId: string | undefined,
  request: GraphQLRequest,
): Promise<ExecutionResult> {
  const kept = readIntrospection(schemaId, request);
  if (kept) return kept;
  try {
    const body = JSON.stringify(request);
    const response = await fetch(ENDPOINT, { method: 'POST', headers: requestHeaders(), body });
    const result = (await response.json()) as ExecutionResult;
    keepIntrospection(schemaId, request, result);
    return result;
  } catch {
    return { errors: [new GraphQLError('The schema could not be loaded.')] };
  }
}
