/**
 * Prints how many bytes a waiting call keeps alive: the difference of two heaps, with 200 and with 3,200 waiting calls.
 *
 * `node --expose-gc --import tsx test/bench/waiting-calls.ts`. As many as there are connections have been sent, and the
 * backend is silent; the others are in the queue. Counted is what the REST client holds, and its caller's promise, but
 * not what undici holds of those that were sent.
 */
import { getHeapSnapshot } from 'node:v8';
import { createUpstream } from '../../src/rest/upstream.ts';
import { routes } from '../../src/v0/routes.ts';
import { DEFAULTS, scopeOf } from '../support/settings.ts';

const FEW = 200;
const MANY = 3_200;
const CALLS_OF_A_REQUEST = 20;

/** Takes requests and says nothing; undici would hold them as well. */
const handlers: unknown[] = [];
const silent = {
  dispatch: (_options: unknown, handler: unknown) => handlers.push(handler) > 0,
  close: async () => {},
};

const upstream = createUpstream({
  dispatcher: silent,
  ...{ pathPrefix: '', routeSet: 'extended', timeoutMs: DEFAULTS.backend.timeoutMs },
});

let asked = 0;
const promises: Promise<unknown>[] = [];

function wait(count: number): void {
  for (; asked < count;) {
    const client = upstream(scopeOf({ apiKey: `key-${(asked / CALLS_OF_A_REQUEST) % 50}` }));
    for (let i = 0; i < CALLS_OF_A_REQUEST; i++, asked++) {
      promises.push(client.call(routes.getPerson, { path: { person_id: `person_${asked}` } }));
    }
  }
}

/** Bytes of all objects that are reachable, counted node by node. */
async function heapBytes(): Promise<number> {
  const chunks: Buffer[] = [];
  for await (const chunk of getHeapSnapshot()) chunks.push(chunk as Buffer);
  const { snapshot, nodes } = JSON.parse(Buffer.concat(chunks).toString()) as {
    snapshot: { meta: { node_fields: string[] } };
    nodes: number[];
  };
  const { node_fields: fields } = snapshot.meta;
  let bytes = 0;
  for (let i = fields.indexOf('self_size'); i < nodes.length; i += fields.length)
    bytes += nodes[i]!;
  return bytes;
}

wait(FEW);
await heapBytes();
const few = await heapBytes();
wait(MANY);
const many = await heapBytes();
process.stdout.write(`${Math.round((many - few) / (MANY - FEW))}\n`);
process.exit();
