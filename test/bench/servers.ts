/** Servers that run, what one of them returns, and whether all return the same. */
import { isDeepStrictEqual } from 'node:util';
import { Agent, request } from 'undici';
import type { Contestant } from './contenders.ts';
import { freePort } from '../support/free-port.ts';
import { start, type Child } from './machine.ts';
import { QUERIES, requestsOf, type BenchQuery, type GraphQLRequest } from './queries.ts';

export interface Server {
  readonly contestant: Contestant;
  /** Without a path. */
  readonly url: string;
  readonly child: Child;
  /** From its start to its first response, in milliseconds. */
  readonly readyMs: number;
}

/** How long a server may take to respond for the first time, in milliseconds. */
const READY_WITHIN_MS = 20_000;

/** Starts a server on core 0 where processes can be pinned, and waits for its first response. */
export async function startServer(
  contestant: Contestant,
  upstreamUrl: string,
  folder: string,
): Promise<Server> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const began = performance.now();
  const child = start(0, contestant.command({ port, upstreamUrl, folder }), {
    NODE_ENV: 'production',
    LOG_LEVEL: 'warn',
    HOST: '127.0.0.1',
    PORT: String(port),
    UPSTREAM_URL: upstreamUrl,
    ...contestant.settings,
  });
  const lastWords = () => child.output().slice(-2_000);
  let dead = false;
  void child.ended.then((code) => {
    dead = true;
    if (child.stopping()) return;
    process.stderr.write(`${contestant.name} ended by itself with ${code}:\n${lastWords()}\n`);
  });
  const [nothing] = requestsOf(QUERIES[0]!, 1);
  for (;;) {
    const answered = await ask(url, nothing!).catch(() => undefined);
    if (answered?.data) return { contestant, url, child, readyMs: performance.now() - began };
    if (dead || performance.now() - began > READY_WITHIN_MS) {
      await child.stop();
      throw new Error(`${contestant.name} did not start:\n${lastWords()}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

export interface Answered {
  readonly data: unknown;
  readonly errors: unknown;
  /** Length of the body, in bytes. */
  readonly bytes: number;
  readonly wallMs: number;
}

// Connections outlive the pauses between questions, so that none is paid for by a question.
const agent = new Agent({ keepAliveTimeout: 60_000, headersTimeout: 10_000, bodyTimeout: 10_000 });

export async function ask(url: string, { apiKey, body }: GraphQLRequest): Promise<Answered> {
  const began = performance.now();
  const answer = await request(`${url}/graphql`, {
    method: 'POST',
    dispatcher: agent,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      'x-api-key': apiKey,
    },
    body,
  });
  const text = await answer.body.text();
  const wallMs = performance.now() - began;
  // What is no JSON fails here, and so does a server that sends it.
  const { data, errors } = JSON.parse(text) as { data?: unknown; errors?: unknown };
  return { data, errors, bytes: Buffer.byteLength(text), wallMs };
}

/**
 * All servers return the same, or nothing is measured: what is wrong, a line each.
 *
 * The first is the reference; a response of it with an error or without data is no response.
 */
export async function findDifferences(
  [reference, ...others]: readonly Server[],
  queries: readonly BenchQuery[],
  callers: number,
): Promise<readonly string[]> {
  const faults: string[] = [];
  const say = ({ contestant }: Server, { name }: BenchQuery, what: string) =>
    faults.push(`${name}: ${contestant.name}: ${what.slice(0, 500)}`);
  for (const query of queries) {
    const requests = requestsOf(query, callers);
    // Who asks makes no difference to a response without a page: a few of them are enough.
    for (const one of query.takesPage ? requests : requests.slice(0, 3)) {
      const before = faults.length;
      const expected = await ask(reference!.url, one);
      if (expected.errors !== undefined || hasNothing(expected.data)) {
        say(reference!, query, `answered ${JSON.stringify(expected)}`);
      }
      const found = await Promise.all(others.map(({ url }) => ask(url, one)));
      found.forEach(({ data, errors }, i) => {
        if (errors !== undefined) say(others[i]!, query, `errors ${shortly(errors)}`);
        else if (!isDeepStrictEqual(expected.data, data))
          say(others[i]!, query, differenceOf('data', expected.data, data));
      });
      if (faults.length > before) break;
    }
  }
  return faults;
}

/** A root field that is null: nothing was found, and nothing would be measured. */
const hasNothing = (data: unknown): boolean =>
  !isObject(data) || Object.values(data).includes(null);

function differenceOf(path: string, expected: unknown, found: unknown): string {
  if (isObject(expected) && isObject(found)) {
    for (const name of new Set([...Object.keys(expected), ...Object.keys(found)])) {
      if (isDeepStrictEqual(expected[name], found[name])) continue;
      return differenceOf(`${path}.${name}`, expected[name], found[name]);
    }
  }
  return `${path} is ${shortly(found)} and not ${shortly(expected)}`;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

const shortly = (value: unknown): string => (JSON.stringify(value) ?? 'absent').slice(0, 200);
