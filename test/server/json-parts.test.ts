/** What is written in parts is what is written at once. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { jsonParts } from '../../src/server/reply/json-parts.ts';

it('is the same text as JSON.stringify writes', () => {
  const date = { at: new Date(0), nothing: undefined, list: [undefined, null, new Date(1)] };
  const values = fc.oneof(fc.jsonValue({ maxDepth: 6 }), fc.constant(date));

  fc.assert(
    fc.property(values, (value) => {
      expect([...jsonParts(value)].join('')).toBe(JSON.stringify(value));
    }),
  );
});

it('has many parts where lists are long, and none that is most of it', () => {
  const many = (count: number, item: unknown) => Array.from({ length: count }, () => item);
  const parts = [
    ...jsonParts({ data: { a: { list: many(100, { b: many(100, { c: 'text' }) }) } } }),
  ];

  const longest = Math.max(...parts.map(({ length }) => length));
  expect(longest).toBeLessThan(parts.join('').length / 50);
});
