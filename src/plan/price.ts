/**
 * Bounds on the cost of an app's document for any variables.
 *
 * Variables of a shipped document are unknown, so it is planned with samples of every kind of id, and with the longest
 * lists unless it has defaults.
 */
import {
  isEnumType,
  isInputObjectType,
  isInputType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isRequiredInputField,
  Kind,
  typeFromAST,
  type DocumentNode,
  type GraphQLInputType,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import { MAX_FIRST } from '../graph/loading/page-request.ts';
import type { Context } from '../graph/context.ts';
import { dictionary } from '../lib/dictionary.ts';
import { formatNodeId } from '../graph/types/node-id.ts';
import { planFor } from './cost.ts';
import type { Plan } from './planner.ts';

/** The cost of an operation. Unknown numbers are null, such as the pages of a whole list. */
export interface Price {
  readonly calls: PriceRange;
  readonly rounds: number;
  readonly values: PriceRange;
  /** Maximum number of calls by route. */
  readonly routes: Readonly<Record<string, number | null>>;
}

interface PriceRange {
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

/** Sample ids, as many as the longest REST path has. */
const PATH_IDS = ['1', '2', '3'];

/** Returns undefined if no sample of its variables is valid. */
export function priceOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  context: Context,
): Priced | undefined {
  const plans = sampleIdsOf(schema).flatMap((id) => {
    const variableValues = sampleVariables(schema, operation, id);
    return planFor({ schema, document, operation, variableValues }, context) ?? [];
  });
  return plans.length > 0 ? sumUp(plans) : undefined;
}

/** Returns a raw id, and a global id of each entity type. */
export function sampleIdsOf(schema: GraphQLSchema): string[] {
  const node = schema.getType('Node');
  const types = isInterfaceType(node) ? schema.getPossibleTypes(node) : [];
  const globalIds = types.flatMap(({ name }) =>
    // Only ids with the right number of parts can be parsed.
    PATH_IDS.map((_, i) => formatNodeId(name, PATH_IDS.slice(0, i + 1))),
  );
  return ['1', ...globalIds];
}

function sampleVariables(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
  id: string,
): Readonly<Record<string, unknown>> {
  const values = dictionary<unknown>();
  for (const { variable, type: node, defaultValue } of variableDefinitions) {
    const type = typeFromAST(schema, node);
    // Optional ids get values, so dependent calls are planned.
    const isId = node.kind === Kind.NAMED_TYPE && node.name.value === 'ID';
    if (!type || defaultValue || (node.kind !== Kind.NON_NULL_TYPE && !isId)) continue;
    if (isId && variable.name.value === 'after') continue;
    if (isInputType(type)) values[variable.name.value] = sampleOf(type, id);
  }
  return values;
}

/** Returns a sample of a type, with this id in place of ids. */
export function sampleOf(type: GraphQLInputType, id: string): unknown {
  if (isNonNullType(type)) return sampleOf(type.ofType, id);
  if (isListType(type)) return [sampleOf(type.ofType, id)];
  if (isEnumType(type)) return type.getValues()[0]?.name;
  if (isInputObjectType(type)) {
    const required = Object.values(type.getFields()).filter(isRequiredInputField);
    return Object.fromEntries(required.map((field) => [field.name, sampleOf(field.type, id)]));
  }
  return SAMPLES[type.name] ?? id;
}

const SAMPLES: Readonly<Record<string, unknown>> = {
  Int: MAX_FIRST,
  SafeInt: MAX_FIRST,
  Float: 1,
  Boolean: true,
  String: 'x',
  DateTime: '2000-01-01T00:00:00.000Z',
  JSON: {},
};

function sumUp(plans: readonly Plan[]): Priced {
  const most = (counts: readonly number[]): number | null => shown(Math.max(...counts));
  const routes: Record<string, number | null> = {};
  const fields: Record<string, string[]> = {};
  for (const plan of plans) {
    for (const route of plan.routes) {
      const name = `${route.method} ${route.route}`;
      const before = routes[name];
      routes[name] = before === null ? null : most([before ?? 0, route.most]);
      fields[name] = [...new Set([...(fields[name] ?? []), ...route.fields])];
    }
  }
  return {
    price: {
      calls: {
        // Ids of other types are rejected at no cost.
        least: Math.max(...plans.map(({ calls }) => calls.least)),
        most: most(plans.map(({ calls }) => calls.most)),
      },
      rounds: Math.max(...plans.map(({ rounds }) => rounds)),
      values: {
        least: Math.max(...plans.map(({ values }) => values.atLeast)),
        most: most(plans.map(({ values }) => values.atMost)),
      },
      routes: Object.fromEntries(Object.entries(routes).sort(([a], [b]) => (a < b ? -1 : 1))),
    },
    fields,
    largestList: plans.find((plan) => plan.largestList !== null)?.largestList ?? null,
  };
}

const shown = (count: number): number | null => (Number.isFinite(count) ? count : null);
