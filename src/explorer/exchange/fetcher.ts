/**
 * GraphiQL's way to this gateway: operations are sent and recorded, the schema may be at hand already.
 */
import type { Fetcher } from '@graphiql/toolkit';
import { GraphQLError, OperationTypeNode, type ExecutionResult } from 'graphql';
import type { ExplorerSettings } from '../../server/http/explorer.ts';
import { keepIntrospection, readIntrospection } from './introspection.ts';
import { post, readOperation, requestHeaders, type GraphQLRequest } from './request.ts';
import { send } from './send.ts';

export const createFetcher =
  ({ explain, schemaId }: ExplorerSettings): Fetcher =>
  async (params, options) => {
    // GraphiQL's own question has no document; what users send has one.
    if (params.operationName === 'IntrospectionQuery' && !options?.documentAST) {
      return introspect(schemaId, params);
    }
    const { request, accept } = prepare(params);
    return send(
      request,
      requestHeaders({ ...accept, ...(explain !== 'off' && { 'x-explain': 'true' }) }),
    );
  };

/** What is sent, and the media type of results that come one after the other. */
function prepare(given: GraphQLRequest): { request: GraphQLRequest; accept?: { accept: string } } {
  try {
    const { request, operation } = readOperation(given);
    if (operation?.operation === OperationTypeNode.SUBSCRIPTION) {
      return { request, accept: { accept: 'text/event-stream' } };
    }
    if (!/@(?:defer|stream)\b/.test(request.query)) return { request };
    const accept = 'multipart/mixed;incrementalSpec=v0.2, application/json;q=0.9';
    return { request, accept: { accept } };
  } catch {
    return { request: given }; // the gateway says what is wrong with it
  }
}

async function introspect(
  schemaId: string | undefined,
  request: GraphQLRequest,
): Promise<ExecutionResult> {
  const kept = readIntrospection(schemaId, request);
  if (kept) return kept;
  try {
    const response = await post(request, requestHeaders());
    const result = (await response.json()) as ExecutionResult;
    keepIntrospection(schemaId, request, result);
    return result;
  } catch {
    return { errors: [new GraphQLError('The schema could not be loaded.')] };
  }
}
