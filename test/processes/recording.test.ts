/**
 * `RECORD` and `REPLAY` in processes: a journey over the embedded backend, and its replay without it.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  CreateAudienceDocument,
  PageWithAudiencesDocument,
  PublishVersionDocument,
  VersionDocument,
} from '../../src/client/generated/graphql.ts';
import { openFolder } from '../support/folder.ts';
import { clientOf, type Client } from '../support/client.ts';
import { startGateway, startProcess } from '../support/gateway-process.ts';
import { IDS } from '../support/ids.ts';
import { linesOf } from '../support/open-log.ts';

const SOCKETS = new URL('../support/client-sockets.mjs', import.meta.url).href;

/** The responses of a journey, byte for byte: a screen, a draft, its publishing to the end, and an unknown page. */
async function journey(url: string, apiKey: string): Promise<string[]> {
  const answers: string[] = [];
  const client = clientOf(url, apiKey);
  const ask = async (document: Parameters<Client['ask']>[0], variables: object) => {
    const reply = await client.ask<any>(document, { variables });
    answers.push(reply.text);
    return reply;
  };
  await ask(PageWithAudiencesDocument, { pageId: IDS.page, first: 5 });
  const { data } = await ask(CreateAudienceDocument, {
    input: { pageId: IDS.page, customName: 'Visitors from the fair', publishBehavior: 'draft' },
  });
  const { id } = data.createAudience.audience.latestVersion;
  await ask(PublishVersionDocument, { input: { id, waitFor: 'published' } });
  await ask(VersionDocument, { id });
  await ask('{ page(pageId: "nowhere") { name } }', {});
  await ask(PageWithAudiencesDocument, { pageId: IDS.page, first: 5 });
  return answers;
}

it('replays a journey byte for byte without a connection, to one client and to ten concurrently', async () => {
  const folder = openFolder();
  const recording = await startGateway(
    { RECORD: folder, SCENARIO: 'publish' },
    { preload: [SOCKETS] },
  );
  const recorded = await journey(recording.url, 'demo');
  await recording.stop();
  expect(recording.output).toContain('opened a connection');

  const replay = await startGateway(
    { REPLAY: folder, REPLAY_SPEED: '1000', LIVE_POLL_MS: '10..10' },
    { preload: [SOCKETS] },
  );
  const alone = await journey(replay.url, 'demo');
  const clients = Array.from({ length: 10 }, (_, i) => `publish.${i}`);
  const together = await Promise.all(clients.map((key) => journey(replay.url, key)));
  const miss = await replay.ask('{ page(pageId: "page_pricing") { name } }', { apiKey: 'demo' });
  await replay.stop();

  expect(recorded.join()).toContain('"status":"published"');
  expect(recorded.join()).not.toContain('"errors"');
  expect(alone).toEqual(recorded);
  for (const answers of together) expect(answers).toEqual(recorded);
  expect(replay.output).not.toContain('opened a connection');
  expect(miss.errors).toMatchObject([
    {
      message: expect.stringContaining(' GET /v0/pages/page_northwind'),
      extensions: { code: 'NOT_RECORDED' },
    },
  ]);
  expect(linesOf(replay.output)).toContainEqual(
    expect.objectContaining({ level: 'warn', nearest: expect.any(Array) }),
  );
}, 180_000);

it('keeps responding when the disk is full, logs it, and leaves a recording that can be replayed', async () => {
  const folder = openFolder();
  const recording = await startGateway({ RECORD: folder, SCENARIO: 'full' });
  // A limit on the size of files stands for a full disk.
  spawnSync('prlimit', ['--pid', String(recording.process.pid), '--fsize=65536']);

  const titles = await recording.ask('{ topics(first: 5) { nodes { title } } }', {
    apiKey: 'demo',
  });
  const all =
    '{ topics(first: 100) { nodes { title entries { nodes { content { content } } } } } }';
  const replies = [
    await recording.ask(all, { apiKey: 'demo' }),
    await recording.ask(all, { apiKey: 'demo' }),
  ];
  await recording.stop();
  const replay = await startGateway({ REPLAY: folder });
  const replayed = await replay.ask('{ topics(first: 5) { nodes { title } } }', {
    apiKey: 'demo',
  });
  await replay.stop();

  for (const { data, codes } of replies) {
    expect(codes).toEqual([]);
    expect(data.topics.nodes.length).toBe(32);
  }
  expect(recording.output).toContain('EFBIG');
  expect(replayed.text).toBe(titles.text);
});

it('names the file by the current time without SCENARIO', async () => {
  const folder = join(openFolder(), 'new');
  const recording = await startGateway({ RECORD: folder });
  await recording.stop();

  expect(readdirSync(folder)).toEqual([expect.stringMatching(/^recording-2[\dT-]+\.har$/)]);
});

it.each([
  [{ RECORD: tmpdir(), REPLAY: tmpdir() }, /^RECORD .*REPLAY /],
  [{ REPLAY: tmpdir(), UPSTREAM_URL: 'http://127.0.0.1:1' }, /^REPLAY .*UPSTREAM_URL/],
  [{ RECORD: tmpdir(), FORWARD_HEADERS: 'authorization' }, /^RECORD .*FORWARD_HEADERS/],
  [{ RECORD: '/dev/null' }, /^RECORD .*folder/],
])('fails to start with %j, and states the fix', async (settings, line) => {
  const started = startProcess(settings);

  expect(await started.exit()).toBe(1);
  expect(started.stderr.trim()).toMatch(line);
});

it('fails to start a recording or a replay with prefetching, and states the fix', async () => {
  const folder = openFolder();
  const recording = await startGateway({ RECORD: folder });
  await recording.stop();

  for (const settings of [{ RECORD: folder, SCENARIO: 'ahead' }, { REPLAY: folder }]) {
    const started = startProcess({ ...settings, READ_AHEAD: 'on' });

    expect(await started.exit()).toBe(1);
    expect(started.stderr.trim()).toMatch(/^READ_AHEAD=on .*RECORD .*REPLAY/);
  }
  expect(readdirSync(folder)).toHaveLength(1);
});
