/**
 * The backend of a load test, in its own process: it has every object that is requested, responds after a
 * while as a service does, and fails for some keys and routes.
 *
 * Its only argument is `BackendRules` in JSON. Every `name` in its responses is the API key that asked, so that
 * a response that reached another key is seen. `GET /written` returns how often each title was written.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  after,
  reset,
  silence,
  status,
  text,
  type Behaviour,
  type Seen,
} from '../support/faults.ts';
import { routeOf, sampleOf } from '../support/world.ts';
import { INVENTED } from './definition.ts';

export interface BackendRules {
  /** How long every response takes, in milliseconds. */
  readonly latencyMs: number;
  /** The first one that matches a request decides how it gets a response. */
  readonly faults?: readonly Fault[];
}

export interface Fault {
  /** The key it concerns. */
  readonly key: string;
  /** A regular expression over `GET /v0/persons/p1`. */
  readonly route: string;
  readonly does: keyof typeof FAULTS;
}

const AUDIENCES_OF_A_PAGE = 40;
const SLOW_MS = 3_000;

const FAULTS = {
  'status 500': status(500),
  silence: silence(),
  reset: reset(),
  'broken body': text('{"topicId":"'),
  slow: after(SLOW_MS, answer),
} satisfies Record<string, Behaviour>;

// Written by load.ts, which has the same type.
const { latencyMs, faults = [] } = JSON.parse(process.argv[2]!) as BackendRules;
const written: Record<string, number> = {};
const templates = new Map<string, string>();

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('error', () => {});
  response.on('error', () => {});
  request.on('end', () => serve(request, response, Buffer.concat(chunks).toString()));
});
server.keepAliveTimeout = 600_000;
server.listen(0, '127.0.0.1', () => {
  // A TCP server that listens has an AddressInfo.
  process.stdout.write(`READY http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});

function serve(request: IncomingMessage, response: ServerResponse, body: string): void {
  const { method = '', url: target = '', headers, socket } = request;
  if (target === '/written') {
    response.end(JSON.stringify(written));
    return;
  }
  const seen: Seen = { method, target, headers, body, atMs: performance.now() };
  const key = keyOf(seen);
  const route = `${method} ${target}`;
  const fault = faults.find((one) => one.key === key && new RegExp(one.route).test(route));
  setTimeout(() => {
    // A write is applied whatever its response is.
    const { title } = method === 'PATCH' ? (JSON.parse(body) as { title: string }) : {};
    if (title !== undefined) written[title] = (written[title] ?? 0) + 1;
    const behaviour: Behaviour = key.startsWith(INVENTED)
      ? status(401)
      : fault
        ? FAULTS[fault.does]
        : answer;
    void behaviour(response, seen, socket);
  }, latencyMs);
}

function keyOf({ headers }: Seen): string {
  return String(headers['x-api-key']);
}

function answer(response: ServerResponse, seen: Seen): void {
  const body = answerTo(seen);
  response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'application/json' });
  response.end(body ?? '{}');
}

/** Serialises once per route and limit: to make forty audiences would take most of this process's time. */
function answerTo(seen: Seen): string | undefined {
  const found = routeOf(seen);
  if (!found) return undefined;
  const { route, values } = found;
  const limit = new URLSearchParams(seen.target.split('?')[1]).get('limit') ?? '20';
  const name = `${route.method} ${route.path} ${limit}`;
  let template = templates.get(name);
  if (template === undefined) {
    const places = Object.fromEntries(Object.keys(values).map((one) => [one, `@${one}@`]));
    const sample = sampleOf(route, places);
    template = JSON.stringify(Array.isArray(sample['items']) ? listOf(sample, limit) : sample);
    if ('page_id' in values) template = template.replace(/"(personId-\d+)"/g, '"$1-@page_id@"');
    template = template.replaceAll('"name":"name"', '"name":"@key@"');
    templates.set(name, template);
  }
  return Object.entries({ ...values, key: keyOf(seen) }).reduce(
    (text, [place, value]) => text.replaceAll(`@${place}@`, value),
    template,
  );
}

/** The list envelope with as many items as are requested, each with its own ids. */
function listOf(sample: Record<string, any>, limit: string): Record<string, any> {
  const item = JSON.stringify(sample['items'][0]);
  const most = item.includes('"audienceId"') ? AUDIENCES_OF_A_PAGE : Infinity;
  const count = Math.min(most, Number(limit));
  const items = Array.from({ length: count }, (_, i) => JSON.parse(item.replace(/-0"/g, `-${i}"`)));
  return { ...sample, items, totalCount: count, hasMore: false, nextCursor: null };
}
