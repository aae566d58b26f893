/**
 * GraphiQL's fetcher: sends and records operations, and loads the schema, the first time from a copy in local storage,
 * as long as the page has the same schema id.
 */
import type { Fetcher } from '@graphiql/toolkit';
import { GraphQLError, OperationTypeNode, type ExecutionResult } from 'graphql';
import type { PageSettings } from '../../client/page-settings.ts';
import { forgetExchange } from './exchange.ts';
import {
  acceptOf,
  post,
  readOperation,
  requestHeaders,
  type GraphQLRequest,
  type SentHeaders,
} from './request.ts';
import { send } from './send.ts';
import { resultsInView } from './subscriptions.ts';
import { local } from '../state.ts';

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

async function introspect(
  schemaId: string | undefined,
  request: GraphQLRequest,
  own: OwnHeaders,
): Promise<ExecutionResult> {
  const kept = hasSchema ? undefined : readIntrospection(schemaId, request);
  if (kept) {
    hasSchema = true;
    return kept;
  }
  try {
    const response = await post(request, requestHeaders({}, own).all);
    const result = (await response.json()) as ExecutionResult;
    // A schema that is fetched again may be newer than the id that the page has.
    if (!hasSchema) storeIntrospection(schemaId, request, result);
    hasSchema ||= Boolean(result.data);
    return result;
  } catch {
    return { errors: [new GraphQLError('The schema could not be loaded.')] };
  }
}

const SCHEMA = 'content-pages:schema';

interface StoredSchema {
  readonly schemaId: string;
  readonly query: string;
  readonly result: ExecutionResult;
}

function readIntrospection(
  schemaId: string | undefined,
  { query }: GraphQLRequest,
): ExecutionResult | undefined {
  try {
    const kept = JSON.parse(local.get(SCHEMA) ?? '') as StoredSchema;
    return kept.schemaId === schemaId && kept.query === query ? kept.result : undefined;
  } catch {
    return undefined;
  }
}

function storeIntrospection(
  schemaId: string | undefined,
  { query }: GraphQLRequest,
  result: ExecutionResult,
): void {
  if (schemaId === undefined || !result.data || result.errors) return;
  local.set(SCHEMA, JSON.stringify({ schemaId, query, result } satisfies StoredSchema));
}
