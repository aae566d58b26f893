/**
 * Unusual documents over every transport: each gets a response or is rejected, and none makes the gateway fail.
 *
 * The documents are syntactically valid and mostly fit the schema, so that they reach validation and execution. A
 * failure prints the seed and the document.
 */
import {
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
  isObjectType,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLNamedOutputType,
  type GraphQLObjectType,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { schema } from '../../src/app/schema.ts';
import { cases } from '../support/cases.ts';
import { KEY } from '../support/client.ts';
import { SAMPLE_NODES } from '../support/ids.ts';
import { openGateway } from '../support/open-gateway.ts';
import { randomFrom } from '../support/random-query.ts';

interface Asked {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly operationName?: string | undefined;
}

/** The response of a transport: its status, or 0 for a socket, and its text up to the first event or message. */
interface Told {
  readonly status: number;
  readonly text: string;
}

type Transport = (url: string, asked: Asked, socket: WebSocket) => Promise<Told>;

const HEADERS = { 'x-api-key': KEY, 'content-type': 'application/json' };

const post =
  (accept: string): Transport =>
  (url, asked) =>
    read(`${url}/graphql`, {
      method: 'POST',
      headers: { ...HEADERS, accept },
      body: JSON.stringify(asked),
    });

const TRANSPORTS: Readonly<Record<string, Transport>> = {
  POST: post('application/graphql-response+json'),
  'POST for application/json': post('application/json'),
  GET: (url, { query, variables, operationName }) => {
    const search = new URLSearchParams({ query, variables: JSON.stringify(variables) });
    if (operationName !== undefined) search.set('operationName', operationName);
    return read(`${url}/graphql?${search.toString()}`, { headers: HEADERS });
  },
  'server-sent events': post('text/event-stream'),
  multipart: post('multipart/mixed;incrementalSpec=v0.2, application/json'),
  WebSocket: askSocket,
};

describe('an unusual document', () => {
  it('is executed or rejected over every transport, without INTERNAL_SERVER_ERROR or a 5xx status', async () => {
    const { url } = await openGateway({ backend: 'faulty' });
    const socket = await openSocket(url);
    const codes = new Map<string, number>();
    const count = cases(500);

    for (let from = 0; from < count; from += 20) {
      const seeds = Array.from({ length: 20 }, (_, i) => from + i);
      await Promise.all(
        seeds.map(async (seed) => {
          const asked = oddDocument(seed);
          for (const [transport, ask] of Object.entries(TRANSPORTS)) {
            const told = await ask(url, asked, socket);
            const hint = `${transport}, seed ${seed}: ${JSON.stringify(asked)} ${told.text.slice(0, 500)}`;
            expect(told.status, hint).toBeLessThan(500);
            expect(told.text, hint).not.toContain('INTERNAL_SERVER_ERROR');
            for (const [, code] of told.text.matchAll(/"code":"(\w+)"/g)) {
              codes.set(code!, (codes.get(code!) ?? 0) + 1);
            }
            if (told.text.includes('"data":{')) codes.set('data', (codes.get('data') ?? 0) + 1);
          }
        }),
      );
    }

    expect(socket.readyState).toBe(WebSocket.OPEN);
    socket.terminate();
    // They get to every stage: validation, variables, execution.
    for (const stage of ['GRAPHQL_VALIDATION_FAILED', 'BAD_USER_INPUT', 'data']) {
      expect(codes.get(stage), stage).toBeGreaterThan(count / 10);
    }
  }, 300_000);
});

/** Reads a response to its end, or a stream to its first event. */
async function read(url: string, init: RequestInit): Promise<Told> {
  const leaving = new AbortController();
  const response = await fetch(url, { ...init, signal: leaving.signal });
  const type = response.headers.get('content-type') ?? '';
  if (!type.startsWith('text/event-stream')) {
    return { status: response.status, text: await response.text() };
  }
  let text = '';
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    text += Buffer.from(chunk).toString();
    if (/^event: /m.test(text)) break;
  }
  leaving.abort();
  return { status: response.status, text };
}

async function openSocket(url: string): Promise<WebSocket> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  socket.setMaxListeners(0);
  const acknowledged = new Promise((resolve) => socket.once('message', resolve));
  socket.once('open', () => {
    socket.send(JSON.stringify({ type: 'connection_init', payload: { 'x-api-key': KEY } }));
  });
  await acknowledged;
  return socket;
}

let ids = 0;

/** The first message about an operation. */
function askSocket(_url: string, asked: Asked, socket: WebSocket): Promise<Told> {
  const id = `o${ids++}`;
  return new Promise((resolve, reject) => {
    const end = (told: Told | Error): void => {
      socket.off('message', onMessage);
      socket.off('close', onClose);
      if (told instanceof Error) reject(told);
      else resolve(told);
    };
    const onClose = (code: number): void => {
      end(new Error(`The socket was closed with ${code}: ${JSON.stringify(asked)}`));
    };
    const onMessage = (data: Buffer): void => {
      const message = JSON.parse(data.toString()) as {
        readonly id?: string;
        readonly type: string;
      };
      if (message.id !== id) return;
      if (message.type === 'next') socket.send(JSON.stringify({ id, type: 'complete' }));
      end({ status: 0, text: JSON.stringify(message) });
    };
    socket.on('message', onMessage);
    socket.on('close', onClose);
    socket.send(JSON.stringify({ id, type: 'subscribe', payload: asked }));
  });
}

/** Ordinary names, and names of JavaScript prototypes, which callers may use as well. */
const KEYS = ['a', 'b', 'then', '__proto__', 'constructor', 'toString', 'id'];

const ODD_VALUES: readonly unknown[] = [
  ...[null, true, 0, -1, 1.5, 7, 2 ** 53, 1e21, '', 'text', 'page_1', '../x', [], [null], [[1]]],
  ...[{}, { a: 1 }, { id: 'x' }, JSON.parse('{ "__proto__": { "id": "x" } }')],
];

const ODD_LITERALS = [
  ...['null', 'true', '0', '-1', '1.5', '7', '9007199254740993', '""', '"text"', 'ENUM', '[]'],
  ...['[null]', '[[1]]', '{}', '{ a: 1 }', '{ id: "x" }', '"""block"""', '1e400'],
];

/** A syntactically valid document that mostly fits the schema and has a few oddities. */
function oddDocument(seed: number): Asked {
  const random = randomFrom(seed + 530_000);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!;
  const chance = (probability: number): boolean => random() < probability;
  const some = <T>(most: number, make: () => T): T[] =>
    Array.from({ length: Math.floor(random() * (most + 1)) }, make);
  const oddness = pick([0, 0.03, 0.1, 0.3]);
  const isOdd = (): boolean => chance(oddness);

  const fragments = new Map<string, string>();
  const variables: Record<string, unknown> = {};
  const declarations: string[] = [];

  const kind = pick(['query', 'query', 'query', 'subscription', 'subscription', 'mutation']);
  const root = { query: schema.getQueryType(), mutation: schema.getMutationType() }[kind];
  const type = root ?? schema.getSubscriptionType()!;
  const isSubscription = kind === 'subscription';
  const body = selection(type, 3, isSubscription && !isOdd());
  const name = chance(0.5) ? pick(KEYS) : '';
  const others = isOdd() ? some(2, () => `query ${pick(KEYS)} { __typename }`) : [];
  const head = declarations.length > 0 ? `(${declarations.join(' ')})` : '';
  const operation = `${kind} ${name}${head}${isOdd() ? directive() : ''} ${body}`;
  const query = [operation, ...fragments.values(), ...others].join('\n');
  return { query, variables, ...(isOdd() && { operationName: pick(KEYS) }) };

  function selection(on: GraphQLNamedOutputType, depth: number, isSingle = false): string {
    const parts = isSingle
      ? [part(on, depth)]
      : [part(on, depth), ...some(2, () => part(on, depth))];
    return `{ ${parts.join(' ')} }`;
  }

  function part(on: GraphQLNamedOutputType, depth: number): string {
    if (depth > 0 && chance(0.15)) {
      const condition = chance(0.6)
        ? `on ${isOdd() ? pick(['Query', 'Node', 'Nobody']) : on.name}`
        : '';
      return `... ${condition}${directives()} ${selection(on, depth - 1, on === schema.getSubscriptionType())}`;
    }
    if (depth > 0 && chance(0.15)) return `...${spread(on, depth)}${directives()}`;
    return field(on, depth);
  }

  function spread(on: GraphQLNamedOutputType, depth: number): string {
    if (isOdd()) return pick(['Nobody', ...fragments.keys()]);
    const fragment = `F${fragments.size}`;
    // Reserved first, so that its own selection can spread it.
    fragments.set(fragment, '');
    const inner = selection(on, depth - 1, on === schema.getSubscriptionType());
    fragments.set(
      fragment,
      `fragment ${fragment} on ${on.name}${isOdd() ? directive() : ''} ${inner}`,
    );
    return fragment;
  }

  function field(on: GraphQLNamedOutputType, depth: number): string {
    const alias = chance(0.2) ? `${pick(KEYS)}: ` : '';
    const known = 'getFields' in on ? Object.values(on.getFields()) : [];
    const fields = (known as GraphQLField<unknown, unknown>[]).filter(
      ({ type: of }) => depth > 0 || !isObjectType(getNamedType(of)),
    );
    if (fields.length === 0 || chance(0.1)) return `${alias}__typename${directives()}`;
    if (isOdd()) return `${alias}nothing${directives()}`;
    const found = pick(fields);
    const below = getNamedType(found.type);
    const isLeaf = !('getFields' in below) && !('getTypes' in below);
    const inner = isLeaf !== isOdd() ? '' : ` ${selection(below as GraphQLObjectType, depth - 1)}`;
    return `${alias}${found.name}${argumentsOf(found)}${directives()}${inner}`;
  }

  function argumentsOf({ args }: GraphQLField<unknown, unknown>): string {
    const isLookup = args.some((arg) => arg.name === 'id' && !String(arg.type).endsWith('!'));
    const given = args.flatMap((arg) => {
      const isNeeded = isLookup ? arg.name !== 'id' : String(arg.type).endsWith('!');
      if (isOdd() || (!isNeeded && chance(0.7))) return [];
      return [`${arg.name}: ${value(arg.type, arg.name)}`];
    });
    if (isOdd()) given.push(`nothing: ${pick(ODD_LITERALS)}`);
    return given.length > 0 ? `(${given.join(' ')})` : '';
  }

  function value(of: GraphQLInputType, as: string, depth = 3): string {
    if (isOdd()) return pick(ODD_LITERALS);
    if (chance(0.3)) return variable(String(of), sample(of, as));
    const nullable = getNullableType(of);
    if (isListType(nullable))
      return `[${some(2, () => value(nullable.ofType, as, depth)).join(' ')}]`;
    if (isInputObjectType(nullable)) {
      const fields = Object.values(nullable.getFields()).filter(
        (one) => String(one.type).endsWith('!') || (depth > 0 && chance(0.2)),
      );
      return `{ ${fields.map((one) => `${one.name}: ${value(one.type, one.name, depth - 1)}`).join(' ')} }`;
    }
    return JSON.stringify(sample(of, as)).replace(/^"([A-Z_]+)"$/, '$1');
  }

  function sample(of: GraphQLInputType, as: string): unknown {
    const nullable = getNullableType(of);
    if (isListType(nullable)) return [sample(nullable.ofType, as)];
    if (as === 'id' || as === 'ids') return pick(SAMPLE_NODES);
    switch (String(nullable)) {
      case 'Int':
      case 'SafeInt':
      case 'Float':
        return pick([0, 1, 3]);
      case 'Boolean':
        return chance(0.5);
      default:
        return pick(['p1', 'text']);
    }
  }

  /** A variable of the wanted type or of a similar one, with a default or without, sent or not. */
  function variable(of: string, good: unknown): string {
    const variableName = pick(
      declarations.length > 0 && isOdd() ? ['v0', 'nobody'] : [`v${declarations.length}`],
    );
    if (variableName !== `v${declarations.length}`) return `$${variableName}`;
    const declared = isOdd()
      ? pick([of.replace('!', ''), `[${of}]`, 'Boolean', 'Page', 'Nobody', 'ID'])
      : of;
    const byDefault = chance(0.2) || isOdd();
    const written = isOdd() ? pick(ODD_LITERALS) : JSON.stringify(good);
    declarations.push(
      `$${variableName}: ${declared}${byDefault ? ` = ${written}` : ''}${isOdd() ? directive() : ''}`,
    );
    if (isOdd()) variables[variableName] = pick(ODD_VALUES);
    else if (!byDefault || chance(0.5)) variables[variableName] = good;
    return `$${variableName}`;
  }

  function directives(): string {
    return some(2, () => (chance(0.1) || isOdd() ? directive() : '')).join('');
  }

  function directive(): string {
    const condition = (): string => {
      if (isOdd()) return pick(ODD_LITERALS);
      const on = chance(0.5);
      return chance(0.5) ? String(on) : variable(pick(['Boolean!', 'Boolean']), on);
    };
    const name = pick([
      'skip',
      'include',
      'skip',
      'include',
      'defer',
      'stream',
      'deprecated',
      'nobody',
    ]);
    if (isOdd()) return ` @${name}`;
    if (name === 'defer' || name === 'stream') {
      const label = chance(0.3) ? ` label: "l${Math.floor(random() * 3)}"` : '';
      return ` @${name}(if: ${condition()}${label}${isOdd() ? ' initialCount: -1' : ''})`;
    }
    return ` @${name}(if: ${condition()})`;
  }
}
