/**
 * Recording and replaying the responses of a backend: faults, sequences, keys, misses.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { RestClient } from '../../../src/rest/client/client.ts';
import { createUpstream } from '../../../src/rest/upstream.ts';
import { openRecorder } from '../../../src/extensions/recording/recorder.ts';
import { openReplay, type Miss } from '../../../src/extensions/recording/replayer.ts';
import { BackendDispatcher } from '../../../src/rest/transport/dispatcher.ts';
import { Cancel } from '../../../src/lib/cancel.ts';
import { routes } from '../../../src/v0/routes.ts';
import { harFaults } from '../../browser/har.ts';
import { openFolder } from '../../support/folder.ts';
import {
  after,
  cut,
  ok,
  raw,
  reset,
  silence,
  status,
  text,
  type Behaviour,
} from '../../support/faults.ts';
import { openFaultUpstream } from '../../support/fault-upstream.ts';
import { scopeOf } from '../../support/settings.ts';
import { until } from '../../support/until.ts';
import { NO_BREAKER, outcome, person, topic } from '../../rest/open-rest.ts';

const KEY = 'secret-key+of/tenant==a';

function clientsOf(
  dispatcher: Parameters<typeof createUpstream>[0]['dispatcher'],
  options: Partial<Parameters<typeof createUpstream>[0]> = {},
) {
  const upstream = createUpstream({
    dispatcher,
    pathPrefix: '',
    routeSet: 'extended',
    timeoutMs: 3_000,
    breaker: NO_BREAKER,
    ...options,
  });
  return (apiKey: string = KEY, requestTimeoutMs: number = 6_000): RestClient =>
    upstream(scopeOf({ apiKey, deadlineMs: performance.now() + requestTimeoutMs }));
}

/** A recorder in front of a backend with a script for each route. */
async function openRecording(
  scripts: Readonly<Record<string, readonly Behaviour[]>>,
  options: Partial<Parameters<typeof openRecorder>[1]> = {},
) {
  const folder = options.folder ?? openFolder();
  const backend = await openFaultUpstream();
  for (const [route, turns] of Object.entries(scripts)) backend.on(route, ...turns);
  const dispatcher = new BackendDispatcher(backend.url);
  const leftOut: string[] = [];
  const recorder = openRecorder(dispatcher, {
    ...{ folder, name: 'journey', pathPrefix: '', routeSet: 'extended' as const },
    onLeftOut: (why) => leftOut.push(why),
    ...options,
  });
  onTestFinished(async () => {
    await dispatcher.destroy();
    await backend.stop();
  });
  const har = () => JSON.parse(readFileSync(recorder.file, 'utf8'));
  return { folder, backend, client: clientsOf(recorder), leftOut, recorder, har };
}

function openReplayOf(folder: string, options: Partial<Parameters<typeof openReplay>[0]> = {}) {
  const misses: Miss[] = [];
  const replay = openReplay({
    folder,
    speed: 1_000,
    onMiss: (miss) => misses.push(miss),
    ...options,
  });
  return { client: clientsOf(replay), misses, replay };
}

const readPerson = (client: RestClient, personId = 'p1', cancel?: Cancel) =>
  outcome(client.call(routes.getPerson, { path: { person_id: personId } }, { cancel }));

const readTopic = (client: RestClient) =>
  outcome(client.call(routes.getTopic, { path: { topic_id: 't1' } }));

const rename = (client: RestClient, title: string) =>
  outcome(client.call(routes.updateTopic, { path: { topic_id: 't1' }, body: { title } }));

/** An outcome without the fields that differ from run to run. */
const comparable = (result: unknown): unknown =>
  result instanceof Error
    ? { ...result, name: result.name, message: result.message, cause: undefined }
    : result;

const PERSON = 'GET /v0/persons/p1';
const TOPIC = 'GET /v0/topics/t1';

describe('a recording', () => {
  it('is a valid HAR with requests and bodies, written after each exchange', async () => {
    const { client, har } = await openRecording({
      [PERSON]: [ok(person('p1'))],
      'PATCH /v0/topics/t1': [ok(topic('t1', 'Novedades €'))],
    });

    const before = har();
    await readPerson(client());
    const between = har();
    await rename(client(), 'Novedades €');

    expect(before.log.entries).toEqual([]);
    expect(between.log.entries).toHaveLength(1);
    expect(harFaults(har())).toEqual([]);
    const [read, write] = har().log.entries;
    expect(read.request.url).toBe('http://backend/v0/persons/p1');
    expect(write.request.postData.text).toBe('{"title":"Novedades €"}');
    expect(write.request.bodySize).toBe(Buffer.byteLength('{"title":"Novedades €"}'));
  });

  it('contains no API key, cookie, internal header or backend address', async () => {
    const { client, backend, recorder } = await openRecording({
      [PERSON]: [ok(person('p1'), { 'set-cookie': 'session=0451', 'x-internal': 'rack-9' })],
    });

    await readPerson(client());

    const file = readFileSync(recorder.file, 'utf8');
    for (const secret of [KEY, '0451', 'rack-9', String(backend.port)]) {
      expect(file).not.toContain(secret);
    }
  });

  it.each([
    ['as it is', KEY],
    ['in base64', Buffer.from(KEY).toString('base64')],
    ['encoded for a URL', encodeURIComponent(KEY)],
  ])('omits a response that contains a key %s, and reports that', async (_form, echoed) => {
    const { client, har, leftOut } = await openRecording({ [PERSON]: [ok(person('p1', echoed))] });

    expect(await readPerson(client())).toMatchObject({ name: echoed });

    expect(har().log.entries).toEqual([]);
    expect(leftOut).toEqual(['it contains an API key']);
  });

  it('keeps a response that contains the public key of the sample data', async () => {
    const { client, har } = await openRecording(
      { [PERSON]: [ok(person('p1', 'Ask for a demo'))] },
      { publicKey: 'demo' },
    );

    await readPerson(client('demo'));

    expect(har().log.entries).toHaveLength(1);
  });

  it('does not overwrite another recording', async () => {
    const { folder } = await openRecording({});

    await expect(openRecording({}, { folder })).rejects.toThrow(/\bSCENARIO\b/);
  });
});

describe('a replay', () => {
  it.each<[string, Behaviour[]]>([
    ['a reset', [reset()]],
    ['a reset in the middle of a response', [reset(500)]],
    ['a truncated response', [cut(person('p1'))]],
    ['malformed HTTP', [raw('NOT HTTP AT ALL\r\n\r\n')]],
    ['a rate limit without Retry-After', [status(429)]],
    ['a rate limit with Retry-After', [status(429, { 'retry-after': '60' })]],
    ['an outage', [status(503)]],
    ['a rejection', [status(403, { 'x-request-id': 'backend-7' })]],
    ['a response that is not JSON', [text('<html>', 'text/html')]],
    ['bytes that are not UTF-8', [text(Buffer.from([0x80, 0xff]))]],
    ['a fault and then a response', [reset(), ok(person('p1'))]],
  ])('reproduces the recorded outcome: %s', async (_name, turns) => {
    const { folder, client } = await openRecording({ [PERSON]: turns });
    const recorded = await readPerson(client());
    const played = openReplayOf(folder);

    expect(comparable(await readPerson(played.client()))).toEqual(comparable(recorded));
    expect(played.misses).toEqual([]);
  });

  it('times out when the recorded backend did not respond', async () => {
    const { folder, client } = await openRecording({ [PERSON]: [silence()] });
    const recorded = await readPerson(client(KEY, 300));

    const played = await readPerson(openReplayOf(folder).client(KEY, 300));

    expect(played).toMatchObject({ kind: 'timeout' });
    expect(comparable(played)).toEqual(comparable(recorded));
  });

  it('reproduces the unknown outcome of a write', async () => {
    const { folder, client } = await openRecording({ 'PATCH /v0/topics/t1': [reset()] });
    const recorded = await rename(client(), 'News');

    const played = await rename(openReplayOf(folder).client(), 'News');

    expect(comparable(played)).toEqual(comparable(recorded));
    expect(played).toMatchObject({ kind: 'outcome_unknown' });
  });

  it('reproduces ECONNREFUSED', async () => {
    const { folder, client, backend } = await openRecording({});
    await backend.stop();
    const recorded = await rename(client(), 'News');

    const played = await rename(openReplayOf(folder).client(), 'News');

    expect(played).toMatchObject({ kind: 'unreachable', failure: 'ECONNREFUSED' });
    expect(comparable(played)).toEqual(comparable(recorded));
  });

  it('replays the recorded responses of a read in order and repeats the last one', async () => {
    const turns = ['queued', 'processing', 'done'].map((title) => ok(topic('t1', title)));
    const { folder, client } = await openRecording({ [TOPIC]: turns });
    for (const _ of turns) await readTopic(client());
    const played = openReplayOf(folder);

    const titles = [];
    for (let i = 0; i < 5; i++) titles.push(await readTopic(played.client()));

    expect(titles.map((found) => (found as { title: string }).title)).toEqual([
      ...['queued', 'processing', 'done', 'done', 'done'],
    ]);
  });

  it('repeats the response from before a write until the write is replayed', async () => {
    const { folder, client } = await openRecording({
      [TOPIC]: [ok(topic('t1', 'old')), ok(topic('t1', 'new'))],
      'PATCH /v0/topics/t1': [ok(topic('t1', 'new'))],
    });
    await readTopic(client());
    await rename(client(), 'new');
    await readTopic(client());
    const played = openReplayOf(folder);

    for (let i = 0; i < 3; i++) {
      expect(await readTopic(played.client())).toMatchObject({ title: 'old' });
    }
    await rename(played.client(), 'new');
    expect(await readTopic(played.client())).toMatchObject({ title: 'new' });
  });

  it('names the most similar recorded requests for a request that was not recorded', async () => {
    const { folder, client } = await openRecording({
      [PERSON]: [ok(person('p1'))],
      [TOPIC]: [ok(topic('t1'))],
      'PATCH /v0/topics/t1': [ok(topic('t1'))],
    });
    await readPerson(client());
    await readTopic(client());
    await rename(client(), 'one');
    await rename(client(), 'two');
    const played = openReplayOf(folder);

    const read = await readPerson(played.client(), 'p2');
    const write = await rename(played.client(), 'two');

    expect(read).toMatchObject({
      kind: 'refused',
      code: 'NOT_RECORDED',
      message: expect.stringMatching(
        /^GET \/v0\/persons\/p2 .*"journey".* GET \/v0\/persons\/p1; GET \/v0\/topics\/t1: GET \/v0\/persons\/\{person_id\}$/,
      ),
    });
    expect(write).toMatchObject({
      kind: 'refused',
      code: 'NOT_RECORDED',
      message: expect.stringMatching(
        /next write, PATCH \/v0\/topics\/t1 .*\btitle; later, PATCH \/v0\/topics\/t1:/,
      ),
    });
    expect(played.misses).toMatchObject([
      { path: '/v0/persons/p2', scenario: 'journey', nearest: [PERSON, TOPIC] },
      { method: 'PATCH', scenario: 'journey' },
    ]);
  });

  it('starts from the beginning for each key, whose name selects the scenario and the recorded key', async () => {
    const folder = openFolder();
    const first = await openRecording(
      { [TOPIC]: [ok(topic('t1', 'one')), ok(topic('t1', 'two'))] },
      { folder, name: 'first' },
    );
    await readTopic(first.client());
    await readTopic(first.client());
    const second = await openRecording(
      { [TOPIC]: [ok(topic('t1', 'of one key')), ok(topic('t1', 'of another'))] },
      { folder, name: 'second' },
    );
    await readTopic(second.client('tenant-a'));
    await readTopic(second.client('tenant-b'));
    const played = openReplayOf(folder);
    const titleFor = async (key: string) =>
      ((await readTopic(played.client(key))) as { title?: string }).title;

    expect(await titleFor('first')).toBe('one');
    expect(await titleFor('first')).toBe('two');
    expect(await titleFor('first.worker-2')).toBe('one');
    expect(await titleFor('second.K2.worker-1')).toBe('of another');
    expect(await titleFor('second.K1.worker-1')).toBe('of one key');
    expect(await readTopic(played.client('third'))).toMatchObject({
      message: expect.stringMatching(/"first".* first; second/),
    });
    expect(openReplayOf(folder, { name: 'second' }).replay.names).toEqual(['second']);
  });

  it('assigns the recorded keys of a single scenario in order to keys of other names', async () => {
    const { folder, client } = await openRecording({
      [TOPIC]: [ok(topic('t1', 'of one key')), ok(topic('t1', 'of another'))],
    });
    await readTopic(client('tenant-a'));
    await readTopic(client('tenant-b'));
    const played = openReplayOf(folder);

    expect(await readTopic(played.client('c'))).toMatchObject({ title: 'of one key' });
    expect(await readTopic(played.client('d'))).toMatchObject({ title: 'of another' });
  });

  it('takes the recorded time divided by the speed', async () => {
    const { folder, client } = await openRecording({ [PERSON]: [after(300, ok(person('p1')))] });
    await readPerson(client());
    const timeAt = async (speed: number): Promise<number> => {
      const startMs = performance.now();
      await readPerson(openReplayOf(folder, { speed }).client());
      return performance.now() - startMs;
    };

    expect(await timeAt(1)).toBeGreaterThan(295);
    // On a busy machine one of several tries is in time.
    await until(async () => (await timeAt(1_000)) < 150);
    await until(async () => {
      const hurried = await timeAt(2);
      expect(hurried).toBeGreaterThan(145);
      return hurried < 295;
    });
  });

  it('ends a recorded silence when the call times out or its caller cancels', async () => {
    const { folder, client } = await openRecording({ [PERSON]: [silence()] });
    const recorded = await readPerson(client(KEY, 700));
    const { replay } = openReplayOf(folder);
    const played = clientsOf(replay, { timeoutMs: 300 });
    const leaving = new Cancel();
    setTimeout(() => leaving.cancel(), 10);

    expect(recorded).toMatchObject({ kind: 'timeout' });
    expect(await readPerson(played('a'), 'p1', leaving)).toMatchObject({ kind: 'cancelled' });
    expect(await readPerson(played('b'))).toMatchObject({ kind: 'timeout' });
  });

  it('rejects a folder without a recording, and a file that is not a recording', () => {
    const folder = openFolder();
    expect(() => openReplayOf(join(folder, 'x'))).toThrow(
      new RegExp(`${join(folder, 'x')}.*folder`),
    );
    expect(() => openReplayOf(folder)).toThrow(/\*\.har.*RECORD=/);
    writeFileSync(join(folder, 'a.har'), '{"log":{"version":"1.2","entries":[]}}');
    expect(() => openReplayOf(folder)).toThrow(/a\.har .*recording/);
    writeFileSync(join(folder, 'a.har'), '{');
    expect(() => openReplayOf(folder)).toThrow(/a\.har .*JSON/);
    expect(() => openReplayOf(folder, { name: 'b' })).toThrow(/\bb\.har/);
  });
});
