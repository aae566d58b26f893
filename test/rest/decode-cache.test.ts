import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RestClient } from '../../src/rest/client/client.ts';
import { decode } from '../../src/rest/decode/decode.ts';
import { hasKind, type RestError } from '../../src/rest/call/errors.ts';
import type { RestResponse, Call } from '../../src/rest/call/call.ts';
import { DecodeCache, MAX_MISSES, READS } from '../../src/rest/decode/decode-cache.ts';
import { routes } from '../../src/v0/routes.ts';
import { ok, status, text } from '../support/faults.ts';
import { failureOf, getPerson, openRest, person } from './open-rest.ts';

const PERSON = 'GET /v0/persons/p';

/** The responses to one request after another. */
async function inTurn(client: () => RestClient, times: number) {
  const answers = [];
  for (let i = 0; i < times; i++) answers.push(await getPerson(client()));
  return answers;
}

describe('a repeated response', () => {
  it('is not decoded again after the third time, and its value is frozen', async () => {
    const { backend, client } = await openRest();
    backend.on(PERSON, ok(person('p')));

    const [first, second, third, fourth, fifth] = await inTurn(client, 5);

    expect(backend.hits()).toBe(5);
    // The first two responses are not kept: most are never requested again.
    expect(second).not.toBe(first);
    expect(third).not.toBe(second);
    expect(fourth).toBe(third);
    expect(fifth).toBe(third);
    expect(fifth).toEqual(person('p'));
    expect(Object.isFrozen(fifth)).toBe(true);
  });

  it('is decoded again when a single letter differs', async () => {
    const { backend, client } = await openRest();
    const names = ['Ada', 'Ada', 'Ada', 'Ada', 'Eda', 'Ada', 'Ada', 'Ada'];
    backend.on(PERSON, ...names.map((name) => ok(person('p', name))));

    const answers = await inTurn(client, names.length);

    expect(answers.map(({ name }) => name)).toEqual(names);
    expect(answers[3]).toBe(answers[2]);
    expect(answers[7]).toBe(answers[6]);
    expect(answers[6]).not.toBe(answers[3]);
  });

  it('is rejected when its content type is not JSON', async () => {
    const { backend, client } = await openRest();
    const json = ok(person('p'));
    const page = text(JSON.stringify(person('p')), 'text/html');
    backend.on(PERSON, json, json, json, page);
    await inTurn(client, 3);

    expect(await failureOf(getPerson(client()))).toBe('invalid_response');
  });

  it('is not returned to a caller that the backend rejects', async () => {
    const { backend, client } = await openRest();
    const json = ok(person('p'));
    backend.on(PERSON, json, json, json, status(403));
    await inTurn(() => client({ apiKey: 'key-a' }), 3);

    expect(await failureOf(getPerson(client({ apiKey: 'key-b' })))).toBe('status');
  });

  it('is not cached when the backend sends no-store', async () => {
    const { backend, client } = await openRest();
    backend.on(PERSON, ok(person('p'), { 'cache-control': 'private, no-store' }));

    expect(new Set(await inTurn(client, 4)).size).toBe(4);
  });

  it('has errors with the request id of the current call', async () => {
    const { backend, client } = await openRest();
    const ids = ['r1', 'r2', 'r3', 'r4'];
    backend.on(PERSON, ...ids.map((id) => ok({ ...person('p'), name: 7 }, { 'x-request-id': id })));

    const names = (await inTurn(client, 4)).map(({ name }) => name as unknown);

    expect(names.every((name) => hasKind(name, 'invalid_response'))).toBe(true);
    expect(names.map((name) => (name as RestError).requestId)).toEqual(ids);
  });
});

const read = (id: string): Call => ({ route: routes.getPerson, path: `/v0/persons/${id}` }) as Call;

const answer = (value: unknown): RestResponse => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(JSON.stringify(value)),
});

describe('the decode cache', () => {
  /** Whether the fourth of equal responses is the third one's value. */
  const isCachedBy = (cache: DecodeCache, id: string): boolean => {
    const decodedOf = () => cache.decode(read(id), answer(person(id))).value;
    return [1, 2, 3].map(decodedOf).at(-1) === decodedOf();
  };

  it('pauses for a route whose responses never repeat, until they do', () => {
    const cache = new DecodeCache();
    const isCached = (id: string) => isCachedBy(cache, id);
    for (let i = 0; i < MAX_MISSES; i++) cache.decode(read('p'), answer(person('p', `name ${i}`)));
    const others = Array.from({ length: READS / 3 }, (_, i) => `other-${i}`);

    const firstCached = others.findIndex(isCached);

    expect(firstCached).toBeGreaterThan(0);
    expect(others.slice(firstCached).every(isCached)).toBe(true);
  });

  it('pauses for a route whose responses rarely repeat', () => {
    const cache = new DecodeCache();
    expect(isCachedBy(cache, 'p')).toBe(true);
    for (let i = 0; i < 2 * MAX_MISSES; i++) {
      cache.decode(read('p'), answer(person('p', `name ${i}`)));
      if (i % 40 === 0) isCachedBy(cache, 'p');
    }

    expect(isCachedBy(cache, 'other-0')).toBe(false);
  });

  it('evicts a response to store newer ones', () => {
    const cache = new DecodeCache(40_000);
    const decodedOf = (id: string) => cache.decode(read(id), answer(person(id))).value;
    decodedOf('p');
    decodedOf('p');
    const kept = decodedOf('p');
    expect(decodedOf('p')).toBe(kept);

    for (let i = 0; i < 600; i++) decodedOf(`other-${Math.floor(i / 3)}`);

    expect(decodedOf('p')).not.toBe(kept);
  });

  it('stores at most sixteen megabytes of responses', () => {
    const cache = new DecodeCache();
    // A string takes its bytes, and twice its length in V8.
    const megabyte = 'x'.repeat((1_024 * 1_024) / 3 - 1_024);
    const answers = Array.from({ length: 20 }, (_, i) => answer(person(`p${i}`, megabyte)));
    const decodedOf = (i: number) => cache.decode(read(`p${i}`), answers[i]!).value;
    answers.forEach((_, i) => [1, 2, 3].forEach(() => decodedOf(i)));

    const kept = answers.map((_, i) => 19 - i).filter((i) => decodedOf(i) === decodedOf(i));

    expect(kept).toEqual([19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4]);
  });

  it('does not store a response that is too large', () => {
    const cache = new DecodeCache(10_000);
    const large = answer(person('p', 'x'.repeat(1_000)));

    const values = [1, 2, 3, 4].map(() => cache.decode(read('p'), large).value);

    expect(new Set(values).size).toBe(4);
  });

  it('returns the same values as decoding without the cache', () => {
    const small = fc.nat({ max: 2 }).map(String);

    fc.assert(
      fc.property(fc.array(fc.tuple(small, small), { maxLength: 40 }), (asked) => {
        const cache = new DecodeCache(16_000);
        for (const [id, name] of asked) {
          const from = answer(person(id, name));
          expect(cache.decode(read(id), from)).toEqual(decode(read(id), from));
        }
      }),
    );
  });
});
