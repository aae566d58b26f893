/**
 * What an app's document costs at least and at most, whatever its variables are.
 *
 * The variables of a shipped document are unknown: it is planned with values of every kind of
 * id, and with the longest lists where its own defaults do not say otherwise.
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

/** Unknown numbers, such as the length of a list that is read to its end, are null. */
export interface Price {
  readonly calls: Bounds;
  readonly rounds: number;
  readonly values: Bounds;
  /** The most calls of each route. */
  readonly routes: Readonly<Record<string, number | null>>;
}

interface Bounds {
  readonly least: number;
  readonly most: number | null;
}

export interface Priced {
  readonly price: Price;
  /** By route, the fields that call it. */
  readonly fields: Readonly<Record<string, readonly string[]>>;
  /** The largest list. */
  readonly largestList: string | null;
}

/** No object has more ids on its way than this. */
const PATH_IDS = ['1', '2', '3'];

/** Undefined for an operation that no value of its variables fits. */
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

/** A raw id, and a global id of each type that has one. */
export function sampleIdsOf(schema: GraphQLSchema): string[] {
  const node = schema.getType('Node');
  const types = isInterfaceType(node) ? schema.getPossibleTypes(node) : [];
  const globalIds = types.flatMap(({ name }) =>
    // The one that is read shows how many ids a type has.
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
    // Ids are given where they may be, so that what depends on them is planned.
    const isId = node.kind === Kind.NAMED_TYPE && node.name.value === 'ID';
    if (!type || defaultValue || (node.kind !== Kind.NON_NULL_TYPE && !isId)) continue;
    if (isId && variable.name.value === 'after') continue;
    if (isInputType(type)) values[variable.name.value] = sampleOf(type, id);
  }
  return values;
}

/** A value of a type, with this in the place of ids. */
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
        // Ids of another type are refused at no cost.
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
