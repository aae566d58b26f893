/**
 * What a new schema changes for those who use an old one, and which shipped operations use what breaks.
 *
 * graphql-inspector says what is breaking. Who uses it is looked up here, by whole coordinates: inspector's own rule
 * compares the beginnings of paths, so `Page.nameOfOwner` would stand for `Page.name`.
 */
import { CriticalityLevel, diff, DiffRule } from '@graphql-inspector/core';
import {
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
  TypeInfo,
  validate,
  visit,
  visitWithTypeInfo,
  type GraphQLSchema,
} from 'graphql';
import { separated, usedBy } from '../../plan/coordinates.ts';
import type { Shipped } from './impact.ts';

export interface SchemaChange {
  readonly level: 'breaking' | 'dangerous' | 'safe';
  readonly message: string;
  /** `Page.name`, `Query.page.pageId`; undefined where inspector names none. */
  readonly path: string | undefined;
  /** The operations that use what a breaking change breaks. */
  readonly users: readonly Shipped[];
}

const LEVELS = {
  [CriticalityLevel.Breaking]: 'breaking',
  [CriticalityLevel.Dangerous]: 'dangerous',
  [CriticalityLevel.NonBreaking]: 'safe',
} as const;

/** @param shipped operations that the old schema serves. */
export async function changesBetween(
  old: GraphQLSchema,
  now: GraphQLSchema,
  shipped: readonly Shipped[],
): Promise<readonly SchemaChange[]> {
  const used = shipped.map((one) => ({
    one,
    used: usedBy(old, one.document, one.operation),
    inputs: inputsOf(old, one),
    isValid: validate(now, separated(one.document, one.operation)).length === 0,
  }));
  // What a description says breaks nothing.
  const changes = await diff(old, now, [DiffRule.ignoreDescriptionChanges]);
  return changes.map(({ criticality, message, path }) => {
    const level = LEVELS[criticality.level];
    // What must be given from now on breaks those who leave it out, where they use what it belongs to.
    const isRequired = path !== undefined && mustBeGiven(now, path);
    const broken = isRequired ? ownerOf(path) : path;
    const isUsed = level === 'breaking' && broken !== undefined;
    const users = isUsed
      ? used.filter((each) => each.inputs.has(broken) || uses(each.used, broken))
      : [];
    const named = isRequired
      ? users.filter((each) => !each.isValid || !gives(each.used, path))
      : users;
    return { level, message, path, users: named.map(({ one }) => one) };
  });
}

const ownerOf = (path: string): string => path.replace(/\.[^.]+$/, '');

/** Whether a path of inspector's is of an argument or an input field without which nothing is valid. */
function mustBeGiven(schema: GraphQLSchema, path: string): boolean {
  const [owner = '', name = '', argument] = path.split('.');
  const type = schema.getType(owner);
  if (isInputObjectType(type)) {
    const field = type.getFields()[name];
    return field !== undefined && isRequiredInputField(field);
  }
  if (!isObjectType(type) && !isInterfaceType(type)) return false;
  const found = type.getFields()[name]?.args.find((one) => one.name === argument);
  return found !== undefined && isRequiredArgument(found);
}

/** Whether an operation writes an argument, or a field of an input that it takes from no variable. */
function gives(coordinates: ReadonlySet<string>, path: string): boolean {
  const [owner = '', , argument] = path.split('.');
  if (argument !== undefined) return uses(coordinates, path);
  return coordinates.has(path) && !coordinates.has(owner);
}

/** The input types that an operation writes out, `{}` too. */
function inputsOf(schema: GraphQLSchema, { document, operation }: Shipped): ReadonlySet<string> {
  const written = new Set<string>();
  const types = new TypeInfo(schema);
  visit(
    separated(document, operation),
    visitWithTypeInfo(types, {
      ObjectValue() {
        const type = getNamedType(types.getInputType());
        if (type) written.add(type.name);
      },
    }),
  );
  return written;
}

/** Whether coordinates have a path of inspector's among them, or a part of what it names. */
function uses(coordinates: ReadonlySet<string>, path: string): boolean {
  const [owner = '', name = '', argument] = path.split('.');
  if (argument !== undefined) return coordinates.has(`${owner}.${name}(${argument}:)`);
  // An enum or an input type that comes in a variable stands for all of its values or fields.
  if (coordinates.has(path) || coordinates.has(owner)) return true;
  return name === '' && [...coordinates].some((one) => one.startsWith(`${owner}.`));
}

/** A day, as a deprecation has to name one: `Use title. Goes on 2027-03-01.` */
const DAY = /\b\d{4}-\d\d-\d\d\b/;

interface Deprecable {
  readonly name: string;
  readonly deprecationReason?: string | null | undefined;
  /** Of a field. */
  readonly args?: readonly Deprecable[];
}

/** What is deprecated without a day on which it goes, or without anything beside the day. */
export function undatedDeprecations(schema: GraphQLSchema): readonly string[] {
  const found: string[] = [];
  const look = (coordinate: string, { deprecationReason: reason }: Deprecable): void => {
    if (typeof reason !== 'string') return;
    const day = DAY.exec(reason)?.[0] ?? '';
    const isDay = !Number.isNaN(Date.parse(day));
    if (!isDay || reason.replace(day, '').trim().length < 3) found.push(coordinate);
  };
  for (const [name, type] of Object.entries(schema.getTypeMap())) {
    if (name.startsWith('__')) continue;
    if (isEnumType(type)) {
      for (const value of type.getValues()) look(`${name}.${value.name}`, value);
    }
    if (!('getFields' in type)) continue;
    for (const field of Object.values<Deprecable>(type.getFields())) {
      look(`${name}.${field.name}`, field);
      for (const arg of field.args ?? []) look(`${name}.${field.name}(${arg.name}:)`, arg);
    }
  }
  return found;
}
