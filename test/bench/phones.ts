/**
 * What a nested screen costs a phone: `npm run bench:phones`.
 *
 * The gateway runs in a process of its own, its backend in this one. Bytes are those of the connection,
 * heads included; CPU is the gateway's, compression by libuv's threads included. Answers are checked.
 */
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { openBackend } from '../../src/backend/backend.ts';
import { EXAMPLE_API_KEY, EXAMPLE_PAGE_ID } from '../../src/backend/seed/example.ts';
import { startGateway } from '../support/gateway-process.ts';
import { measureBeyondRest } from './beyond-rest.ts';
import { cpuMicros } from './machine.ts';
import { median } from './median.ts';
import { DEFAULTS } from '../support/settings.ts';

const SCREEN = `query Screen($pageId: ID!) {
  page(pageId: $pageId) {
    id name title status audiencesCount
    audiences(first: 20) {
      totalCount
      pageInfo { hasNextPage endCursor }
      edges {
        cursor
        node {
          id audienceId effectiveName status createdAt
          person { id personId name email domain }
          versions(first: 3) { nodes { id versionId versionNumber status createdAt publishedAt } }
          links(first: 3) { nodes { pageLinkId path target { targetType } } }
        }
      }
    }
  }
}`;
const HASH = createHash('sha256').update(SCREEN).digest('hex');
const VARIABLES = { pageId: EXAMPLE_PAGE_ID };

const ROUNDS = 4;
const REQUESTS = 30;
const WARM_UP = 40;

interface Variant {
  readonly name: string;
  readonly method: 'GET' | 'POST';
  readonly params: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Answer {
  readonly status: number;
  readonly etag: string | undefined;
  readonly text: string;
  /** Of the connection. */
  readonly sent: number;
  readonly received: number;
}

const TRUSTED = { documentId: `sha256:${HASH}`, variables: VARIABLES };
const BR = { 'accept-encoding': 'br' };

const folder = await mkdtemp(join(tmpdir(), 'phones-'));
await writeFile(join(folder, 'app-1.json'), JSON.stringify({ [HASH]: SCREEN }));
const backend = await openBackend({ ...DEFAULTS.embedded, databaseUrl: ':memory:' });
const gateway = await startGateway({
  UPSTREAM_URL: backend.url,
  TRUSTED_DOCUMENTS: folder,
  LOG_LEVEL: 'warn',
});
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

try {
  const text = { query: SCREEN, variables: VARIABLES };
  const { etag } = await ask({ name: '', method: 'GET', params: TRUSTED, headers: BR });
  const variants: readonly Variant[] = [
    { name: '`{ __typename }`', method: 'POST', params: { query: '{ __typename }' } },
    { name: 'text by POST, plain', method: 'POST', params: text },
    {
      name: 'text by POST, gzip',
      method: 'POST',
      params: text,
      headers: { 'accept-encoding': 'gzip' },
    },
    { name: 'text by POST, br', method: 'POST', params: text, headers: BR },
    { name: 'trusted by POST, br', method: 'POST', params: TRUSTED, headers: BR },
    { name: 'trusted by GET, br', method: 'GET', params: TRUSTED, headers: BR },
    {
      name: 'trusted by GET, 304',
      method: 'GET',
      params: TRUSTED,
      headers: { ...BR, 'if-none-match': etag! },
    },
  ];
  const expected = (await ask(variants[1]!)).text;
  const cpu = new Map<string, number[]>(variants.map(({ name }) => [name, []]));
  for (let i = 0; i < WARM_UP; i++) for (const variant of variants) await ask(variant);
  for (let round = 0; round < ROUNDS; round++) {
    for (const variant of variants) {
      const before = cpuMicros(gateway.process.pid!)!;
      for (let i = 0; i < REQUESTS; i++) await ask(variant);
      cpu.get(variant.name)!.push((cpuMicros(gateway.process.pid!)! - before) / REQUESTS / 1_000);
    }
  }
  const rows = [
    ['request', 'sent', 'received', 'at 0.4 Mbit/s', 'at 1.6 Mbit/s', 'CPU'],
    ['---', '--:', '--:', '--:', '--:', '--:'],
  ];
  for (const variant of variants) {
    const { status, text, sent, received } = await ask(variant);
    const isSame = variant.name.includes('typename') || status === 304 || text === expected;
    if (!isSame) throw new Error(`${variant.name} answers something else: ${text.slice(0, 200)}`);
    const ms = (mbit: number) => `${Math.round(((sent + received) * 8) / (mbit * 1_000))} ms`;
    const count = (bytes: number) => bytes.toLocaleString('en');
    const spent = `${median(cpu.get(variant.name)!).toFixed(2)} ms`;
    rows.push([variant.name, count(sent), count(received), ms(0.4), ms(1.6), spent]);
  }
  write(rows);
  write(
    await measureBeyondRest({
      ...{ backendUrl: backend.url, apiKey: EXAMPLE_API_KEY, trustedFolder: folder },
      ...{ query: SCREEN, variables: VARIABLES, documentId: TRUSTED.documentId },
    }),
  );
} finally {
  agent.destroy();
  await gateway.stop();
  await backend.close();
  await rm(folder, { recursive: true });
}

function write(rows: readonly (readonly string[])[]): void {
  process.stdout.write(`${rows.map((row) => `| ${row.join(' | ')} |`).join('\n')}\n\n`);
}

function ask({ method, params, headers }: Variant): Promise<Answer> {
  const search = Object.entries(params).map(([name, value]): [string, string] => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  const url = method === 'GET' ? `/graphql?${new URLSearchParams(search)}` : '/graphql';
  return new Promise((resolve, reject) => {
    const outgoing = request(`${gateway.url}${url}`, {
      agent,
      method,
      headers: {
        'x-api-key': EXAMPLE_API_KEY,
        accept: 'application/graphql-response+json',
        ...(method === 'POST' && { 'content-type': 'application/json' }),
        ...headers,
      },
    });
    let socket: Socket;
    let before = { sent: 0, received: 0 };
    outgoing.on('socket', (its) => {
      socket = its;
      before = { sent: its.bytesWritten, received: its.bytesRead };
    });
    outgoing.on('response', (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () => {
        resolve({
          status: incoming.statusCode!,
          etag: incoming.headers.etag,
          text: decoded(Buffer.concat(chunks), incoming.headers['content-encoding']),
          sent: socket.bytesWritten - before.sent,
          received: socket.bytesRead - before.received,
        });
      });
    });
    outgoing.on('error', reject);
    outgoing.end(method === 'POST' ? JSON.stringify(params) : undefined);
  });
}

function decoded(bytes: Buffer, coding: string | undefined): string {
  if (coding === 'br') return brotliDecompressSync(bytes).toString();
  return (coding === 'gzip' ? gunzipSync(bytes) : bytes).toString();
}
