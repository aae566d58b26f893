/**
 * The four parameters of a GraphQL request, out of whatever JSON a body held.
 *
 * Properties nobody defined are ignored, as GraphQL over HTTP demands. Variables are bounded
 * here, before anything walks them recursively.
 */
import type { GraphQLParams } from 'graphql-yoga';
import { refusal } from './refusal.ts';

/** How deep objects and lists may be nested in `variables`. */
const MAX_VARIABLES_DEPTH = 32;

/** How many values `variables` may hold, counting each list and object. */
const MAX_VARIABLES_VALUES = 5_000;

/**
 * @param body parsed JSON. An array, or what is no object at all, passes as it is: Yoga refuses it.
 * @throws BAD_REQUEST without a query, BAD_USER_INPUT when `variables` is too deep or too large.
 */
export function readParams(body: unknown): GraphQLParams {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    return body as GraphQLParams;
  // Nothing is promised about these values: Yoga checks their types next.
  const { query, operationName, variables, extensions } = body as GraphQLParams;
  if (query == null) throw refusal(400, 'BAD_REQUEST', 'Send the text of the query as "query".');
  checkVariables(variables);
  return {
    query,
    ...(operationName !== undefined && { operationName }),
    ...(variables !== undefined && { variables }),
    ...(extensions !== undefined && { extensions }),
  };
}

function checkVariables(variables: unknown): void {
  let level: object[] = isHolder(variables) ? [variables] : [];
  let count = 0;
  // Level by level: the stack stays flat however deep a caller nests.
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_VARIABLES_DEPTH) {
      throw refusal(
        400,
        'BAD_USER_INPUT',
        `"variables" may nest ${MAX_VARIABLES_DEPTH} levels: send flatter input.`,
      );
    }
    const next: object[] = [];
    for (const holder of level) {
      for (const value of Object.values(holder) as unknown[]) {
        count += 1;
        if (isHolder(value)) next.push(value);
      }
    }
    if (count > MAX_VARIABLES_VALUES) {
      throw refusal(
        400,
        'BAD_USER_INPUT',
        `"variables" may hold ${MAX_VARIABLES_VALUES} values: split the request.`,
      );
    }
    level = next;
  }
}

const isHolder = (value: unknown): value is object => typeof value === 'object' && value !== null;
