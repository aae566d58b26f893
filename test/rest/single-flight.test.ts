import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Cancel } from '../../src/lib/cancel.ts';
import type { RestClient } from '../../src/rest/client/client.ts';
import { routes } from '../../src/v0/routes.ts';
import { after, held, ok, type Behaviour } from '../support/faults.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { until } from '../support/until.ts';
import { failureOf, openRest, outcome, person, topic } from './open-rest.ts';

const PERSON = 'GET /v0/persons/p';
const getPerson = (client: RestClient, cancel?: Cancel) =>
  client.call(routes.getPerson, { path: { person_id: 'p' } }, { cancel });
const getTopic = (client: RestClient) => client.call(routes.getTopic, { path: { topic_id: 't' } });
const updateTopic = (client: RestClient, title: string) =>
  client.call(routes.updateTopic, { path: { topic_id: 't' }, body: { title } });

describe('single-flight of reads', () => {
  it('makes one call for ten concurrent requests that read the same object', async () => {
    const { backend, client } = await openRest();
    backend.on(PERSON, after(50, ok(person('p'))));
    const clients = Array.from({ length: 10 }, () => client());

    const answers = await Promise.all(clients.map((one) => getPerson(one)));

    expect(backend.hits()).toBe(1);
    expect(new Set(answers).size).toBe(1);
    expect(
      clients.map(({ callLog: journal }) => journal.entries.map(({ source }) => source)),
    ).toEqual([['sent'], ...Array.from({ length: 9 }, () => ['shared'])]);
    expect(clients[1]!.callLog.entries[0]).toMatchObject({ status: 200 });
    expect(clients.map(({ callLog: journal }) => journal.calls)).toEqual([
      1, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    ]);
  });

  it('makes a new call once the response has arrived', async () => {
    const { backend, client } = await openRest();
    backend.on(PERSON, ok(person('p')));

    await getPerson(client());
    await getPerson(client());

    expect(backend.hits()).toBe(2);
  });

  it('shares no read between keys, whatever characters they contain', async () => {
    const { backend, client } = await openRest();
    const keys = ['a', 'b', '["a","/v0/persons/p"]', 'a,', '__proto__'];
    backend.on(
      PERSON,
      after(
        50,
        ok(({ headers }: { headers: Record<string, string> }) =>
          person('p', `for ${headers['x-api-key']}`),
        ),
      ),
    );

    const answers = await Promise.all(keys.map((apiKey) => getPerson(client({ apiKey }))));

    expect(answers.map(({ name }) => name)).toEqual(keys.map((key) => `for ${key}`));
    expect(backend.hits()).toBe(keys.length);
  });

  it('freezes a shared response at every depth', async () => {
    const { backend, client } = await openRest();
    backend.on('GET /v0/persons/p/logs', after(30, ok(logs({ deep: [{ er: 1 }] }))));
    const read = () => client().call(routes.listPersonLogs, { path: { person_id: 'p' } });

    const [one] = await Promise.all([read(), read()]);

    const { payload } = one.items[0]!;
    expect(() => Object.assign(one, { hasMore: true })).toThrow(TypeError);
    expect(() => Object.assign((payload['deep'] as object[])[0]!, { er: 2 })).toThrow(TypeError);
  });

  it('responds to the other callers when the caller who started the call leaves', async () => {
    const { backend, client } = await openRest();
    const answer = held(ok(person('p')));
    backend.on(PERSON, answer.behaviour);
    const leader = new Cancel();

    const led = outcome(getPerson(client({ leaving: leader })));
    const followed = getPerson(client());
    leader.cancel();
    const failure = await led;
    answer.release();

    expect(failure).toMatchObject({ kind: 'cancelled' });
    expect(await followed).toMatchObject({ personId: 'p' });
    expect(backend.hits()).toBe(1);
  });

  it('responds to the caller who started the call when another caller leaves', async () => {
    const { backend, client } = await openRest();
    const answer = held(ok(person('p')));
    backend.on(PERSON, answer.behaviour);
    const follower = new Cancel();

    const led = getPerson(client());
    const followed = outcome(getPerson(client(), follower));
    follower.cancel();
    const failure = await followed;
    answer.release();

    expect(failure).toMatchObject({ kind: 'cancelled' });
    expect(await led).toMatchObject({ personId: 'p' });
  });

  it('sends nothing for a caller who was cancelled before the call', async () => {
    const { backend, client } = await openRest();
    const cancel = new Cancel();
    cancel.cancel();
    const one = client();

    backend.on('GET /v0/topics/t', ok(topic('t')));

    expect(await failureOf(getPerson(one, cancel))).toBe('cancelled');
    await getTopic(client());
    expect(backend.seen.map(({ target }) => target)).toEqual(['/v0/topics/t']);
    expect(one.callLog.entries).toEqual([]);
  });

  it('closes the connection when all callers have left, and makes a new call for a later read', async () => {
    const { backend, client } = await openRest();
    let closed = false;
    const silent: Behaviour = (_response, _seen, socket) => {
      socket.on('close', () => {
        closed = true;
      });
    };
    backend.on(PERSON, silent, ok(person('p')));
    const [one, two] = [new Cancel(), new Cancel()];

    const calls = [one, two].map((leaving) => outcome(getPerson(client({ leaving }))));
    await until(() => backend.hits() === 1);
    one.cancel();
    two.cancel();
    await Promise.all(calls);
    const late = await getPerson(client());
    await until(() => closed);

    expect(late).toMatchObject({ personId: 'p' });
    expect(backend.hits()).toBe(2);
  });

  it('gives each caller its own deadline, and the call the latest deadline', async () => {
    const clock = new FakeClock();
    const { backend, client } = await openRest({ clock });
    const answer = held(ok(person('p')));
    backend.on(PERSON, answer.behaviour);

    const short = failureOf(getPerson(client({ deadlineMs: clock.now() + 100 })));
    const long = getPerson(client({ deadlineMs: clock.now() + 2_000 }));
    await until(() => backend.hits() === 1);
    clock.pass(100);

    expect(await short).toBe('timeout');
    clock.pass(1_899);
    answer.release();
    expect(await long).toMatchObject({ personId: 'p' });
    expect(backend.hits()).toBe(1);
  });

  it('returns a failure to all waiting callers, and makes a new call afterwards', async () => {
    const { backend, client } = await openRest();
    backend.on(PERSON, after(30, ok([])), ok(person('p')));

    const failures = await Promise.all([
      failureOf(getPerson(client())),
      failureOf(getPerson(client())),
    ]);

    expect(failures).toEqual(['invalid_response', 'invalid_response']);
    expect(await getPerson(client())).toMatchObject({ personId: 'p' });
  });
});

describe('a write among shared reads', () => {
  it('separates the reads before it, during it and after it', async () => {
    const { backend, client } = await openRest();
    const before = held(ok(topic('t', 'old')));
    const write = held(ok(topic('t', 'new')));
    const during = held(ok(topic('t', 'either')));
    backend.on('GET /v0/topics/t', before.behaviour, during.behaviour, ok(topic('t', 'new')));
    backend.on('PATCH /v0/topics/t', write.behaviour);

    const early = [getTopic(client()), getTopic(client())];
    await until(() => backend.hits('GET /v0/topics/t') === 1);
    const written = updateTopic(client(), 'new');
    const meanwhile = getTopic(client());
    await until(() => backend.hits() === 3);
    write.release();
    await written;
    const late = await getTopic(client());
    before.release();
    during.release();

    expect(late).toMatchObject({ title: 'new' });
    expect(await Promise.all(early)).toMatchObject([{ title: 'old' }, { title: 'old' }]);
    expect(await meanwhile).toMatchObject({ title: 'either' });
    expect(backend.hits('GET /v0/topics/t')).toBe(3);
  });

  it('is not shared with an identical write', async () => {
    const { backend, client } = await openRest();
    backend.on('PATCH /v0/topics/t', after(20, ok(topic('t'))));

    await Promise.all([updateTopic(client(), 'x'), updateTopic(client(), 'x')]);

    expect(backend.hits()).toBe(2);
  });

  it('is seen by every read that starts after its response, with 32 readers racing one writer', async () => {
    const { backend, client } = await openRest();
    let title = 0; // the backend's state
    const read = async () => {
      const seen = title;
      await sleep(Math.random() * 6);
      return topic('t', String(seen));
    };
    backend.on('GET /v0/topics/t', async (...args) => ok(await read())(...args));
    backend.on('PATCH /v0/topics/t', async (response, seen, socket) => {
      await sleep(Math.random() * 4);
      title = Number((JSON.parse(seen.body) as { title: string }).title);
      await sleep(Math.random() * 4);
      await ok(topic('t', String(title)))(response, seen, socket);
    });
    let written = 0; // the newest title whose write has got a response
    const stale: string[] = [];
    const WRITES = 30;
    let reads = 0;

    const writer = async () => {
      for (let next = 1; next <= WRITES; next++) {
        await updateTopic(client(), String(next));
        written = next;
        await sleep(Math.random() * 10);
      }
    };
    const reader = async (apiKey: string) => {
      while (written < WRITES) {
        const atLeast = written;
        const { title: got } = await getTopic(client({ apiKey }));
        reads += 1;
        if (Number(got) < atLeast) stale.push(`${got} after ${atLeast}`);
      }
    };
    await Promise.all([writer(), ...Array.from({ length: 32 }, (_, i) => reader(`key-${i % 2}`))]);

    expect(stale).toEqual([]);
    expect(written).toBe(WRITES);
    expect(backend.hits('GET /v0/topics/t')).toBeLessThan(reads); // reads were shared
  });
});

const logs = (payload: unknown) => ({
  items: [
    {
      personId: 'p',
      personLogId: 'l',
      source: 's',
      type: 't',
      payload,
      idempotencyKey: null,
      createdAt: '+1700000000000',
      updatedAt: null,
      deletedAt: null,
    },
  ],
  hasMore: false,
  nextCursor: null,
  totalCount: 1,
});
