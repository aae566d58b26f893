/** Reserved words of the route table: ids that would turn a path into another route. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fillPath } from '../../src/rest/client/path.ts';
import { isReserved, routes, reservedWords, type Route } from '../../src/v0/routes.ts';

const table = Object.values<Route>(routes);
const parametersOf = (path: string): string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter!);

/** Every literal segment of the table, and strings that resemble one. */
const words = [...new Set(table.flatMap(({ path }) => path.split('/')))].filter(
  (word) => word !== '' && !word.startsWith('{'),
);
const lookalikes = words.flatMap((word) => [
  word.toUpperCase(),
  `${word.charAt(0).toUpperCase()}${word.slice(1)}`,
  `%${word.charCodeAt(0).toString(16)}${word.slice(1)}`,
  `${word}/`,
  ` ${word}`,
  `${word}?`,
]);

/**
 * The routes that most routers match to a path: a literal segment goes before a parameter, whatever the method.
 */
function matches(paths: readonly string[], target: string): string[] {
  const segments = target.split('/');
  const found = paths
    .map((path) => path.split('/'))
    .filter(
      (template) =>
        template.length === segments.length &&
        template.every((part, i) => part.startsWith('{') || part === segments[i]),
    );
  return found
    .filter((one) => !found.some((other) => other.some((part, i) => isLiteral(part, one[i]!))))
    .map((template) => template.join('/'));
}

const isLiteral = (part: string, parameter: string): boolean =>
  parameter.startsWith('{') && !part.startsWith('{');

const fill = (path: string, values: Readonly<Record<string, string>>): string =>
  path.replace(/\{(\w+)\}/g, (_, parameter: string) => values[parameter]!);

describe('an id in a path', () => {
  it('never turns the path into another route, even if it is or resembles a segment of the table', () => {
    const id = fc.oneof(fc.constantFrom(...words, ...lookalikes), fc.constantFrom('a', 'b1'));
    const paths = table.map(({ path }) => path);
    let refused = 0;
    fc.assert(
      fc.property(
        fc.constantFrom(...table),
        fc.array(id, { minLength: 3, maxLength: 3 }),
        (route, ids) => {
          const parameters = parametersOf(route.path);
          const values = Object.fromEntries(parameters.map((parameter, i) => [parameter, ids[i]!]));
          if (parameters.some((parameter) => isReserved(parameter, values[parameter]!))) {
            refused += 1;
            expect(() => fillPath(route, values)).toThrow(/another route/);
            return;
          }
          expect(new Set(matches(paths, fillPath(route, values)))).toEqual(new Set([route.path]));
        },
      ),
      { numRuns: 5_000 },
    );
    expect(refused).toBeGreaterThan(0);
  });

  it('is rejected as "search" for a page and for an account', () => {
    expect(() => fillPath(routes.getPage, { page_id: 'search' })).toThrow(/"page_id".*"search"/);
    expect(() => fillPath(routes.getAccount, { account_id: 'search' })).toThrow(
      /"account_id".*"search"/,
    );
  });

  it.each(lookalikes)('is accepted when it only resembles a reserved word: %s', (word) => {
    expect(fillPath(routes.getPage, { page_id: word })).toBe(
      `/v0/pages/${encodeURIComponent(word)}`,
    );
  });

  it('never turns the path into another route of any table', () => {
    const part = fc.constantFrom('a', 'b', 'c', '{x}', '{y}', '{z}');
    const path = fc
      .array(part, { minLength: 1, maxLength: 4 })
      .map((parts) => `/${parts.join('/')}`);
    const tables = fc.uniqueArray(path, { minLength: 2, maxLength: 8 });
    const value = fc.constantFrom('a', 'b', 'c', 'd');

    fc.assert(
      fc.property(tables, value, value, value, (paths, x, y, z) => {
        const reserved = reservedWords(paths);
        const values = { x, y, z };
        for (const path of paths) {
          if (
            parametersOf(path).some((parameter) =>
              reserved.get(parameter)?.has(values[parameter as 'x']),
            )
          )
            continue;
          const shape = (one: string) => one.replace(/\{\w+\}/g, '{}');
          expect(new Set(matches(paths, fill(path, values)).map(shape))).toEqual(
            new Set([shape(path)]),
          );
        }
      }),
      { numRuns: 5_000 },
    );
  });
});
