/** The gateway's response extensions: the calls of a request, and the plan of a document. */
import type { ExecutionResult } from 'graphql';
import type { Plan } from '../../plan/account.ts';
import type { Explained } from '../../plan/explain.ts';
import type { Budget } from '../../plan/planner.ts';
import type { PriceRange } from '../../plan/price.ts';

/** A plan as JSON. */
export interface DocumentPlan extends Pick<Plan, 'rounds' | 'missing'> {
  readonly calls: PriceRange;
  readonly routes: readonly (PriceRange & Omit<Plan['routes'][number], keyof PriceRange>)[];
  readonly values: { readonly atLeast: number; readonly atMost: number | null };
  readonly budget: Budget;
}

export const callLogOf = (result: ExecutionResult | undefined): Explained | undefined =>
  result?.extensions?.['upstream'] as Explained | undefined;

export const planIn = (result: ExecutionResult | undefined): DocumentPlan | undefined =>
  result?.extensions?.['plan'] as DocumentPlan | undefined;

/** The result as clients get it that do not request the call log. */
export function withoutCallLog(result: ExecutionResult): ExecutionResult {
  if (!result.extensions) return result;
  const { extensions, ...others } = result;
  const { upstream: _callLog, ...kept } = extensions;
  return Object.keys(kept).length > 0 ? { ...others, extensions: kept } : others;
}
