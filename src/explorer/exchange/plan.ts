/** Plans of documents, requested from the gateway while the user types. */
import { OperationTypeNode, parse, type ExecutionResult } from 'graphql';
import { orUndefined } from '../../lib/or-undefined.ts';
import { createChanges } from '../state.ts';
import { planIn, type DocumentPlan } from './extensions.ts';
import {
  EVENT_STREAM,
  post,
  readOperation,
  requestHeaders,
  type GraphQLRequest,
} from './request.ts';

export type Planned =
  { readonly plan: DocumentPlan; readonly isSubscription: boolean } | { readonly problem: string };

/** Plans of the last documents, for comparison with the actual calls. */
const plans = new Map<string, DocumentPlan>();
const MOST_PLANS = 50;
const changes = createChanges();

const textOf = ({ query, variables, operationName }: GraphQLRequest): string =>
  JSON.stringify([query, variables ?? {}, operationName ?? null]);

/** The plan of a request that was sent; it may arrive after the response. */
export const usePlanOf = (request: GraphQLRequest): DocumentPlan | undefined =>
  changes.useValue(() => plans.get(textOf(request)));

const EMPTY_SELECTION = 'select at least one field between “{” and “}”.';

/** Whether a document is valid except for empty selections, as while it is typed. */
const isUnfinished = (query: string): boolean =>
  orUndefined(() => parse(query.replace(/\{\s*\}/g, '{ __typename }'))) !== undefined;

/** Requests a plan; rejects when `signal` aborts or there is no response. @param own the user's headers. */
export async function askPlan(
  given: GraphQLRequest,
  own: Readonly<Record<string, unknown>> = {},
  signal?: AbortSignal,
): Promise<Planned> {
  let read: ReturnType<typeof readOperation>;
  try {
    read = readOperation(given);
  } catch (error) {
    return { problem: isUnfinished(given.query) ? EMPTY_SELECTION : (error as Error).message };
  }
  const { request, operation } = read;
  // `application/json` responses always have HTTP 200: browsers log other statuses as errors, and half a document is
  // not one. Plans of subscriptions need a client that accepts events.
  const accept = `application/json, ${EVENT_STREAM};q=0.9`;
  const headers = requestHeaders({ 'x-explain': 'plan', accept }, own);
  const response = await post(request, headers.all, signal);
  const result = (await response.json()) as ExecutionResult;
  const plan = planIn(result);
  if (!plan) return { problem: result.errors?.[0]?.message ?? 'the gateway returned no plan.' };
  const text = textOf(request);
  plans.delete(text);
  plans.set(text, plan);
  if (plans.size > MOST_PLANS) plans.delete(plans.keys().next().value!);
  changes.notify();
  return { plan, isSubscription: operation?.operation === OperationTypeNode.SUBSCRIPTION };
}
