/**
 * T70: the memory of the decode cache stays within its bound for responses of any shape.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { DecodeCache } from '../../src/rest/decode/decode-cache.ts';
import { routes } from '../../src/v0/routes.ts';
import type { Call } from '../../src/rest/call/call.ts';
import { person } from '../rest/open-rest.ts';

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as () => void;

/** Bytes in use after a collection. */
function memory(): number {
  for (let i = 0; i < 2; i++) gc();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

const MAX_BYTES = 4_000_000;

/** Each writes a JSON text of about `count` values, which differs from those of other responses. */
const SHAPES: Readonly<Record<string, (count: number, answer: number) => string>> = {
  'empty objects': (count) => `[${Array(count).fill('{}').join()}]`,
  'empty lists': (count) => `[${Array(count).fill('[]').join()}]`,
  'objects of one field': (count) => `[${Array(count).fill('{"a":1}').join()}]`,
  'objects that each have another field': (count, answer) =>
    `[${Array.from({ length: count / 2 }, (_, i) => `{"k${answer}_${i}":1}`).join()}]`,
  'objects with the same fields in other orders': (count, answer) =>
    `[${Array.from({ length: count / 8 }, (_, i) => `{${shuffled(answer * count + i).join()}}`).join()}]`,
  'objects with an index for a field': (count, answer) =>
    `[${Array.from({ length: count / 2 }, (_, i) => `{"${answer * 7_919 + i * 997}":1}`).join()}]`,
  'an object of many fields': (count, answer) =>
    `{${Array.from({ length: count }, (_, i) => `"f${answer}_${i}":1`).join()}}`,
  fractions: (count) => `[${Array.from({ length: count }, (_, i) => `${i}.5`).join()}]`,
  'fields with fractions': (count) =>
    `[${Array.from({ length: count / 2 }, (_, i) => `{"a":${i}.25}`).join()}]`,
  'short strings': (count, answer) =>
    `[${Array.from({ length: count }, (_, i) => `"${answer}x${i}"`).join()}]`,
  'short strings of wide characters': (count, answer) =>
    `[${Array.from({ length: count }, (_, i) => `"${answer}ж${i}"`).join()}]`,
  'one long text': (count, answer) => `"${String(answer).padEnd(count * 8, 'ж')}"`,
  'ordinary objects': (count, answer) =>
    `[${Array.from({ length: count / 16 }, (_, i) => JSON.stringify(person(`p${answer}-${i}`))).join()}]`,
};

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];

function shuffled(seed: number): string[] {
  const left = [...NAMES];
  const fields: string[] = [];
  for (let rest = seed * 7_919; left.length > 0; rest = Math.floor(rest / 3)) {
    fields.push(`"${left.splice(rest % left.length, 1)[0]}":1`);
  }
  return fields;
}

const headers = { 'content-type': 'application/json' };

/** The size, in most shapes, of the largest responses that are kept. */
const VALUES = 1_800;

it.each(Object.entries(SHAPES))(
  'T70 the decode cache stays within its limit for responses with %s',
  (_name, shape) => {
    const cache = new DecodeCache(MAX_BYTES);
    const fill = (from: number, to: number): void => {
      for (let i = from; i < to; i++) {
        const whole = JSON.stringify({ ...person(`p${i}`), extra: 0 });
        const body = Buffer.from(whole.replace('"extra":0', () => `"extra":${shape(VALUES, i)}`));
        // Only its route and path matter to the cache.
        const call = { route: routes.getPerson, path: `/v0/persons/p${i}` } as Call;
        // The second time it is kept, the third time frozen.
        for (let turn = 0; turn < 3; turn++) cache.decode(call, { status: 200, headers, body });
      }
    };
    new DecodeCache(MAX_BYTES); // its own code and tables
    const before = memory();

    fill(0, 100);

    const taken = memory() - before;
    expect(taken).toBeLessThan(MAX_BYTES + 500_000);
    expect(cache).toBeDefined(); // alive until here
  },
);
