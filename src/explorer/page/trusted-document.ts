/**
 * A document as a trusted document: its id is the SHA-256 of its text, and its price stands beside it.
 */
import { getOperationAST, parse } from 'graphql';
import type { Plan } from '../exchange/extensions.ts';

/** @returns a manifest with one operation, as JSON. */
export async function trustedDocument(body: string, plan: Plan | undefined): Promise<string> {
  const operation = getOperationAST(parse(body));
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(body));
  const id = [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  const manifest = {
    format: 'apollo-persisted-query-manifest',
    version: 1,
    operations: [
      {
        id,
        name: operation?.name?.value ?? 'operation',
        type: operation?.operation ?? 'query',
        body,
      },
    ],
    ...(plan && {
      prices: { [id]: { calls: plan.calls, rounds: plan.rounds, values: plan.values } },
    }),
  };
  return JSON.stringify(manifest, null, 2);
}
