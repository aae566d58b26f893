/**
 * `npm run bench:defer`: when the first and the last of a nested screen are there, whole and deferred.
 *
 * The gateway and a backend that takes a fixed time for every call, in this process.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createUpstream } from '../../src/rest/client/client.ts';
import { BackendDispatcher } from '../../src/rest/transport/dispatcher.ts';
import { schema } from '../../src/app/schema.ts';
import { createGateway } from '../../src/gateway/gateway.ts';
import { openHttpServer } from '../../src/gateway/http/http-server.ts';
import { openFaultUpstream } from '../support/fault-upstream.ts';
import { world } from '../support/world.ts';
import { DEFAULTS } from '../support/settings.ts';

const DELAYS_MS = [20, 200];
const TIMES = 7;

const BELOW =
  'audiences(first: 20) { nodes { effectiveName latestVersion { status } person { name } } }';
const WHOLE = `{ page(pageId: "p") { name status ${BELOW} } }`;
const DEFERRED = `{ page(pageId: "p") { name status ... @defer { ${BELOW} } } }`;
const TWICE = `{ page(pageId: "p") { name status ... @defer { audiences(first: 20) { nodes {
  effectiveName ... @defer { latestVersion { status } person { name } } } } } } }`;

let delayMs = 0;
const upstream = await openFaultUpstream();
upstream.on('*', async (...args) => {
  await sleep(delayMs);
  await world()(...args);
});
const dispatcher = new BackendDispatcher(upstream.url);
const gateway = createGateway({
  ...DEFAULTS,
  schema,
  upstream: createUpstream({
    ...{ dispatcher, pathPrefix: '', routeSet: 'extended', timeoutMs: 5_000 },
  }),
});
const server = await openHttpServer(gateway, { ...DEFAULTS.http, port: 0 });

async function measure(query: string): Promise<readonly [firstMs: number, wholeMs: number]> {
  const startMs = performance.now();
  const response = await fetch(`${server.url}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'multipart/mixed;incrementalSpec=v0.2, application/json;q=0.9',
      'x-api-key': 'key',
    },
    body: JSON.stringify({ query }),
  });
  const reader = response.body!.getReader();
  let firstMs = 0;
  while (!(await reader.read()).done) firstMs ||= performance.now() - startMs;
  return [firstMs, performance.now() - startMs];
}

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!;

console.log('| a call takes | screen | first content | whole content |');
console.log('| -----------: | ------ | ------------: | ------------: |');
for (delayMs of DELAYS_MS) {
  for (const [name, query] of [
    ['whole', WHOLE],
    ['audiences deferred', DEFERRED],
    ['audiences, and what they refer to, deferred', TWICE],
  ] as const) {
    await measure(query);
    const taken: (readonly [number, number])[] = [];
    for (let i = 0; i < TIMES; i++) taken.push(await measure(query));
    const [first, whole] = [0, 1].map((at) => median(taken.map((one) => one[at]!)).toFixed(0));
    console.log(`| ${delayMs} ms | ${name} | ${first} ms | ${whole} ms |`);
  }
}
await server.close(0);
await dispatcher.destroy();
await upstream.stop();
