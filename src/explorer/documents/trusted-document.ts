/**
 * A manifest of trusted documents with one operation and its price.
 *
 * Source: Apollo's persisted query manifest, version 1. `price` is an addition; readers ignore it.
 */
import { getOperationAST, parse } from 'graphql';
import type { AnsweredPlan } from '../exchange/extensions.ts';

/**
 * @param plan undefined where the gateway answers none.
 * @returns JSON.
 * @throws GraphQLError for a text that cannot be parsed.
 */
export async function trustedDocument(
  body: string,
  operationName: string | undefined,
  plan: AnsweredPlan | undefined,
): Promise<string> {
  const operation = getOperationAST(parse(body), operationName);
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(body));
  const hex = [...new Uint8Array(digest)]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
  return JSON.stringify(
    {
      format: 'apollo-persisted-query-manifest',
      version: 1,
      operations: [
        {
          id: `sha256:${hex}`,
          name: operation?.name?.value ?? 'operation',
          type: operation?.operation ?? 'query',
          body,
          ...(plan && {
            price: { calls: plan.calls, rounds: plan.rounds, values: plan.values },
          }),
        },
      ],
    },
    null,
    2,
  );
}
