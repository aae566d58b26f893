import fc from 'fast-check';
import { describe, it } from 'vitest';
import { fillPath, formatQuery, MAX_ID_LENGTH, segmentFault } from '../../src/rest/client/path.ts';
import type { Route } from '../../src/v0/routes.ts';
import { routes } from '../../src/v0/routes.ts';
import { cases } from '../support/cases.ts';
import { failureOf, openRest } from './open-rest.ts';

const RUNS = cases(2_000);

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

const withHoles = Object.values<Route>(routes).filter(({ path }) => path.includes('{'));
const call = fc.constantFrom(...withHoles).chain((route) => {
  const parameters = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  return fc.record({
    route: fc.constant(route),
    values: fc.record(Object.fromEntries(parameters.map((parameter) => [parameter, id]))),
  });
});

describe('the target of a call', () => {
  it('T42: has one encoded segment for each path parameter, which decodes to the id, or is refused', () => {
    fc.assert(
      fc.property(call, ({ route, values }) => {
        const filled = attempt(() => fillPath(route, values));
        const faults = Object.entries(values)
          .map(([parameter, value]) => segmentFault(value, parameter))
          .filter(Boolean);
        if (faults.length > 0) return filled === undefined;

        const template = route.path.split('/');
        const segments = filled?.split('/') ?? [];
        const normal = new URL(filled ?? '', 'http://backend').pathname;
        return (
          normal === filled &&
          segments.length === template.length &&
          /^[\x21-\x7e]+$/.test(filled) &&
          !/[?#]/.test(filled) &&
          template.every((part, i) =>
            part.startsWith('{')
              ? decodeURIComponent(segments[i]!) === values[part.slice(1, -1)]
              : part === segments[i],
          )
        );
      }),
      { numRuns: RUNS },
    );
  });

  it('T43: has one query parameter for each value, which decodes to the value', () => {
    fc.assert(
      fc.property(id, id, (cursor, query) => {
        const text = formatQuery({ cursor, query, limit: 5, absent: undefined });
        const parsed = new URLSearchParams(text);

        return (
          /^\?[\x21-\x7e]*$/.test(text) &&
          !text.includes('#') &&
          [...parsed.keys()].join() === 'cursor,query,limit' &&
          parsed.get('cursor') === wellFormed(cursor) &&
          parsed.get('query') === wellFormed(query)
        );
      }),
      { numRuns: RUNS },
    );
  });

  it('arrives at the backend byte for byte, or is refused and not sent', async () => {
    const { backend, client } = await openRest();

    await fc.assert(
      fc.asyncProperty(id, id, async (pageId, cursor) => {
        const before = backend.seen.length;
        const name = await failureOf(
          client().call(routes.listAudiences, { path: { page_id: pageId }, query: { cursor } }),
        );

        const targets = backend.seen.slice(before).map((seen) => `${seen.method} ${seen.target}`);
        if (name === 'input') return targets.length === 0;
        const query = encodeURIComponent(wellFormed(cursor));
        return (
          targets.join() === `GET /v0/pages/${encodeURIComponent(pageId)}/audiences?cursor=${query}`
        );
      }),
      { numRuns: 1_000 },
    );
  });
});

const attempt = <Value>(make: () => Value): Value | undefined => {
  try {
    return make();
  } catch {
    return undefined;
  }
};

const wellFormed = (text: string): string => text.replace(/\p{Cs}/gu, '\uFFFD');
