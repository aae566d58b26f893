/**
 * Bounds on the cost of an app's document for any variables.
 *
 * Variables of a shipped document are unknown, so it is planned with samples of every kind of id, and with the longest
 * lists unless it has defaults.
 */
import {
  GraphQLID,
  isInterfaceType,
  isNonNullType,
  type DocumentNode,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import { fragmentsOf } from '../execution/operation/collect-fields.ts';
import type { Context } from '../graph/context.ts';
import type { Plan } from './account.ts';
import { Planner } from './planner.ts';
import { sampleIdOf, sampleOf, sampleVariables, variablesOf } from './samples.ts';

/** The cost of an operation. Unknown numbers are null, such as the pages of a whole list. */
export interface Price {
  readonly calls: PriceRange;
  readonly rounds: number;
  readonly values: PriceRange;
  /** Maximum number of calls by route. */
  readonly routes: Readonly<Record<string, number | null>>;
}

/** `most` is null if it is unknown. */
export interface PriceRange {
  readonly least: number;
  readonly most: number | null;
}

export interface Priced {
  readonly price: Price;
  /** Fields that call a route, by route. */
  readonly fields: Readonly<Record<string, readonly string[]>>;
  /** Path of the largest list. */
  readonly largestList: string | null;
}

/** Returns undefined if no sample of its variables is valid. */
export function priceOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  context: Context,
): Priced | undefined {
  const fragments = fragmentsOf(document);
  const variables = variablesOf(schema, document, operation);
  const plans = sampleIdsOf(schema).flatMap((id) => {
    const variableValues = sampleVariables(schema, operation, variables, ({ type, hasDefault }) => {
      // Optional ids get values, so dependent calls are planned.
      const isSampled = !hasDefault && (isNonNullType(type) || type === GraphQLID);
      return isSampled ? sampleOf(type, id) : undefined;
    });
    const known = variableValues && { schema, fragments, variableValues };
    return known ? new Planner(known, context).plan(operation) : [];
  });
  return plans.length > 0 ? priceOfPlans(plans) : undefined;
}

/** Returns a raw id, and a global id of each entity type. */
function sampleIdsOf(schema: GraphQLSchema): string[] {
  const node = schema.getType('Node');
  const types = isInterfaceType(node) ? schema.getPossibleTypes(node) : [];
  return ['1', ...types.map(({ name }) => sampleIdOf(name, 1))];
}

function priceOfPlans(plans: readonly Plan[]): Priced {
  const routes: Record<string, number> = {};
  const fields: Record<string, string[]> = {};
  for (const { method, route, most, fields: paths } of plans.flatMap((plan) => plan.routes)) {
    const name = `${method} ${route}`;
    routes[name] = Math.max(routes[name] ?? 0, most);
    fields[name] = [...new Set([...(fields[name] ?? []), ...paths])];
  }
  const largest = (count: (plan: Plan) => number): number => Math.max(...plans.map(count));
  const sorted = Object.entries(routes).sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    price: {
      // Ids of other types are rejected at no cost.
      calls: {
        least: largest(({ calls }) => calls.least),
        most: finite(largest(({ calls }) => calls.most)),
      },
      rounds: largest(({ rounds }) => rounds),
      values: {
        least: largest(({ values }) => values.atLeast),
        most: finite(largest(({ values }) => values.atMost)),
      },
      routes: Object.fromEntries(sorted.map(([name, most]) => [name, finite(most)])),
    },
    fields,
    largestList: plans.find((plan) => plan.largestList !== null)?.largestList ?? null,
  };
}

/** Unknown numbers are null in JSON. */
const finite = (count: number): number | null => (Number.isFinite(count) ? count : null);
