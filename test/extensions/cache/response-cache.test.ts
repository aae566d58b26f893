/** The response cache in memory: which responses it contains, how long, and for which callers. */
import { describe, expect, it } from 'vitest';
import { ResponseCache } from '../../../src/extensions/cache/response-cache.ts';
import { NOW } from '../../../src/rest/call/call.ts';
import type { RequestScope, RestClient } from '../../../src/rest/client/client.ts';
import { routes } from '../../../src/v0/routes.ts';
import { openRest, outcome, topic, type Rest, type RestOptions } from '../../rest/open-rest.ts';
import { held, ok, status, text, type Behaviour } from '../../support/faults.ts';
import { inTimeZone, fakeTime } from '../../support/fake-clock.ts';

const TOPIC = 'GET /v0/topics/t';
const TTL = new Map([[routes.getTopic.path, 30_000]]);

const openCached = (
  { maxBytes = 1_000_000, ttls = new Map<string, number>() } = {},
  options: RestOptions = {},
) => openRest({ cache: new ResponseCache({ maxBytes, ttls }), ...options });

const read = async (client: RestClient, topic_id = 't'): Promise<string> =>
  (await client.call(routes.getTopic, { path: { topic_id } })).title;

const write = (client: RestClient) =>
  client.call(routes.updateTopic, { path: { topic_id: 't' }, body: { title: 'n' } });

/** Reads the topic by so many requests in turn: the source and the title of each. */
async function readAll(rest: Rest, count: number, scope?: Partial<RequestScope>) {
  const seen: string[] = [];
  for (let i = 0; i < count; i++) {
    const client = rest.client(scope);
    const title = await read(client);
    seen.push(`${client.callLog.entries.map(({ source }) => source).join()} ${title}`);
  }
  return seen;
}

/** Returns 1, 2, 3, … as the title, with these headers. */
function counting(headers: Readonly<Record<string, string>> = {}): Behaviour {
  let count = 0;
  return ok(() => topic('t', String((count += 1))), headers);
}

describe('CACHE_TTL', () => {
  it('serves a response from the cache until the TTL of its route has expired', async () => {
    const time = fakeTime();
    const rest = await openCached({ ttls: TTL });
    rest.backend.on(TOPIC, counting());

    expect(await readAll(rest, 3)).toEqual(['sent 1', 'cached 1', 'cached 1']);
    time.nowMs += 29_999;
    expect(await readAll(rest, 1)).toEqual(['cached 1']);
    time.nowMs += 1;
    expect(await readAll(rest, 2)).toEqual(['sent 2', 'cached 2']);
  });

  it('does not cache other routes, failures, or responses that violate the contract', async () => {
    const rest = await openCached({ ttls: TTL });
    rest.backend.on('GET /v0/persons/p', status(404));
    rest.backend.on(TOPIC, status(404), text('{}'), ok({ ...topic('t'), title: 7 }), counting());

    for (let i = 0; i < 3; i++) await outcome(read(rest.client()));
    expect(await readAll(rest, 2)).toEqual(['sent 1', 'cached 1']);
    const find = () => rest.client().find(routes.getPerson, { path: { person_id: 'p' } });
    expect([await find(), await find()]).toEqual([null, null]);
    expect(rest.backend.hits('GET /v0/persons/p')).toBe(2);
  });

  it('caches responses separately for each of 50 API keys and each set of forwarded headers', async () => {
    const rest = await openCached({ ttls: TTL });
    rest.backend.on(
      TOPIC,
      ok(({ headers }: { headers: Record<string, string> }) =>
        topic('t', `${headers['x-api-key']} ${headers['accept-language']}`),
      ),
    );

    for (const source of ['sent', 'cached']) {
      for (let key = 0; key < 50; key++) {
        for (const language of ['de', 'fr']) {
          const scope = { apiKey: `key-${key}`, forwarded: ['accept-language', language] };
          expect(await readAll(rest, 1, scope)).toEqual([`${source} key-${key} ${language}`]);
        }
      }
    }
  });

  it('evicts the oldest response, not the newest, when maxBytes is reached', async () => {
    const rest = await openCached({ ttls: TTL, maxBytes: 100_000 });
    rest.backend.on(
      '*',
      ok(({ target }: { target: string }) => topic(target.split('/').at(-1)!)),
    );

    for (let i = 0; i < 100; i++) await read(rest.client(), `t${i}`);
    const last = rest.client();
    await read(last, 't99');
    const first = rest.client();
    await read(first, 't0');

    expect(last.callLog.calls).toBe(0);
    expect(first.callLog.calls).toBe(1);
  });

  it('freezes cached responses, so that no caller can change them for others', async () => {
    const rest = await openCached({ ttls: TTL });
    rest.backend.on(TOPIC, counting());
    await read(rest.client());

    const kept = await rest.client().call(routes.getTopic, { path: { topic_id: 't' } });

    expect(() => Object.assign(kept, { title: 'changed' })).toThrow(TypeError);
    expect(await readAll(rest, 1)).toEqual(['cached 1']);
  });

  it('counts a cached response against the call budget', async () => {
    const rest = await openCached({ ttls: TTL });
    rest.backend.on('*', ok(topic('t')));
    await read(rest.client());

    const client = rest.client({ maxCalls: 1 });
    await read(client);

    expect(await outcome(read(client))).toMatchObject({ kind: 'budget' });
    expect(client.callLog.calls).toBe(0);
  });
});

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toUTCString();

/** `Sun Nov  6 08:49:37 1994` */
function asctime(ago: number): string {
  const [day = '', date = '', month, year, time] = minutesAgo(ago).split(' ');
  return `${day.slice(0, 3)} ${month} ${String(Number(date)).padStart(2)} ${time} ${year}`;
}

describe('the caching headers of a response', () => {
  it.each([
    ['max-age=60', { 'cache-control': 'max-age=60' }, 60],
    ['private, max-age=60', { 'cache-control': 'private, max-age=60' }, 60],
    ['Max-Age=60', { 'cache-control': 'Max-Age=60' }, 60],
    ['max-age before Expires', { 'cache-control': 'max-age=60', expires: minutesAgo(-9) }, 60],
    ['Age', { 'cache-control': 'max-age=60', age: '20' }, 40],
    ['an Age above max-age', { 'cache-control': 'max-age=60', age: '61' }, 0],
    ['a negative Age', { 'cache-control': 'max-age=60', age: '-20' }, 60],
    ['s-maxage alone', { 'cache-control': 's-maxage=60' }, 0],
    ['max-age and a longer s-maxage', { 'cache-control': 's-maxage=600, max-age=60' }, 60],
    ['stale-while-revalidate', { 'cache-control': 'max-age=60, stale-while-revalidate=600' }, 60],
    ['stale-if-error', { 'cache-control': 'max-age=60, stale-if-error=600' }, 60],
    ['must-revalidate', { 'cache-control': 'max-age=60, must-revalidate' }, 60],
    ['no-store', { 'cache-control': 'no-store, max-age=60' }, 0],
    ['No-Store', { 'cache-control': 'No-Store, max-age=60' }, 0],
    ['no-cache', { 'cache-control': 'no-cache, max-age=60' }, 0],
    ['max-age=0', { 'cache-control': 'max-age=0' }, 0],
    ['one max-age twice', { 'cache-control': 'max-age=60, private, max-age=60' }, 60],
    ['two max-age', { 'cache-control': 'max-age=60, max-age=600' }, 0],
    ['a max-age that is no number', { 'cache-control': 'max-age=soon' }, 0],
    ['Pragma', { pragma: 'no-cache' }, 0],
    ['an Expires that is no date', { expires: '0' }, 0],
    ['immutable without an age', { 'cache-control': 'immutable' }, 0],
    ['an old Last-Modified alone', { 'last-modified': minutesAgo(9_999) }, 0],
    ['Vary: *', { 'cache-control': 'max-age=60', vary: 'accept, *' }, 0],
    ['Vary by request', { 'cache-control': 'max-age=60', vary: 'X-Request-Id' }, 0],
    ['Vary by key', { 'cache-control': 'max-age=60', vary: 'x-api-key, Accept, Origin' }, 60],
  ])('determine how long it is fresh: %s', async (_name, headers, seconds) => {
    const time = fakeTime();
    const rest = await openCached({ ttls: new Map() });
    // On a busy machine the server's own Date may be more than a second old when it is read.
    const date = minutesAgo(-1);
    rest.backend.on(TOPIC, counting({ date, ...headers }));

    await read(rest.client());
    time.nowMs += Math.max(0, seconds * 1_000 - 1);
    expect(await readAll(rest, 1)).toEqual([seconds > 0 ? 'cached 1' : 'sent 2']);
    time.nowMs += 1;
    expect((await readAll(rest, 1))[0]).toContain('sent');
  });

  it('measure Expires against Date, and count the time since Date as age', async () => {
    const rest = await openCached();
    const expiring = { expires: minutesAgo(-10), date: minutesAgo(0) };
    rest.backend.on(TOPIC, counting(expiring));
    expect(await readAll(rest, 2)).toEqual(['sent 1', 'cached 1']);

    rest.backend.on('*', ok(topic('old'), { 'cache-control': 'max-age=60', date: minutesAgo(2) }));
    await read(rest.client(), 'old');
    const again = rest.client();
    await read(again, 'old');
    expect(again.callLog.calls).toBe(1);
  });

  it.each(['America/New_York', 'Asia/Tokyo', 'UTC'])(
    'measure an asctime date in Expires in UTC in the time zone %s',
    async (zone) => {
      inTimeZone(zone);
      const time = fakeTime();
      const rest = await openCached();
      rest.backend.on(TOPIC, counting({ expires: asctime(-10), date: asctime(0) }));

      expect(await readAll(rest, 2)).toEqual(['sent 1', 'cached 1']);
      time.nowMs += 11 * 60_000;
      expect(await readAll(rest, 1)).toEqual(['sent 2']);
    },
  );

  it('take precedence over CACHE_TTL', async () => {
    const rest = await openCached({ ttls: TTL });
    rest.backend.on(TOPIC, counting({ 'cache-control': 'no-store' }));

    expect(await readAll(rest, 2)).toEqual(['sent 1', 'sent 2']);
  });
});

describe('a stale response', () => {
  it('is revalidated by its ETag, and is then fresh for the max-age of the 304', async () => {
    const time = fakeTime();
    const rest = await openCached({}, { exposeHeaders: ['x-version', 'x-served-by'] });
    rest.backend.on(
      TOPIC,
      ok(topic('t', 'first'), { etag: 'W/"1"', 'x-version': '1', 'x-served-by': 'one' }),
      (response, { headers }) => {
        expect(headers['if-none-match']).toBe('W/"1"');
        response.writeHead(304, { 'cache-control': 'max-age=10', 'x-served-by': 'two' }).end();
      },
      ok(topic('t', 'second')),
    );

    expect(await readAll(rest, 3)).toEqual(['sent first', 'sent first', 'cached first']);
    const kept = rest.client();
    await read(kept);
    expect(kept.callLog.exposed).toEqual(new Map([['x-version', '1'], ['x-served-by', 'two']])); // prettier-ignore
    time.nowMs += 10_000;
    expect(await readAll(rest, 2)).toEqual(['sent second', 'sent second']);
    expect(rest.backend.seen.map(({ headers }) => headers['if-none-match'])).toEqual([
      ...[undefined, 'W/"1"', 'W/"1"', undefined],
    ]);
  });

  it.each([
    ['weakened', '"1"', 'W/"1"', ['sent first', 'sent first']],
    ['made strong', 'W/"1"', '"1"', ['sent first', 'sent first']],
    ['another', '"1"', '"2"', ['sent first', 'sent,sent second']],
  ])(
    'is used after a 304, unless the ETag of the 304 identifies another response: %s',
    async (_why, etag, confirmed, seen) => {
      const rest = await openCached();
      rest.backend.on(
        TOPIC,
        ok(topic('t', 'first'), { etag }),
        (response) => void response.writeHead(304, { etag: confirmed }).end(),
        ok(topic('t', 'second'), { etag: confirmed }),
      );

      expect(await readAll(rest, 2)).toEqual(seen);
      expect(rest.backend.seen[2]?.headers['if-none-match']).toBeUndefined();
    },
  );

  it('is revalidated by Last-Modified, but not after a write, since two states within a second share it', async () => {
    const rest = await openCached();
    rest.backend.on('PATCH /v0/topics/t', ok(topic('t')));
    rest.backend.on(TOPIC, counting({ 'last-modified': minutesAgo(5) }));
    await readAll(rest, 2);
    await write(rest.client());
    await readAll(rest, 1);

    const asked = rest.backend.seen
      .filter(({ method }) => method === 'GET')
      .map(({ headers }) => headers['if-modified-since'] !== undefined);
    expect(asked).toEqual([false, true, false]);
  });

  it('is not served while the backend fails', async () => {
    const rest = await openCached();
    const headers = { 'cache-control': 'max-age=0, stale-if-error=600', etag: '"1"' };
    rest.backend.on(TOPIC, ok(topic('t'), headers), status(500));
    await read(rest.client());

    expect(await outcome(read(rest.client()))).toMatchObject({ status: 500 });
  });
});

describe('a write', () => {
  const openWritten = async () => {
    const rest = await openCached({ ttls: TTL });
    const writing = held(ok(topic('t')));
    rest.backend.on('PATCH /v0/topics/t', writing.behaviour);
    return { rest, writing };
  };

  it('invalidates the cached responses of its API key only', async () => {
    const { rest, writing } = await openWritten();
    writing.release();
    rest.backend.on(TOPIC, counting());
    await readAll(rest, 1);
    await readAll(rest, 1, { apiKey: 'key-b' });

    await write(rest.client());

    expect(await readAll(rest, 2)).toEqual(['sent 3', 'cached 3']);
    expect(await readAll(rest, 1, { apiKey: 'key-b' })).toEqual(['cached 2']);
  });

  it('keeps a read that began before it out of the cache', async () => {
    const { rest, writing } = await openWritten();
    writing.release();
    const old = held(ok(topic('t', 'old')));
    rest.backend.on(TOPIC, old.behaviour, ok(topic('t', 'new')));
    const slow = read(rest.client());
    while (rest.backend.hits() === 0) await new Promise(setImmediate);

    await write(rest.client());
    old.release();

    expect(await slow).toBe('old');
    expect(await readAll(rest, 2)).toEqual(['sent new', 'cached new']);
  });

  it('keeps a read that began during it out of the cache', async () => {
    const { rest, writing } = await openWritten();
    rest.backend.on(TOPIC, ok(topic('t', 'old')), ok(topic('t', 'new')));
    const written = write(rest.client());
    expect(await readAll(rest, 1)).toEqual(['sent old']);

    writing.release();
    await written;

    expect(await readAll(rest, 1)).toEqual(['sent new']);
  });

  it('invalidates cached responses when its outcome is unknown', async () => {
    const { rest } = await openWritten();
    rest.backend.on('PATCH /v0/topics/t', status(500));
    rest.backend.on(TOPIC, counting());
    await readAll(rest, 1);

    expect(await outcome(write(rest.client()))).toMatchObject({ kind: 'outcome_unknown' });

    expect(await readAll(rest, 1)).toEqual(['sent 2']);
  });

  it('makes later reads of the same request bypass the cache', async () => {
    const { rest, writing } = await openWritten();
    writing.release();
    rest.backend.on(TOPIC, counting());
    const client = rest.client();
    await write(client);
    await readAll(rest, 1);

    expect(await read(client)).toBe('2');
    expect(client.callLog.entries.map(({ source }) => source)).toEqual(['sent', 'sent']);
  });
});

it('a request for current data bypasses the cache and the single-flight of other requests', async () => {
  const rest = await openCached({ ttls: TTL });
  rest.backend.on(TOPIC, counting());
  await readAll(rest, 1);

  expect(await readAll(rest, 2, { newerThan: NOW })).toEqual(['sent 2', 'sent 3']);
  const together = [read(rest.client()), read(rest.client({ newerThan: NOW }))];
  expect(await Promise.all(together)).toEqual(['3', '4']);
});
