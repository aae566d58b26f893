/** GraphiQL's fetcher: sends and records operations, and loads the schema. */
import type { Fetcher } from '@graphiql/toolkit';
import { GraphQLError, OperationTypeNode, type ExecutionResult } from 'graphql';
import type { PageSettings } from '../../client/page-settings.ts';
import { forgetExchange } from './exchange.ts';
import {
  acceptOf,
  ENDPOINT,
  readOperation,
  requestHeaders,
  type GraphQLRequest,
  type SentHeaders,
} from './request.ts';
import { send } from './send.ts';
import { resultsInView } from './subscriptions.ts';

/** Whether the page has the schema: introspection after that is "Re-fetch GraphQL schema". */
let hasSchema = false;

type OwnHeaders = Readonly<Record<string, unknown>> | undefined;

/** @param complete replaces placeholders in a request before it is sent. */
export const createFetcher =
  (
    { explain, schemaId }: PageSettings,
    complete: (request: GraphQLRequest) => Promise<GraphQLRequest>,
  ): Fetcher =>
  async (params, options) => {
    const own = options?.headers;
    // Introspection by GraphiQL has no parsed document; requests of users have one.
    if (params.operationName === 'IntrospectionQuery' && !options?.documentAST) {
      return introspect(schemaId, params, own);
    }
    const goesOn = resultsInView();
    if (goesOn) return goesOn;
    const { request, isSubscription } = prepare(await complete(params));
    const accept = acceptOf(request.query, isSubscription);
    let headers: SentHeaders;
    try {
      headers = requestHeaders(
        { ...(accept && { accept }), ...(explain !== 'off' && { 'x-explain': 'true' }) },
        own,
      );
    } catch (error) {
      forgetExchange();
      return { errors: [new GraphQLError(`Not sent. Headers: ${(error as Error).message}`)] };
    }
    return send({ request, headers, isSubscription });
  };

function prepare(given: GraphQLRequest): {
  readonly request: GraphQLRequest;
  readonly isSubscription: boolean;
} {
  try {
    const { request, operation } = readOperation(given);
    return { request, isSubscription: operation?.operation === OperationTypeNode.SUBSCRIPTION };
  } catch {
    return { request: given, isSubscription: false }; // The gateway's error says what is wrong.
  }
}

/** Prevents cross-site requests; required for a GET without an API key. */
const PREFLIGHT = { 'apollo-require-preflight': 'true' };

/** By GET, with the id of the schema, so that the browser's cache has each version of the schema. */
async function introspect(
  schemaId: string | undefined,
  { query }: GraphQLRequest,
  own: OwnHeaders,
): Promise<ExecutionResult> {
  try {
    const params = new URLSearchParams({ query, ...(schemaId && { schemaId }) });
    const headers = requestHeaders(PREFLIGHT, own).all;
    // A schema that is fetched again may be newer than the id that the page has.
    const cache = hasSchema ? 'no-store' : 'force-cache';
    const response = await fetch(`${ENDPOINT}?${params}`, { headers, cache });
    const result = (await response.json()) as ExecutionResult;
    hasSchema ||= Boolean(result.data);
    return result;
  } catch {
    return { errors: [new GraphQLError('The schema could not be loaded.')] };
  }
}
