/** Decoding the bytes of a response: numbers, charset, byte order mark. */
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { WRITES_ALL_NUMBERS } from '../../src/rest/decode/json.ts';
import { ok, text } from '../support/faults.ts';
import { openGateway } from '../support/open-gateway.ts';
import { person, topic } from './open-rest.ts';

const log = (payload: string): string =>
  `{"personId":"p","personLogId":"l","source":"s","type":"t","payload":${payload},"idempotencyKey":null,` +
  `"createdAt":"+1700000000000","updatedAt":null,"deletedAt":null}`;

const LOGS = `{ person(personId: "p") { name logs { nodes { type payload } } } }`;

describe('a number in a response', () => {
  async function ask(payload: string) {
    const { upstream, ask: send } = await openGateway({ backend: 'faulty' });
    upstream.on('GET /v0/persons/p', ok(person('p')));
    const items = `[${log('{"fine":1}')},${log(payload)}]`;
    const envelope = '"hasMore":false,"nextCursor":null,"totalCount":2';
    upstream.on('GET /v0/persons/p/logs', text(`{"items":${items},${envelope}}`));
    return send(LOGS);
  }

  it.each([
    ['an id of 19 digits', '{"id":1610521604143693812}', '1610521604143693812'],
    [
      'the first integer that a double rounds',
      '{"a":[{"b":9007199254740993}]}',
      '9007199254740993',
    ],
    ['a negative integer that a double rounds', '{"id":-9007199254740993}', '-9007199254740993'],
    ['a number beyond the range of a double', '{"e":1e400}', '1e400'],
    ['a number that a double takes for zero', '{"e":-1e-400}', '-1e-400'],
    ['an integer of 500 digits', `{"n":${'9'.repeat(500)}}`, `${'9'.repeat(40)}…`],
  ])(
    'is passed on exactly or is an error at its payload, never rounded: %s',
    async (_name, payload, shown) => {
      const { text: body, data, errors } = await ask(payload);

      expect(data['person'].logs.nodes[0].payload).toEqual({ fine: 1 });
      if (WRITES_ALL_NUMBERS) {
        expect(body).toContain(`"payload":${payload}`);
        return;
      }
      expect(data['person'].logs.nodes[1]).toBeNull();
      expect(errors).toEqual([
        expect.objectContaining({
          path: ['person', 'logs', 'nodes', 1, 'payload'],
          message: expect.stringContaining(` ${shown} in "payload"`),
          extensions: expect.objectContaining({
            code: 'UPSTREAM_INVALID_RESPONSE',
            upstream: expect.objectContaining({ route: '/v0/persons/{person_id}/logs' }),
          }),
        }),
      ]);
    },
  );

  it.each(['9007199254740993', '1e-400', '1E-400', `0.${'0'.repeat(330)}1`])(
    'is an error that names its typed field when a double cannot represent it: %s',
    async (number) => {
      const { upstream, ask: send } = await openGateway({ backend: 'faulty' });
      const { sortOrder: _, ...rest } = topic('t');
      const body = JSON.stringify(rest).replace('{', `{"sortOrder":${number},`);
      upstream.on('GET /v0/topics/t', text(body));

      const { data, errors } = await send('{ topic(topicId: "t") { title sortOrder } }');

      expect(data['topic']).toBeNull();
      expect(errors[0]!.message).toContain(` ${number.slice(0, 40)}`);
      expect(errors[0]!.message).toContain('"sortOrder"');
    },
  );

  it.each([
    '{"id":9007199254740992,"max":9007199254740991,"big":100000000000000000000}',
    '{"zero":0e-400,"none":0.0,"uuid":"5e-4001","text":"1e-400,"}',
    '{"a":1e300,"b":-1.5E+22,"c":1000000000000000000000.0,"d":0.1234567890123456789}',
    '{"id":"1610521604143693812","text":"1e400 \\"9007199254740993\\\\","true":true,"false":false}',
  ])('is passed on when a double can represent it or it is in a string: %s', async (payload) => {
    const { data, codes } = await ask(payload);

    expect(codes).toEqual([]);
    expect(data['person'].logs.nodes[1].payload).toEqual(JSON.parse(payload));
  });
});

describe('the text of a response', () => {
  const NAME = 'Jörg';
  const bytesOf = (charset: BufferEncoding, name = NAME): Buffer =>
    Buffer.from(JSON.stringify(person('p', name)), charset);

  async function askFor(body: Buffer, type: string | readonly string[]) {
    const { upstream, ask } = await openGateway({ backend: 'faulty' });
    upstream.on('GET /v0/persons/p', (response) => {
      response.writeHead(200, { 'content-type': type as string }); // a list makes several lines
      response.end(body);
    });
    return ask('{ person(personId: "p") { name } }');
  }

  it.each([
    'application/json',
    'application/json; charset=UTF-8',
    'application/json;charset="utf-8"',
    "application/json; charset='utf-8'",
    'application/json; charset=utf8mb4',
    'application/json; charset=ISO-8859-1',
    'application/json; charset=windows-1252',
    'application/json; charset=us-ascii',
    'application/json; charset=utf-16le',
    'application/json; charset=',
    'application/json; profile="a,b"; charset=latin1',
    'application/json;charset=UTF-8,application/json',
    'text/json',
    'application/vnd.api+json',
    ['application/json', 'application/json'],
    ['text/html', 'application/json;charset=latin1'],
  ])('is UTF-8 if its bytes are, for every content type: %j', async (type) => {
    const { data, codes } = await askFor(bytesOf('utf8'), type);

    expect(codes).toEqual([]);
    expect(data['person'].name).toBe(NAME);
  });

  it.each<[string, BufferEncoding]>([
    ['application/json; charset=iso-8859-1', 'latin1'],
    ['application/json; charset=windows-1252', 'latin1'],
    ['application/json; charset=us-ascii', 'latin1'],
    ["application/json; charset='latin1'", 'latin1'],
    ['application/json, application/json; charset=latin1', 'latin1'],
    ['application/problem+json; charset=utf-16le', 'utf16le'],
  ])('is decoded by a known charset if its bytes are not UTF-8: %s', async (type, charset) => {
    const { data, codes } = await askFor(bytesOf(charset), type);

    expect(codes).toEqual([]);
    expect(data['person'].name).toBe(NAME);
  });

  it.each(['windows-1252', 'iso-8859-1'])(
    'has the windows-1252 characters at 0x80 to 0x9F for %s',
    async (charset) => {
      const body = bytesOf('latin1', 'caf\xe9: 5 \x80 \x93ok\x94 \x9f');

      const { data } = await askFor(body, `application/json; charset=${charset}`);

      expect(data['person'].name).toBe('café: 5 € “ok” Ÿ');
    },
  );

  it.each<[string, BufferEncoding]>([
    ['application/json', 'latin1'],
    ['application/json; charset=utf-8', 'latin1'],
    ['application/json; charset=utf8mb4', 'latin1'],
    ['application/json; charset=klingon', 'latin1'],
    ['application/json', 'utf16le'],
    ['application/json-seq', 'utf8'],
    ['text/html; of=application/json', 'utf8'],
  ])(
    'is rejected when it is neither UTF-8 nor of a known charset, or not JSON: %s',
    async (type, charset) => {
      const { data, codes } = await askFor(bytesOf(charset), type);

      expect(codes).toEqual(['UPSTREAM_INVALID_RESPONSE']);
      expect(data['person']).toBeNull();
    },
  );

  it('is rejected with the name of its content coding, which no call accepts', async () => {
    const { upstream, ask } = await openGateway({ backend: 'faulty' });
    upstream.on('GET /v0/persons/p', (response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'GZIP' });
      response.end(gzipSync(bytesOf('utf8')));
    });

    const { data, codes, errors } = await ask('{ person(personId: "p") { name } }');

    expect(data['person']).toBeNull();
    expect(codes).toEqual(['UPSTREAM_INVALID_RESPONSE']);
    expect(errors[0]!.message).toMatch(/"gzip".*"identity"/);
  });

  it('makes a write OUTCOME_UNKNOWN when its charset contradicts its bytes', async () => {
    const { upstream, ask } = await openGateway({ backend: 'faulty' });
    const bytes = Buffer.from(JSON.stringify(topic('t', NAME)), 'latin1');
    upstream.on('PATCH /v0/topics/t', text(bytes));
    upstream.on('GET /v0/topics/t', text(bytes));
    const { data: found } = await ask('{ topic(topicId: "t") { id } }');
    upstream.on('GET /v0/topics/t', ok(topic('t')));
    const { data } = await ask('{ topic(topicId: "t") { id } }');

    const { codes } = await ask(
      `mutation { updateTopic(input: { id: "${data['topic'].id}", title: "x" }) { topic { title } } }`,
    );

    expect(found['topic']).toBeNull();
    expect(codes).toEqual(['OUTCOME_UNKNOWN']);
  });

  it('is decoded without its byte order mark', async () => {
    const body = Buffer.from(`\uFEFF${JSON.stringify(person('p', NAME))}`);

    const { data } = await askFor(body, 'application/json');

    expect(data['person'].name).toBe(NAME);
  });
});
