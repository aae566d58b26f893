import fc from 'fast-check';
import { expect, it } from 'vitest';
import { MAX_ID_LENGTH, segmentFault } from '../../src/rest/client/path.ts';
import { routes, type Route } from '../../src/v0/routes.ts';
import { cases } from '../support/cases.ts';
import { failureOf, openRest } from './open-rest.ts';

/** Ordinary and hostile ids. */
const id = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.string({
    unit: fc.constantFrom(
      ...'./\\?#%&=;:@+ \0\r\n\t',
      '%2e',
      '%2F',
      '..',
      '\uD800',
      '\uDC00',
      'é',
      '𝕏',
    ),
    maxLength: 8,
  }),
  fc.constantFrom('.', '..', '', '...', '%2e%2e', 'search', '__proto__', 'constructor', '$&', '$1'),
  fc.nat({ max: MAX_ID_LENGTH + 2 }).map((n) => 'x'.repeat(n)),
);

const HOLE = /\{(\w+)\}/g;

const reads = Object.values<Route>(routes).filter(
  ({ method, path }) => method === 'GET' && path.includes('{'),
);
const read = fc.constantFrom(...reads).chain((route) => {
  const parameters = [...route.path.matchAll(HOLE)].map(([, name]) => name!);
  return fc.record({
    route: fc.constant(route),
    path: fc.record(Object.fromEntries(parameters.map((parameter) => [parameter, id]))),
    cursor: id,
  });
});

it('each path parameter of a call arrives as one segment of the template, byte for byte, or the call is rejected and not sent', async () => {
  const { backend, client } = await openRest();

  await fc.assert(
    fc.asyncProperty(read, async ({ route, path, cursor }) => {
      const before = backend.seen.length;
      // Every read has its own parameters template.
      const listed = route as typeof routes.listAudiences;
      const input = { path: path as { readonly page_id: string }, query: { cursor } };
      const failure = await failureOf(client().call(listed, input));

      const isRefused = Object.entries(path).some(([name, value]) => segmentFault(value, name));
      const targets = backend.seen.slice(before).map((seen) => seen.target);
      if (isRefused) expect(targets).toEqual([]);
      else {
        const filled = route.path.replace(HOLE, (_, name: string) =>
          encodeURIComponent(path[name]!),
        );
        const query = `?cursor=${encodeURIComponent(cursor.toWellFormed())}`;
        expect(targets).toEqual([filled + query]);
        expect(new URL(filled, backend.url).pathname, 'no segment is resolved').toBe(filled);
      }
      expect(failure === 'input').toBe(isRefused);
    }),
    { numRuns: cases(500) },
  );
});
