/**
 * Model test of one WebSocket: random sequences of its client's messages, the backend's responses, and the end of the
 * socket. Each operation gets a response once, or not at all after its client has completed it, and nothing stays open.
 *
 * A failure prints the commands that led to it, shrunk to the fewest.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { formatNodeId } from '../../src/graph/types/node-id.ts';
import { routes } from '../../src/v0/routes.ts';
import { cases } from '../support/cases.ts';
import { KEY } from '../support/client.ts';
import { held, ok } from '../support/faults.ts';
import { openGateway, type InProcessGateway } from '../support/open-gateway.ts';
import { isOperation, openLog } from '../support/open-log.ts';
import { until } from '../support/until.ts';
import { sampleOf, world } from '../support/world.ts';
import { openSocket, WATCH, type Socket } from './support.ts';

type Kind = 'query' | 'mutation' | 'subscription';

interface ModelOperation {
  /** Its objects in the backend are named after it. */
  readonly name: string;
  readonly id: string;
  readonly kind: Kind;
  /** Whether its client still waits for results. */
  isOpen: boolean;
  /** Whether it is still executed. */
  isRunning: boolean;
}

interface Model {
  readonly operations: ModelOperation[];
  isClosed: boolean;
  isDraining: boolean;
  /** Messages that the client has received, in any order. */
  readonly messages: string[];
}

interface Real {
  readonly site: InProcessGateway;
  readonly socket: Socket;
  /** Number of finished operations in the log, and of started subscriptions. */
  readonly logged: () => number;
  /** Releases the backend's response to an operation. */
  readonly answer: (name: string) => void;
  /** Whether the backend has received the call of an operation. */
  readonly isCalled: (name: string) => boolean;
}

const DOCUMENTS: Readonly<Record<Kind, (name: string) => [query: string, variables: object]>> = {
  query: (name) => [`{ person(personId: "${name}") { personId } }`, {}],
  mutation: (name) => [
    'mutation ($id: ID!) { updateTopic(input: { id: $id, title: "New" }) { topic { topicId } } }',
    { id: formatNodeId('Topic', [name]) },
  ],
  subscription: (name) => [
    WATCH.replace('{ id status }', '{ versionId status }'),
    { id: formatNodeId('AudienceVersion', ['p', 'a', name]) },
  ],
};

const isBusy = ({ operations }: Model): boolean =>
  operations.some(({ isOpen, kind }) => isOpen && kind !== 'subscription');

/** Ends the operations of a closed socket. */
function close(model: Model): void {
  model.isClosed = true;
  for (const operation of model.operations) leave(operation);
}

function leave(operation: ModelOperation): void {
  if (operation.kind !== 'mutation') operation.isRunning = false;
  operation.isOpen = false;
}

/** Waits until the gateway is where the model is. */
async function settled(model: Model, { site, socket, logged }: Real): Promise<void> {
  if (model.isDraining && !isBusy(model) && !model.isClosed) {
    close(model);
    expect(await socket.closed).toBe(1012);
  }
  const { operations } = model;
  const ended = operations.filter(({ kind, isRunning }) => kind === 'subscription' || !isRunning);
  const subscribed = operations.filter((one) => one.kind === 'subscription' && one.isOpen);
  await until(() => {
    expect(logged()).toBe(ended.length);
    expect(site.gateway.subscriptions.size).toBe(subscribed.length);
    expect(messagesOf(socket)).toEqual([...model.messages].sort());
  }, 5_000);
}

/** `next 1 n0`: the type, the id, and the name of the operation that the result belongs to. */
const messagesOf = (socket: Socket): string[] =>
  ['next', 'error', 'complete']
    .flatMap((type) => socket.received(type))
    .map(({ id, type, payload }) => {
      const [name = ''] = /n\d+/.exec(JSON.stringify(payload ?? {})) ?? [];
      return `${type} ${id} ${name}`.trim();
    })
    .sort();

class Subscribe implements fc.AsyncCommand<Model, Real> {
  readonly #id: string;
  readonly #kind: Kind;

  constructor(id: string, kind: Kind) {
    this.#id = id;
    this.#kind = kind;
  }

  check = ({ operations, isClosed, isDraining }: Model): boolean =>
    !isClosed && !isDraining && !operations.some((one) => one.isOpen && one.id === this.#id);

  async run(model: Model, real: Real): Promise<void> {
    const { operations, messages } = model;
    const [id, kind, name] = [this.#id, this.#kind, `n${operations.length}`];
    operations.push({ name, id, kind, isOpen: true, isRunning: true });
    if (kind === 'subscription') messages.push(`next ${id} ${name}`);
    const [query, variables] = DOCUMENTS[kind](name);
    real.socket.subscribe(id, variables, query);
    await until(() => real.isCalled(name));
    await settled(model, real);
  }

  toString = (): string => `subscribe ${this.#id} with a ${this.#kind}`;
}

class Complete implements fc.AsyncCommand<Model, Real> {
  readonly #id: string;

  constructor(id: string) {
    this.#id = id;
  }

  check = ({ isClosed }: Model): boolean => !isClosed;

  async run(model: Model, real: Real): Promise<void> {
    const { socket } = real;
    const pongs = socket.received('pong').length;
    model.operations.filter(({ isOpen, id }) => isOpen && id === this.#id).forEach(leave);
    socket.send({ id: this.#id, type: 'complete' });
    socket.send({ type: 'ping' });
    if (!model.isDraining) await until(() => socket.received('pong').length > pongs);
    await settled(model, real);
  }

  toString = (): string => `complete ${this.#id}`;
}

class Answer implements fc.AsyncCommand<Model, Real> {
  readonly #which: number;

  constructor(which: number) {
    this.#which = which;
  }

  check = ({ operations }: Model): boolean => operations.some(({ isRunning }) => isRunning);

  async run(model: Model, real: Real): Promise<void> {
    const running = model.operations.filter(({ isRunning }) => isRunning);
    const operation = running[this.#which % running.length]!;
    const { id, name } = operation;
    if (operation.isOpen) model.messages.push(`next ${id} ${name}`, `complete ${id}`);
    operation.isOpen = false;
    operation.isRunning = false;
    real.answer(name);
    await settled(model, real);
  }

  toString = (): string => `answer operation ${this.#which} of those under way`;
}

const close_: fc.AsyncCommand<Model, Real> = {
  check: ({ isClosed }) => !isClosed,
  run: async (model, real) => {
    close(model);
    real.socket.socket.terminate();
    await settled(model, real);
  },
  toString: () => 'close',
};

const drain: fc.AsyncCommand<Model, Real> = {
  check: ({ isClosed, isDraining }) => !isClosed && !isDraining,
  run: async (model, real) => {
    model.isDraining = true;
    await real.site.gateway.subscriptions.drain(0);
    await settled(model, real);
  },
  toString: () => 'drain',
};

const id = fc.constantFrom('1', '2');
const kind = fc.constantFrom<Kind>('query', 'mutation', 'subscription');

const subscribe = fc.tuple(id, kind).map((given) => new Subscribe(...given));
const complete = id.map((one) => new Complete(one));
const answer = fc.nat({ max: 5 }).map((which) => new Answer(which));

/** The end of the socket is drawn less often than what happens before it. */
const commands = [
  ...[subscribe, complete, answer, subscribe, complete, answer, subscribe, complete, answer],
  ...[fc.constant(close_), fc.constant(drain)],
];

async function openReal(): Promise<Real> {
  const { lines, logger } = openLog('info');
  const site = await openGateway({
    logger,
    backend: 'faulty',
    live: { pollMs: { least: 10, most: 20 } },
  });
  const answers = new Map<string, ReturnType<typeof held>>();
  const published = new Set<string>();
  site.upstream.on('*', (response, seen, socket) => {
    const [name = ''] = /n\d+/.exec(seen.target) ?? [];
    if (seen.target.includes('/versions/')) {
      answers.set(name, { behaviour: world(), release: () => published.add(name) });
      const status = published.has(name) ? 'published' : 'draft';
      const ids = { page_id: 'p', audience_id: 'a', version_id: name };
      return ok({ ...sampleOf(routes.getVersion, ids), status })(response, seen, socket);
    }
    const answer = held(world());
    answers.set(name, answer);
    return answer.behaviour(response, seen, socket);
  });
  return {
    site,
    socket: await openSocket(site.url, { payload: { 'x-api-key': KEY } }),
    logged: () => lines.filter(isOperation).length,
    answer: (name) => answers.get(name)!.release(),
    isCalled: (name) => answers.has(name),
  };
}

it('completes each operation once and leaves nothing open for any sequence of messages, responses and disconnects', async () => {
  await fc.assert(
    fc.asyncProperty(fc.commands(commands, { maxCommands: 16, size: 'max' }), async (sequence) => {
      const model: Model = { operations: [], isClosed: false, isDraining: false, messages: [] };
      const real = await openReal();
      try {
        await fc.asyncModelRun(() => ({ model, real }), sequence);

        if (!model.isClosed) await close_.run(model, real);
        for (const { name, isRunning } of model.operations) if (isRunning) real.answer(name);
        await real.site.gateway.idle();
        expect(real.logged()).toBe(model.operations.length);
        await until(() => real.site.gateway.pollers.size === 0, 5_000);
      } finally {
        await real.site.close();
      }
    }),
    { numRuns: cases(20), endOnFailure: false },
  );
});
