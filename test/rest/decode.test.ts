import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { RestError } from '../../src/rest/call/errors.ts';
import { checkOf } from '../../src/rest/decode/contract-check.ts';
import { decode } from '../../src/rest/decode/decode.ts';
import type { RestResponse } from '../../src/rest/call/call.ts';
import { routes, type Route } from '../../src/v0/routes.ts';
import { isKeyId } from '../../src/v0/schemas/primitive.ts';
import { person } from './open-rest.ts';

const all = Object.entries<Route>(routes);

/** Values that fit a schema by its kind. */
function fitting(schema: z.core.$ZodType): fc.Arbitrary<unknown> {
  if (schema instanceof z.ZodObject) {
    const fields = Object.entries<z.core.$ZodType>(schema.shape);
    return fc.record(Object.fromEntries(fields.map(([name, field]) => [name, fitting(field)])));
  }
  if (schema instanceof z.ZodArray) return fc.array(fitting(schema.element), { maxLength: 3 });
  if (schema instanceof z.ZodNullable) return fc.option(fitting(schema.unwrap()));
  if (schema instanceof z.ZodOptional) return fitting(schema.unwrap());
  if (schema instanceof z.ZodEnum) return fc.constantFrom(...schema.options);
  if (schema instanceof z.ZodNumber) return fc.constantFrom(0, 1, 2.5, 2 ** 53 - 1);
  if (schema instanceof z.ZodBoolean) return fc.boolean();
  if (schema instanceof z.ZodString) return fc.string({ maxLength: 5 });
  return fc.dictionary(fc.string({ maxLength: 3 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 });
}

const odd = fc.constantFrom<unknown[]>(
  null,
  'odd',
  -1,
  1.5,
  2 ** 53,
  Infinity,
  true,
  [],
  {},
  [null],
  {
    constructor: 1,
  },
);

interface Die {
  readonly hit: number;
  readonly odd: unknown;
}

const dice = fc.array(fc.record({ hit: fc.nat({ max: 11 }), odd }), {
  minLength: 40,
  maxLength: 40,
});

/** The value with some parts, at any depth, replaced by invalid ones or omitted. */
function broken(root: unknown, rolls: readonly Die[]): unknown {
  let rolled = 0;
  const roll = (): Die => rolls[rolled++ % rolls.length]!;
  const walk = (value: unknown): unknown => {
    const { hit, odd: other } = roll();
    if (hit === 0) return structuredClone(other);
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).flatMap(([name, field]) =>
        roll().hit === 1 ? [] : [[name, walk(field)]],
      ),
    );
  };
  return walk(root);
}

type Path = readonly PropertyKey[];

const isBelow = (path: Path, above: Path): boolean =>
  path.length > above.length && above.every((name, i) => path[i] === name);

/** Whether a path of a response is that of an id of an object's key. */
function isKey(schema: z.core.$ZodType, [name, ...rest]: Path): boolean {
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional) {
    return isKey(schema.unwrap(), name === undefined ? [] : [name, ...rest]);
  }
  if (name === undefined) return isKeyId(schema);
  if (schema instanceof z.ZodArray) return isKey(schema.element, rest);
  return schema instanceof z.ZodObject && isKey(schema.shape[String(name)], rest);
}

describe('the contract check of a schema', () => {
  it.each(all)(
    'finds the faults in responses of %s that zod finds, at the same path or at the path of an object without its id',
    (_name, { response }) => {
      const check = checkOf(response);

      fc.assert(
        fc.property(fitting(response), dice, (fits, rolls) => {
          const value = broken(fits, rolls);
          const faults = new Set<string>();
          const paths = pathsOf(value);
          const outcome = check(value, (holder, name) => {
            faults.add(JSON.stringify([...paths.get(holder)!, name]));
          });
          if (outcome !== true) faults.add('[]');

          const issues = response.safeParse(value).error?.issues ?? [];
          const found = issues.map(({ path }) => path);
          const keyless = found
            .filter((path) => isKey(response, path))
            .map((path) => path.slice(0, -1));
          const rest = found.filter((path) => !keyless.some((above) => isBelow(path, above)));
          const expected = [
            ...rest,
            ...keyless.filter((path) => !keyless.some((above) => isBelow(path, above))),
          ];
          expect(faults).toEqual(new Set(expected.map((path) => JSON.stringify(path))));
        }),
        { numRuns: 200 },
      );
    },
  );

  it('names a kind of schema that it does not support', () => {
    expect(() => checkOf(z.object({ when: z.date() }))).toThrow('"date"');
    expect(() => checkOf(z.email())).toThrow('"string"');
  });
});

describe('a decoded response', () => {
  it('contains an error instead of each field that breaks the contract', () => {
    const { name, ...rest } = person('p');
    const value = valueOf(routes.getPerson, answer({ ...rest, email: 7, slug: ['x'], more: 1 }));

    expect(value).toMatchObject({ personId: 'p', domain: null, more: 1 });
    const route = /: GET \/v0\/persons\/\{person_id\}$/;
    for (const [field, offender] of [
      [value.name, /\bno "name"/],
      [value.email, /\b7 for "email"/],
      [value.slug, /\ba list for "slug"/],
    ] as const) {
      expect(field).toBeInstanceOf(RestError);
      expect(String(field)).toMatch(offender);
      expect(String(field)).toMatch(route);
    }
    expect(name).toBe('Ada');
  });

  it('quotes at most one word of the backend in an error', () => {
    const value = valueOf(
      routes.getPage,
      answer({ pageId: 'p', status: 'the key is abc', pageType: 'novel' }),
    );

    expect(String(value.status)).not.toContain('abc');
    expect(String(value.pageType)).toContain('"novel"');
  });

  it('keeps a list with an invalid item, and is rejected when a list has no items', () => {
    const envelope = { hasMore: false, nextCursor: null, totalCount: 2 };
    const list = valueOf(routes.listPersons, answer({ items: [null, person('q')], ...envelope }));

    expect(list.items[0]).toMatchObject({ kind: 'invalid_response' });
    expect(list.items[1]).toEqual(person('q'));
    expect(() =>
      decode(
        { route: routes.listPersons, path: '/v0/persons' },
        answer({ items: null, ...envelope }),
      ),
    ).toThrow(expect.objectContaining({ kind: 'invalid_response' }));
  });

  it.each<[string, Route, string, unknown]>([
    ['an error', routes.getAudience, '/v0/pages/p/audiences/a', { code: 'LOCKED', message: 'no' }],
    ['no fields', routes.getPerson, '/v0/persons/p', {}],
    ['an id that is none', routes.getPerson, '/v0/persons/7', { ...person('p'), personId: 7 }],
    ['another id', routes.getPerson, '/v0/persons/p', person('q')],
  ])('is rejected as a whole with %s', (_name, route, path, body) => {
    expect(() => decode({ route, path }, answer(body))).toThrow(
      expect.objectContaining({ kind: 'invalid_response' }),
    );
  });

  it('contains the ids that are encoded in its path', () => {
    const { value } = decode(
      { route: routes.getPerson, path: '/base/v0/persons/a%2Fb%20%C3%BC?x=/y' },
      answer(person('a/b ü')),
    );

    expect(value).toEqual(person('a/b ü'));
  });

  it('contains an error instead of a list item that has no id', () => {
    const list = valueOf(
      routes.listPersons,
      answer({ items: [{ name: 'n' }], hasMore: false, nextCursor: null, totalCount: 1 }),
    );

    expect(list.items[0]).toMatchObject({ kind: 'invalid_response' });
  });

  const entry = { topicEntryId: '', topicId: 't' };
  const listed = (items: readonly unknown[]) => ({
    ...{ items, hasMore: false, nextCursor: null, totalCount: items.length },
  });

  it.each<[string, Route, string, object, string, string | undefined]>([
    [
      'an empty id of a list item',
      routes.listAccounts,
      '/v0/accounts',
      listed([{ accountId: 'a' }, { accountId: '' }]),
      '"" for "items[1].accountId"',
      'items[].accountId',
    ],
    [
      'a missing id of an item in an item',
      routes.listTopics,
      '/v0/topics',
      listed([{ topicId: 't', entries: [entry, { ...entry, topicEntryId: undefined }] }]),
      'no "items[].entries[1].topicEntryId"',
      'items[].entries[].topicEntryId',
    ],
    [
      'a number as the id of a nested object',
      routes.getAudience,
      '/v0/pages/p/audiences/a',
      { pageId: 'p', audienceId: 'a', latestVersion: { audienceId: 'a', versionId: 7 } },
      '7 for "latestVersion.versionId"',
      'latestVersion.versionId',
    ],
    [
      'an empty id of the object itself',
      routes.getTopic,
      '/v0/topics/t',
      { topicId: '', entries: [] },
      '"" for "topicId"',
      undefined,
    ],
  ])('names %s by its path', (_what, route, path, body, what, field) => {
    const texts: string[] = [];
    let wrong: ReadonlySet<string> = new Set();
    try {
      const decoded = decode({ route, path }, answer(body));
      wrong = decoded.wrong;
      JSON.stringify(decoded.value, (_name, value) => {
        if (value instanceof Error) texts.push(value.message);
        return value;
      });
    } catch (error) {
      texts.push((error as Error).message);
    }

    expect(texts).toContainEqual(expect.stringContaining(` ${what}`));
    expect(texts.every((text) => text.endsWith(`: GET ${route.path}`))).toBe(true);
    if (field !== undefined) expect([...wrong]).toContain(field);
  });

  it('takes no field from a __proto__ key', () => {
    const value = valueOf(
      routes.getPerson,
      answer(JSON.parse('{"personId":"p","__proto__":{"name":"x"}}')),
    );

    expect(value.name).toBeInstanceOf(Error);
    expect(({} as { name?: unknown }).name).toBeUndefined();
  });
});

const answer = (value: unknown) => ({
  status: 200,
  headers: { 'content-type': 'application/json; charset=utf-8' },
  body: Buffer.from(JSON.stringify(value)),
});

/** The decoded value of a response of a route. */
const valueOf = <Response>(route: Route<string, Response>, from: RestResponse): Response =>
  decode({ route, path: pathOf(route, from) }, from).value as Response;

/** The path of a call, with the ids that its response has. */
const pathOf = ({ path }: Route, { body }: RestResponse): string => {
  const value = JSON.parse(body.toString()) as Readonly<Record<string, unknown>>;
  return path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(
      String(value[name.replace(/_(\w)/g, (_all, letter: string) => letter.toUpperCase())]),
    ),
  );
};

/** The path of each object within a value. */
function pathsOf(root: unknown): Map<unknown, PropertyKey[]> {
  const paths = new Map<unknown, PropertyKey[]>();
  const walk = (value: unknown, path: PropertyKey[]): void => {
    if (typeof value !== 'object' || value === null) return;
    paths.set(value, path);
    if (Array.isArray(value)) value.forEach((inner, i) => walk(inner, [...path, i]));
    else for (const [name, inner] of Object.entries(value)) walk(inner, [...path, name]);
  };
  walk(root, []);
  return paths;
}
