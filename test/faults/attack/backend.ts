/**
 * The backend behind an attacked gateway, in a process of its own: it has every object that is asked
 * for, answers after a while as a service does, and fails as an attack wants it to.
 *
 * `PUT /control` sets how it behaves, `GET /control` answers what it saw.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import {
  ok,
  reset,
  silence,
  status,
  text,
  type Behaviour,
  type Seen,
} from '../../support/faults.ts';
import { routeOf, sampleOf } from '../../support/world.ts';
import { INVENTED } from './definition.ts';

export interface BackendRules {
  /** How long every answer takes, in milliseconds. @default 20 */
  readonly latencyMs?: number;
  /** Closes connections that were idle for so long. @default never */
  readonly closesIdleAfterMs?: number;
  /** The first one that matches a request decides how it is answered. */
  readonly faults?: readonly Fault[];
}

export interface Fault {
  /** A regular expression over `GET /v0/persons/p1`. */
  readonly route: string;
  /** A regular expression over the key. @default any */
  readonly key?: string;
  readonly does: FaultName;
}

export interface BackendReport {
  /** Calls by key; invented keys are counted as one. */
  readonly calls: Readonly<Record<string, number>>;
  /** How often each title was written. */
  readonly writes: Readonly<Record<string, number>>;
}

/** Audiences of every page. */
const AUDIENCES = 40;
const MAX_LIMIT = 100;

/** Empty objects of one answer: 15 KB of text. */
const EMPTY_OBJECTS = 5_000;

export type FaultName = keyof typeof FAULTS;

const FAULTS = {
  'status 500': status(500),
  'status 503': status(503),
  silence: silence(),
  reset: reset(),
  /** Every 1xx that Node can send, and then the answer. */
  hints: (response, seen) => {
    response.writeContinue();
    response.writeProcessing();
    response.writeEarlyHints({ link: '</style.css>; rel=preload; as=style' });
    answer(response, seen);
  },
  /** The whole body with the status of a part. */
  partial: (response, seen) => {
    response.writeHead(206, { 'content-type': 'application/json' });
    response.end(answerTo(seen));
  },
  'empty body': text(''),
  'broken body': text('{"topicId":"'),
  'empty objects': (response, seen, socket) => {
    const whole = JSON.parse(answerTo(seen) ?? '{}') as object;
    const payload = { list: Array.from({ length: EMPTY_OBJECTS }, () => ({})) };
    return ok({ ...whole, payload })(response, seen, socket);
  },
} satisfies Record<string, Behaviour>;

let rules: BackendRules = {};
const calls: Record<string, number> = {};
const writes: Record<string, number> = {};
/** Titles that were written to topics, so that reading a topic back shows them. */
const titles = new Map<string, string>();
const templates = new Map<string, string>();
const idleTimers = new WeakMap<Socket, NodeJS.Timeout>();

const server = createServer((request, response) => {
  clearTimeout(idleTimers.get(request.socket));
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('error', () => {});
  response.on('error', () => {});
  response.on('finish', () => closeWhenIdle(request.socket));
  request.on('end', () => serve(request, response, Buffer.concat(chunks).toString()));
});
server.keepAliveTimeout = 600_000;
server.listen(0, '127.0.0.1', () => {
  // A TCP server that listens has an AddressInfo.
  process.stdout.write(`READY http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});

function serve(request: IncomingMessage, response: ServerResponse, body: string): void {
  const { method = '', url: target = '', headers, socket } = request;
  if (target === '/control') {
    // Written by run-attack.ts and by attacks, with the same type.
    if (method === 'PUT') rules = JSON.parse(body) as BackendRules;
    response.end(JSON.stringify({ calls, writes } satisfies BackendReport));
    return;
  }
  const seen: Seen = { method, target, headers, body, atMs: performance.now() };
  const key = String(headers['x-api-key']);
  const counted = key.startsWith(INVENTED) ? INVENTED : key;
  calls[counted] = (calls[counted] ?? 0) + 1;
  const route = `${method} ${target}`;
  const fault = rules.faults?.find(
    (one) => new RegExp(one.route).test(route) && new RegExp(one.key ?? '').test(key),
  );
  setTimeout(() => {
    if (method === 'PATCH') carryOut(seen);
    const behaviour: Behaviour = key.startsWith(INVENTED)
      ? status(401)
      : fault
        ? FAULTS[fault.does]
        : answer;
    void behaviour(response, seen, socket);
  }, rules.latencyMs ?? 20);
}

/** Records a write as done, however it is answered afterwards. */
function carryOut({ target, body }: Seen): void {
  const { title } = JSON.parse(body) as { title: string };
  writes[title] = (writes[title] ?? 0) + 1;
  titles.set(target, title);
}

function answer(response: ServerResponse, seen: Seen): void {
  const body = answerTo(seen);
  response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'application/json' });
  response.end(body ?? '{}');
}

/** Serialises once per route and limit: making 40 audiences would take most of this process's time. */
function answerTo(seen: Seen): string | undefined {
  const found = routeOf(seen);
  if (!found) return undefined;
  const { route, values } = found;
  const limit = new URLSearchParams(seen.target.split('?')[1]).get('limit') ?? '';
  const name = `${route.method} ${route.path} ${limit}`;
  let template = templates.get(name);
  if (template === undefined) {
    const parameters = Object.keys(values).map(
      (parameter) => [parameter, `@${parameter}@`] as const,
    );
    const sample = sampleOf(route, Object.fromEntries(parameters));
    template = JSON.stringify(Array.isArray(sample['items']) ? listOf(sample, limit) : sample);
    if ('page_id' in values) template = template.replace(/"(personId-\d+)"/g, '"$1-@page_id@"');
    templates.set(name, template);
  }
  for (const [parameter, value] of Object.entries(values)) {
    template = template.replaceAll(`@${parameter}@`, value);
  }
  const title = titles.get(seen.target);
  return title === undefined ? template : template.replace('"title":"title"', `"title":"${title}"`);
}

/** The list envelope with as many items as are asked for, each with ids of its own. */
function listOf(sample: Record<string, any>, limit: string): Record<string, any> {
  const isAudiences = JSON.stringify(sample).includes('"audienceId"');
  const count = Math.min(isAudiences ? AUDIENCES : MAX_LIMIT, Number(limit || 20));
  const item = JSON.stringify(sample['items'][0]);
  const items = Array.from({ length: count }, (_, i) => JSON.parse(item.replace(/-0"/g, `-${i}"`)));
  return { ...sample, items, totalCount: count, hasMore: false, nextCursor: null };
}

function closeWhenIdle(socket: Socket): void {
  const { closesIdleAfterMs } = rules;
  if (closesIdleAfterMs === undefined) return;
  idleTimers.set(
    socket,
    // Not `end()`: a request that arrives at this moment would still be carried out.
    setTimeout(() => socket.destroy(), closesIdleAfterMs),
  );
}
