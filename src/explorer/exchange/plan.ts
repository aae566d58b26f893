/**
 * The plan of the document that is being written, asked of the gateway while its author types.
 *
 * A newer text cancels the question about an older one. Plans are no part of the history.
 */
import type { ExecutionResult } from 'graphql';
import { createChanges } from './changes.ts';
import { planIn, type Plan } from './extensions.ts';
import {
  EVENT_STREAM,
  post,
  readOperation,
  requestHeaders,
  type GraphQLRequest,
} from './request.ts';

/** `refused`: why the document cannot be planned. */
export type Planned = { readonly plan: Plan } | { readonly refused: string };

/** Of the last documents that were planned: each tab compares its answer with its plan. */
const plans = new Map<string, Plan>();
const MOST_PLANS = 50;
const changes = createChanges();

const textOf = ({ query, variables, operationName }: GraphQLRequest): string =>
  JSON.stringify([query, variables ?? {}, operationName ?? null]);

/** The plan of a request that was sent: it may come after the answer. */
export const usePlanOf = (request: GraphQLRequest): Plan | undefined =>
  changes.useValue(() => plans.get(textOf(request)));

/**
 * Asks for a plan; rejects when `signal` aborts or no answer comes.
 *
 * @param own the user's headers.
 */
export async function askPlan(
  given: GraphQLRequest,
  own: Readonly<Record<string, unknown>> = {},
  signal?: AbortSignal,
): Promise<Planned> {
  let request: GraphQLRequest;
  try {
    ({ request } = readOperation(given));
  } catch (error) {
    return { refused: (error as Error).message };
  }
  // JSON of this type comes with HTTP 200 whatever is in it: browsers write other statuses to the console
  // as errors, and half a document is none. Subscriptions have a plan where events are accepted.
  const accept = `application/json, ${EVENT_STREAM};q=0.9`;
  const headers = requestHeaders({ 'x-explain': 'plan', accept }, own);
  const response = await post(request, headers.all, signal);
  const result = (await response.json()) as ExecutionResult;
  const plan = planIn(result);
  if (!plan) return { refused: result.errors?.[0]?.message ?? 'There is no plan.' };
  const text = textOf(request);
  plans.delete(text);
  plans.set(text, plan);
  if (plans.size > MOST_PLANS) plans.delete(plans.keys().next().value!);
  changes.notify();
  return { plan };
}
