/**
 * What answers cost beyond their REST calls, against `{ __typename }`, which makes none.
 *
 * CPU time a request of one process that is both the gateway and a bare HTTP server which makes the same
 * calls with the gateway's client. What a turn of the gateway takes more than a turn of calls beside it
 * is what an answer costs beyond its calls. Turns are short and come in any order: in a fixed one the same
 * turns would always pay for collecting what others left. Callers have keys of their own, so that no calls
 * are shared.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { brotliDecompressSync } from 'node:zlib';
import { Pool } from 'undici';
import type { GatewayAndCalls, GatewayAndCallsOptions } from './gateway-and-calls.ts';
import { has, NODE_FLAGS } from './machine.ts';
import { median } from './median.ts';

const CALLERS = 8;
const TRIALS = 2;
const ROUNDS = 120;
const WARM_UP = 6;
const REQUESTS = { calling: 10, free: 50 };

const BR = { 'accept-encoding': 'br' };

interface Variant {
  readonly name: string;
  readonly calls: boolean;
  /** The request of a caller for the nth time. */
  readonly request: (n: number, etag: string) => Asked;
}

interface Asked {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface BeyondRestOptions extends GatewayAndCallsOptions {
  readonly documentId: string;
}

/** @returns rows of a table, its head first. */
export async function measureBeyondRest(options: BeyondRestOptions): Promise<string[][]> {
  const variants = variantsOf(options);
  const measured: (readonly Sample[])[] = [];
  for (let i = 0; i < TRIALS; i++) measured.push(...(await measureProcess(options, variants)));
  const base = median(measured.map(([first]) => first!.micros));
  return [
    [
      'request',
      'CPU',
      'of it REST calls',
      'beyond',
      'half of all',
      'of `{ __typename }` requests/s',
    ],
    ['---', '--:', '--:', '--:', '--:', '--:'],
    ...variants.map(({ name, calls }, i) => {
      const samples = measured.map((round) => round[i]!);
      const beyond = samples.map(({ micros, rest }) => micros - rest).sort((a, b) => a - b);
      const quarter = (part: number): string => whole(beyond[Math.floor(part * beyond.length)]!);
      return [
        name,
        whole(median(samples.map(({ micros }) => micros))),
        calls ? whole(median(samples.map(({ rest }) => rest))) : '–',
        whole(median(beyond)),
        `${quarter(0.25)} to ${quarter(0.75)}`,
        `${(base / median(beyond)).toFixed(2)}×`,
      ];
    }),
  ];
}

const whole = (micros: number): string => `${Math.round(micros).toLocaleString('en')} µs`;

function variantsOf({ query, variables, documentId }: BeyondRestOptions): readonly Variant[] {
  const post = (body: object, headers = {}): Asked => ({
    ...{ method: 'POST', path: '/graphql', body: JSON.stringify(body) },
    headers: { 'content-type': 'application/json', ...headers },
  });
  const search = new URLSearchParams({ documentId, variables: JSON.stringify(variables) });
  const get: Asked = { method: 'GET', path: `/graphql?${search.toString()}` };
  return [
    { name: '`{ __typename }`', calls: false, request: () => post({ query: '{ __typename }' }) },
    {
      name: 'trusted GET, 304',
      calls: true,
      request: (_n, etag) => ({ ...get, headers: { 'if-none-match': etag } }),
    },
    {
      name: 'trusted GET, kept answer, br',
      calls: true,
      request: () => ({ ...get, headers: BR }),
    },
    {
      name: 'trusted POST, kept answer, br',
      calls: true,
      request: () => post({ documentId, variables }, BR),
    },
    { name: 'text by POST, kept answer', calls: true, request: () => post({ query, variables }) },
    {
      name: 'text by POST, executed',
      calls: true,
      // A document of its own: one that is seldom repeated is seldom looked for among kept answers.
      request: (n) => post({ query: `${query}\n`, variables: { ...variables, n } }),
    },
  ];
}

/** In microseconds of CPU a request: a variant, and the REST calls of such a request beside it. */
interface Sample {
  readonly micros: number;
  readonly rest: number;
}

/** Measures a fresh process. @returns a sample a variant, for each round. */
async function measureProcess(
  options: BeyondRestOptions,
  variants: readonly Variant[],
): Promise<(readonly Sample[])[]> {
  const child = fork(new URL('gateway-and-calls.ts', import.meta.url), {
    // Kept on one core, where that can be said.
    ...(has('taskset') && { execPath: 'taskset' }),
    execArgv: [
      ...(has('taskset') ? ['-c', '0', process.execPath] : []),
      ...NODE_FLAGS,
      '--import',
      'tsx',
    ],
  });
  child.send(options);
  const [urls] = (await once(child, 'message')) as [GatewayAndCalls];
  const pool = new Pool(urls.gateway, { connections: CALLERS });
  const bare = new Pool(urls.calls, { connections: CALLERS });
  try {
    const ask = async ({ method, path, headers, body }: Asked, caller: number) => {
      const answer = await pool.request({
        ...{ method, path, body: body ?? null },
        headers: { 'x-api-key': `phone-${caller}`, accept: 'application/json', ...headers },
      });
      const bytes = Buffer.from(await answer.body.arrayBuffer());
      return { status: answer.statusCode, headers: answer.headers, bytes };
    };
    const trusted = variants[1]!;
    const executed = variants.at(-1)!;
    const tags = await Promise.all(
      Array.from({ length: CALLERS }, async (_, i) =>
        String((await ask(trusted.request(0, ''), i)).headers['etag']),
      ),
    );
    const expected = (await ask(executed.request(-1, ''), 0)).bytes.length;
    const cpuMicros = async (): Promise<number> => {
      child.send('cpu');
      return ((await once(child, 'message')) as [number])[0];
    };
    const measure = async (
      times: number,
      askOnce: (caller: number) => Promise<void>,
    ): Promise<number> => {
      const before = await cpuMicros();
      await Promise.all(
        tags.map(async (_, caller) => {
          for (let i = 0; i < times; i++) await askOnce(caller);
        }),
      );
      return ((await cpuMicros()) - before) / (times * tags.length);
    };
    let n = 0;
    const measureVariant = ({ name, calls, request }: Variant): Promise<number> =>
      measure(calls ? REQUESTS.calling : REQUESTS.free, async (caller) => {
        const { status, headers, bytes } = await ask(request(n++, tags[caller]!), caller);
        const length = headers['content-encoding']
          ? brotliDecompressSync(bytes).length
          : bytes.length;
        const isRight = name.endsWith('304')
          ? status === 304
          : status === 200 && (!calls || length === expected);
        if (!isRight) throw new Error(`${name} answers ${status}: ${bytes.toString()}`);
      });
    const measureBare = (path: string, times: number): Promise<number> =>
      measure(times, async (caller) => {
        const answer = await bare.request({
          ...{ method: 'GET', path, headers: { 'x-api-key': `phone-${caller}` } },
        });
        const text = await answer.body.text();
        if (answer.statusCode !== 200) throw new Error(`The bare server answers ${text}`);
      });
    const measured: (readonly Sample[])[] = [];
    for (let round = -WARM_UP; round < ROUNDS; round++) {
      const none = await measureBare('/', REQUESTS.free);
      const samples: Sample[] = [];
      for (const i of shuffled(variants.keys())) {
        const variant = variants[i]!;
        const measures = [
          async () => (variant.calls ? (await measureBare('/calls', REQUESTS.calling)) - none : 0),
          () => measureVariant(variant),
        ];
        const [rest, micros] = await inAnyOrder(measures);
        samples[i] = { rest: rest!, micros: micros! };
      }
      if (round >= 0) measured.push(samples);
    }
    return measured;
  } finally {
    await bare.close();
    await pool.close();
    child.kill();
    await once(child, 'exit');
  }
}

/** Takes measures one after the other. @returns their results in the order in which they were given. */
async function inAnyOrder(measures: readonly (() => Promise<number>)[]): Promise<number[]> {
  const results: number[] = [];
  for (const i of shuffled(measures.keys())) results[i] = await measures[i]!();
  return results;
}

const shuffled = <Item>(items: Iterable<Item>): Item[] =>
  Array.from(items, (item) => ({ item, rank: Math.random() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ item }) => item);
