/** Durability: a restart, a kill, and many concurrent writes. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import { buildScript } from '../support/gateway-build.ts';
import { callerOf, openTestBackend, temporaryDatabase, until, walk } from './support.ts';

const PATH = '/v0/pages/page_empty/audiences';

it('keeps its topics and finishes queued publishing after a restart', async () => {
  const databaseUrl = temporaryDatabase();
  const first = await openTestBackend({ databaseUrl, publishDelayMs: 60_000 });
  const { body } = await first.call(PATH, { method: 'POST', body: {} });
  const topics = await first.call('/v0/topics?limit=100');
  await first.close();

  const second = await openTestBackend({ databaseUrl });

  await until(second.call, `${PATH}/${body.audienceId}`, ({ status }) => status === 'published');
  expect(body.status).toBe('queued');
  expect((await second.call('/v0/topics?limit=100')).body).toEqual(topics.body);
});

/** A backend in its own process. */
async function spawnBackend(databaseUrl: string) {
  const child = spawn(process.execPath, [await buildScript('backend-process'), databaseUrl], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const [url] = (await once(createInterface(child.stdout), 'line')) as [string];
  return { child, call: callerOf(url) };
}

it('seeds a database once when three processes start together', async () => {
  const databaseUrl = temporaryDatabase();

  const backends = await Promise.all([1, 2, 3].map(() => spawnBackend(databaseUrl)));

  const lists = await Promise.all(backends.map(({ call }) => call('/v0/topics')));
  expect(lists.map(({ body }) => body.totalCount)).toEqual([32, 32, 32]);
});

it('keeps every acknowledged write, and publishes it, when the process is killed', async () => {
  const databaseUrl = temporaryDatabase();
  const { child, call } = await spawnBackend(databaseUrl);
  const answered: string[] = [];
  const writers = Array.from({ length: 4 }, async () => {
    for (;;) {
      const { status, body } = await call(PATH, { method: 'POST', body: {} });
      if (status === 201) answered.push(body.audienceId);
    }
  });

  await until(call, PATH, () => answered.length >= 40);
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await Promise.allSettled([...writers, exit]);

  const { call: again } = await openTestBackend({ databaseUrl });
  const { items } = await walk(again, PATH, 100);
  const kept = new Set(items.map(({ audienceId }) => audienceId));
  expect(answered.filter((audienceId) => !kept.has(audienceId))).toEqual([]);
  for (const audienceId of kept) {
    await until(again, `${PATH}/${String(audienceId)}`, ({ status }) => status === 'published');
  }
});

it('handles fifty concurrent writes and fifty concurrent reads, and keeps each write', async () => {
  const { call } = await openTestBackend({ databaseUrl: temporaryDatabase() });

  const answers = await Promise.all(
    Array.from({ length: 50 }, async () => {
      const write = call(PATH, { method: 'POST', body: {} });
      const read = call(`${PATH}?limit=100`);
      return [await write, await read];
    }),
  );

  expect(answers.flat().map(({ status }) => status)).toEqual(
    Array.from({ length: 50 }, () => [201, 200]).flat(),
  );
  // Half of a write would show as an audience without its version, or a wrong total.
  for (const [, list] of answers) {
    expect(list?.body.totalCount).toBe(list?.body.items.length);
    expect(list?.body.items.every((item: { latestVersion: unknown }) => item.latestVersion)).toBe(
      true,
    );
  }
  const { items } = await walk(call, PATH, 100);
  expect(items).toHaveLength(50);
});

it('lets two backends share a database file', async () => {
  const databaseUrl = temporaryDatabase();
  const one = await openTestBackend({ databaseUrl });
  const two = await openTestBackend({ databaseUrl });

  const answers = await Promise.all(
    [one, two, one, two].map(({ call }) => call(PATH, { method: 'POST', body: {} })),
  );

  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
  expect((await one.call(PATH)).body.totalCount).toBe(4);
});

it('finishes the request in flight when it closes, and accepts no more', async () => {
  let arrived = (): void => {};
  const arrival = new Promise<void>((resolve) => (arrived = resolve));
  const backend = await openTestBackend({ latencyMs: 100, onRequest: () => arrived() });
  const underWay = backend.call('/v0/topics');
  await arrival;

  await backend.close(3_600_000);

  expect((await underWay).status).toBe(200);
  await expect(backend.call('/v0/topics')).rejects.toThrow();
});
