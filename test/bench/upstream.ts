/**
 * The backend of every server: the same responses, from nginx at once, or from here after a while.
 *
 * nginx costs the least and is for load. This one hears every call, can be slow, and needs nothing
 * installed: it counts the calls of a query, and how many of them waited for each other.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import type { Answers } from './responses.ts';
import { freePort } from '../support/free-port.ts';
import { findProgram, start } from './machine.ts';

export interface Upstream {
  /** `http://127.0.0.1:<port>`: what servers get as UPSTREAM_URL. */
  readonly url: string;
  /** Calls that it has responded to. */
  calls(): Promise<number>;
  close(): Promise<void>;
}

export interface HeardCall {
  readonly path: string;
  readonly startMs: number;
  endMs: number;
}

export interface SlowUpstream extends Upstream {
  /** Calls since the last `forget`, in the order they arrived. */
  readonly heard: readonly HeardCall[];
  forget(): void;
}

/** Of so many strings of a response one is taken by lot, where responses change. */
const VARIANTS = 16;

/**
 * @param folder an empty one, for its files.
 * @param changing whether a response is hardly ever, byte for byte, what it was before.
 */
export async function openNginx(
  answers: Answers,
  folder: string,
  { changing = false }: { readonly changing?: boolean } = {},
): Promise<Upstream> {
  for (let variant = 0; variant < (changing ? VARIANTS : 1); variant++) {
    for (const [path, body] of answers) {
      const file = join(folder, `answers/${variant}`, `${path}.json`);
      mkdirSync(dirname(file), { recursive: true });
      // Of equal length, since faults are found by it; JSON may have white space at either end.
      writeFileSync(file, ' '.repeat(variant) + body + ' '.repeat(VARIANTS - variant));
    }
  }
  const port = await freePort();
  const configuration = join(folder, 'nginx.conf');
  writeFileSync(configuration, nginxConfiguration(folder, port, changing));
  const nginx = start(1, [findProgram('nginx')!, '-p', folder, '-c', configuration]);
  const url = `http://127.0.0.1:${port}`;
  const status = async (): Promise<string> => (await fetch(`${url}/status`)).text();
  // Requesting its status is a request too, which it counts.
  let asked = 0;
  const calls = async (): Promise<number> => {
    const [, total = ''] = /^ \d+ \d+ (\d+)/m.exec(await status()) ?? [];
    return Number(total) - ++asked;
  };
  for (let tries = 0; ; tries++) {
    try {
      await calls();
      break;
    } catch (cause) {
      if (tries > 50) throw new Error(`nginx did not start: ${nginx.output()}`, { cause });
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  return { url, calls, close: () => nginx.stop() };
}

/** One process without a master, so that its one pid is all there is to end. */
const nginxConfiguration = (folder: string, port: number, changing: boolean): string => `
daemon off; master_process off; worker_processes 1; worker_rlimit_nofile 20000;
pid ${folder}/nginx.pid; error_log stderr crit;
# Some peers open a connection for every call under way: 3200 each.
events { worker_connections 16384; }
http {
  access_log off; sendfile off; tcp_nodelay on;
  keepalive_timeout 600s; keepalive_requests 1000000000;
  open_file_cache max=8000 inactive=1h; open_file_cache_valid 1h;
  client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi; uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
  types { } default_type application/json;
  # As of a service, not of files: nothing a client may keep.
  etag off; if_modified_since off; add_header Last-Modified ""; add_header Cache-Control "private, max-age=0";
  split_clients "$request_id" $variant { ${lots(changing)} * 0; }
  server {
    listen 127.0.0.1:${port}; root ${folder}/answers;
    location = /status { stub_status; }
    location /v0/ { if ($http_x_api_key = "") { return 401; } try_files /$variant$uri.json =404; }
  }
}
`;

/** Equal shares of all variants, as nginx writes them; what is left over goes to the first. */
const lots = (changing: boolean): string =>
  Array.from(
    { length: changing ? VARIANTS - 1 : 0 },
    (_, i) => `${100 / VARIANTS}% ${i + 1};`,
  ).join(' ');

/** @param latencyMs how long every response is held back. */
export async function openSlowUpstream(answers: Answers, latencyMs: number): Promise<SlowUpstream> {
  const bodies = new Map([...answers].map(([path, body]) => [path, Buffer.from(body)]));
  let total = 0;
  let heard: HeardCall[] = [];
  const server = createServer((request, response) => {
    const path = (request.url ?? '').split('?')[0]!;
    const call = { path, startMs: performance.now(), endMs: Infinity };
    total += 1;
    heard.push(call);
    const answer = (): void => {
      const body = bodies.get(path);
      const status = request.headers['x-api-key'] ? (body ? 200 : 404) : 401;
      call.endMs = performance.now();
      response.writeHead(status, {
        'content-type': 'application/json',
        'cache-control': 'no-store',
      });
      response.end(status === 200 ? body : '{}');
    };
    onceItIs(call.startMs + latencyMs, answer);
  });
  server.keepAliveTimeout = 600_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // As above: a listening TCP server has an AddressInfo.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    calls: () => Promise.resolve(total),
    get heard() {
      return heard;
    },
    forget: () => {
      heard = [];
    },
    close: () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      return closed;
    },
  };
}

/** Milliseconds before its time in which a timer is not relied on: they are late by one, now and then. */
const TIMER_SLACK_MS = 2;

function onceItIs(dueMs: number, run: () => void): void {
  const leftMs = dueMs - performance.now();
  if (leftMs <= 0) run();
  else if (leftMs > TIMER_SLACK_MS) setTimeout(onceItIs, leftMs - TIMER_SLACK_MS, dueMs, run);
  else setImmediate(onceItIs, dueMs, run);
}

/** The longest chain of calls of which each began after the one before had ended. */
export function roundsOf(heard: readonly HeardCall[]): number {
  const ended: { readonly endMs: number; readonly round: number }[] = [];
  for (const { startMs, endMs } of heard) {
    const before = ended.filter((call) => call.endMs <= startMs).map(({ round }) => round);
    ended.push({ endMs, round: Math.max(0, ...before) + 1 });
  }
  return Math.max(0, ...ended.map(({ round }) => round));
}
