/**
 * What a read of one topic costs a gateway: without Redis, beside one, and by where its answer was kept.
 *
 * Run by `npm run bench:cache`. CPU time is the gateway's process alone, with a core of its own; Redis, the backend and
 * the callers share the other one.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { routes } from '../../src/v0/routes.ts';
import { startRedis } from '../support/redis.ts';
import { OURS, startServer } from './contestants.ts';
import { wrkLoad } from './load.ts';
import { cpuMicros, killAll, leaveServersAlone } from './machine.ts';
import { machineLine, markdownTable } from './report.ts';

const WARM_SECONDS = 4;
/** The cheapest turn counts: what else the machine does makes the others dearer. */
const TURNS = 4;
const SECONDS = 2;

const QUERY = 'query ($id: ID!) { topic(topicId: $id) { title purpose sortOrder } }';
const JSON_TYPE = { 'content-type': 'application/json' };
const topic = (topicId: string): string =>
  JSON.stringify({
    ...{ topicId, title: 'News', purpose: null, sortOrder: 1, isDefault: false, entries: [] },
    ...{ createdAt: '+1700000000000', updatedAt: '+1700000000000' },
  });

interface Way {
  readonly name: string;
  /** How many topics are asked for in turn. */
  readonly topics: number;
  readonly settings?: Readonly<Record<string, string>>;
  /** What the backend says of its answers. */
  readonly headers?: Readonly<Record<string, string>>;
}

const folder = mkdtempSync(join(tmpdir(), 'cache-'));
leaveServersAlone();
const redis = await startRedis();
process.on('exit', () => {
  killAll();
  rmSync(folder, { recursive: true, force: true });
});

const REDIS = { REDIS_URL: redis.url, REDIS_SECRET: 'of the benchmark' };
const kept = (time: string) => ({ ...REDIS, CACHE_TTL: `GET ${routes.getTopic.path}=${time}` });

const WAYS: readonly Way[] = [
  { name: 'without REDIS_URL', topics: 100 },
  { name: 'with REDIS_URL, nothing to be kept', topics: 100, settings: REDIS },
  { name: 'kept in memory', topics: 100, settings: kept('1h') },
  {
    name: 'kept in Redis alone',
    // More than fit into the memory.
    topics: 2_000,
    settings: { ...kept('1h'), CACHE_BYTES: '1000000' },
  },
  {
    name: 'renewed by 304',
    topics: 100,
    settings: REDIS,
    headers: { 'cache-control': 'no-cache', etag: '"1"' },
  },
  // Each is asked for again after its second is over.
  { name: 'missed: looked for, asked for and kept', topics: 50_000, settings: kept('1s') },
];

const rows: string[][] = [];
for (const way of WAYS) rows.push([way.name, ...(await measure(way))]);
await redis.stop();
process.stdout.write(
  `${machineLine()}\n\n${markdownTable(['a read of one topic', 'CPU µs', 'calls sent', 'cached'], rows, 1)}\n`,
);
process.exit();

/** @returns CPU µs, and calls sent and cached, each a request. */
async function measure({ topics, settings = {}, headers = {} }: Way): Promise<string[]> {
  const backend = createServer(({ url = '', headers: asked }, response) => {
    if (asked['if-none-match']) response.writeHead(304, headers).end();
    else response.writeHead(200, { ...headers, ...JSON_TYPE }).end(topic(url.split('/').at(-1)!));
  });
  await new Promise<void>((listening) => backend.listen(0, '127.0.0.1', listening));
  const { port } = backend.address() as AddressInfo; // it listens on a port
  const upstreamUrl = `http://127.0.0.1:${port}`;
  const { url, child } = await startServer({ ...OURS, settings }, upstreamUrl, folder);
  const requests = Array.from({ length: topics }, (_, i) => ({
    apiKey: 'bench',
    body: JSON.stringify({ query: QUERY, variables: { id: `t${i}` } }),
  }));
  const load = wrkLoad(join(folder, 'requests.txt'));
  const counted = async () => {
    const text = await (await fetch(`${url}/metrics`)).text();
    const sum = (source: string) =>
      [...text.matchAll(/^gateway_upstream_calls_total\{(.*)\} (\d+)$/gm)]
        .filter(([, labels]) => labels!.includes(`source="${source}"`))
        .reduce((all, [, , count]) => all + Number(count), 0);
    return { micros: cpuMicros(child.pid) ?? NaN, sent: sum('sent'), cached: sum('cached') };
  };
  await load(url, requests, WARM_SECONDS);
  const turns: { micros: number; sent: number; cached: number }[] = [];
  for (let turn = 0; turn < TURNS; turn++) {
    const before = await counted();
    const { requests: count, failures } = await load(url, requests, SECONDS);
    const after = await counted();
    if (failures > 0) throw new Error(`${failures} of ${count} requests failed.`);
    const each = (name: keyof typeof before) => (after[name] - before[name]) / count;
    turns.push({ micros: each('micros'), sent: each('sent'), cached: each('cached') });
  }
  await child.stop();
  backend.closeAllConnections();
  backend.close();
  const [{ micros, sent, cached }] = turns.toSorted((a, b) => a.micros - b.micros) as [
    (typeof turns)[0],
  ];
  return [micros.toFixed(0), sent.toFixed(2), cached.toFixed(2)];
}
