/**
 * Changes between two schemas, and the operations of apps affected by breaking ones.
 *
 * graphql-inspector finds breaking changes. Affected operations are found here by whole coordinates, since inspector's
 * own rule compares prefixes: `Page.nameOfOwner` would match `Page.name`.
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
  /** `Page.name`, `Query.page.pageId`; undefined if inspector has none. */
  readonly path: string | undefined;
  /** Operations affected by a breaking change. */
  readonly users: readonly Shipped[];
}

const LEVELS = {
  [CriticalityLevel.Breaking]: 'breaking',
  [CriticalityLevel.Dangerous]: 'dangerous',
  [CriticalityLevel.NonBreaking]: 'safe',
} as const;

/** @param shipped operations valid against the old schema. */
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
  // Changes of descriptions are never breaking.
  const changes = await diff(old, now, [DiffRule.ignoreDescriptionChanges]);
  return changes.map(({ criticality, message, path }) => {
    const level = LEVELS[criticality.level];
    // A new required argument or input field breaks operations that use its owner without it.
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

/** Whether a path is that of a required argument or input field. */
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

/** Whether an operation has an argument, or a field of an input literal. */
function gives(coordinates: ReadonlySet<string>, path: string): boolean {
  const [owner = '', , argument] = path.split('.');
  if (argument !== undefined) return uses(coordinates, path);
  return coordinates.has(path) && !coordinates.has(owner);
}

/** Returns the types of an operation's input literals, including `{}`. */
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

/** Whether coordinates contain a path of inspector, or a part of its type. */
function uses(coordinates: ReadonlySet<string>, path: string): boolean {
  const [owner = '', name = '', argument] = path.split('.');
  if (argument !== undefined) return coordinates.has(`${owner}.${name}(${argument}:)`);
  // An enum or input type of a variable represents all its values or fields.
  if (coordinates.has(path) || coordinates.has(owner)) return true;
  return name === '' && [...coordinates].some((one) => one.startsWith(`${owner}.`));
}

/** The required date of a deprecation: `Use title. Goes on 2027-03-01.` */
const DAY = /\b\d{4}-\d\d-\d\d\b/;

interface Deprecable {
  readonly name: string;
  readonly deprecationReason?: string | null | undefined;
  /** Arguments of a field. */
  readonly args?: readonly Deprecable[];
}

/** Returns deprecations without a date, or with nothing but a date. */
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
