/**
 * The plan of the document that is being written, asked of the gateway while its author types.
 *
 * A newer text cancels the question about an older one. Plans are no part of the history.
 */
import { useSyncExternalStore } from 'react';
import { planIn, type Plan } from '../exchange/extensions.ts';
import { ENDPOINT, requestHeaders, type GraphQLRequest } from '../exchange/request.ts';

/** `refused`: why the document cannot be planned. */
export type Planned = { readonly plan: Plan } | { readonly refused: string };

let latest: { readonly text: string; readonly plan: Plan } | undefined;
const listeners = new Set<() => void>();

const textOf = ({ query, variables, operationName }: GraphQLRequest): string =>
  JSON.stringify([query, variables ?? {}, operationName ?? null]);

/** The plan that was made last, if it is this request's. */
const latestPlanOf = (request: GraphQLRequest): Plan | undefined =>
  latest?.text === textOf(request) ? latest.plan : undefined;

/** The plan of a request that was sent: it may come after the answer. */
export const usePlanOf = (request: GraphQLRequest): Plan | undefined =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => latestPlanOf(request),
  );

/** Asks for a plan; rejects when `signal` aborts or nobody answers. */
export async function askPlan(request: GraphQLRequest, signal?: AbortSignal): Promise<Planned> {
  const response = await fetch(ENDPOINT, {
    method: 'POST',
    headers: requestHeaders({ 'x-explain': 'plan' }),
    body: JSON.stringify(request),
    ...(signal && { signal }),
  });
  const result = (await response.json()) as {
    readonly errors?: readonly { readonly message: string }[];
    readonly extensions?: Readonly<Record<string, unknown>>;
  };
  const plan = planIn(result as Parameters<typeof planIn>[0]);
  if (!plan) return { refused: result.errors?.[0]?.message ?? 'There is no plan.' };
  latest = { text: textOf(request), plan };
  for (const listener of listeners) listener();
  return { plan };
}
