/** The schema is the API documentation: every part of it is described, in sentences of one style. */
import {
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isSpecifiedDirective,
} from 'graphql';
import { expect, it } from 'vitest';
import { schema } from '../src/app/schema.ts';

interface Described {
  /** A schema coordinate, such as `Query.page(pageId:)`. */
  readonly name: string;
  readonly description: string;
}

/** Descriptions that are shown together: of the types, of the members of a type, of the arguments of a field. */
const groups: Described[][] = [[]];

const describing = (
  items: Iterable<{ readonly name: string; readonly description?: string | null | undefined }>,
  nameOf: (name: string) => string,
): Described[] =>
  [...items].map(({ name, description }) => ({
    name: nameOf(name),
    description: description ?? '',
  }));

for (const type of Object.values(schema.getTypeMap())) {
  if (isIntrospectionType(type)) continue;
  groups[0]!.push(...describing([type], (name) => name));
  if (isEnumType(type)) groups.push(describing(type.getValues(), (name) => `${type.name}.${name}`));
  if (!isObjectType(type) && !isInterfaceType(type) && !isInputObjectType(type)) continue;
  const fields = Object.values(type.getFields());
  groups.push(describing(fields, (name) => `${type.name}.${name}`));
  for (const field of fields) {
    if (!('args' in field)) continue;
    groups.push(describing(field.args, (name) => `${type.name}.${field.name}(${name}:)`));
  }
}

for (const directive of schema.getDirectives()) {
  if (isSpecifiedDirective(directive)) continue;
  groups[0]!.push(...describing([directive], (name) => `@${name}`));
  groups.push(describing(directive.args, (name) => `@${directive.name}(${name}:)`));
}

const all = groups.flat();

/** A description without its code, whose spelling is its own. */
const proseOf = (description: string): string => description.replace(/`[^`]*`/g, '`code`');

const breaking = (isWrong: (prose: string) => boolean): Described[] =>
  all.filter(({ description }) => isWrong(proseOf(description)));

it('describes every type, directive, field, argument, input field and enum value', () => {
  expect(all.filter(({ description }) => description.trim() === '')).toEqual([]);
});

it('repeats no description among types, members of a type, or arguments of a field', () => {
  const twins = groups.flatMap((group) =>
    group.filter((one) =>
      group.some((other) => other !== one && other.description === one.description),
    ),
  );

  expect(twins).toEqual([]);
});

it('writes descriptions as sentences: a capital letter first, a full stop last, single spaces', () => {
  expect(breaking((prose) => !/^[A-Z].*\.$/s.test(prose) || /\s{2}|\s$/.test(prose))).toEqual([]);
});

it('ends the description of a field that costs a call with the route, once', () => {
  const costs = all.filter(({ description }) => description.includes('REST call: `'));

  expect(costs.length).toBeGreaterThan(30);
  for (const { name, description } of costs) {
    expect(description, name).toMatch(/ REST call: `(?:GET|POST|PATCH|DELETE) \/v0\/[\w/{}]+`\.$/);
    expect(description.match(/REST call: `/g), name).toHaveLength(1);
    expect(description, name).not.toContain('No REST call');
  }
});
