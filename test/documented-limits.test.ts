/**
 * Limits without a setting: the pages for operators state them as the code has them.
 *
 * Those of Redis and of traces are in test/extensions/documented-limits.test.ts.
 */
import { maxHeaderSize as nodesMaxHeaderSize } from 'node:http';
import { describe, expect, it } from 'vitest';
import { ECHO_MS } from '../src/app/process/lifecycle.ts';
import { MAX_NAMES } from '../src/app/settings/header-names.ts';
import { MAX_ERRORS as MAX_VARIABLE_ERRORS } from '../src/execution/operation/variables.ts';
import { DEFAULT_LIMITS, MAX_NAME } from '../src/gateway/documents/document-limits.ts';
import { MAX_ERRORS as MAX_DOCUMENT_ERRORS } from '../src/gateway/documents/documents.ts';
import { POLL_MS as FOLDER_POLL_MS } from '../src/gateway/documents/trusted-documents.ts';
import { QUIET_MS } from '../src/gateway/http/drain.ts';
import { MAX_CONNECTIONS, SERVER_LIMITS } from '../src/gateway/http/http-server.ts';
import { READ_WITHIN_MS } from '../src/gateway/http/request-listener.ts';
import { PAUSE_MS } from '../src/gateway/observe/logs/failed-calls.ts';
import { MAX_WAITING_BYTES } from '../src/gateway/observe/logs/log-output.ts';
import { MAX_CALLS } from '../src/gateway/observe/logs/operation-log.ts';
import { MAX_VARIABLES_DEPTH, MAX_VARIABLES_VALUES } from '../src/gateway/operation/params.ts';
import { ADMISSION } from '../src/gateway/policies/admission.ts';
import { MAX_ERRORS } from '../src/gateway/policies/execution.ts';
import { MAX_CHARACTERS } from '../src/gateway/policies/headers.ts';
import {
  MAX_CHARACTERS as MAX_DOCUMENT_CHARACTERS,
  MAX_WAITING as MAX_DOCUMENTS,
  TURN_MS,
} from '../src/gateway/policies/new-documents.ts';
import { HEARTBEAT_MS } from '../src/gateway/policies/subscriptions.ts';
import { STALLED_MS } from '../src/gateway/transports/event-stream.ts';
import { INIT_MS, MAX_UNREAD_BYTES, PING_MS } from '../src/gateway/transports/web-socket.ts';
import { MAX_EMPTY_PAGES } from '../src/graph/fields/list-field.ts';
import { MAX_FIRST } from '../src/graph/loading/page-request.ts';
import { MAX_NODES } from '../src/graph/schema/node.ts';
import { MAX_LENGTH } from '../src/graph/types/node-id.ts';
import { NEWCOMER_MS } from '../src/live/poller.ts';
import { MAX_WAITING as MAX_STATES } from '../src/live/pollers.ts';
import {
  BYTES_PER_UNIT,
  CALLS_PER_UNIT,
  UNKNOWN_BYTES,
  USUAL,
  VALUES_PER_UNIT,
} from '../src/plan/weight.ts';
import { WINDOW_MS } from '../src/rest/call/circuit.ts';
import { DEFAULTS } from '../src/rest/client/client.ts';
import { MAX_ID_LENGTH, MAX_TEXT_OCTETS } from '../src/rest/client/path.ts';
import { MAX_BYTES } from '../src/rest/decode/decode-cache.ts';
import { MAX_FAULTS } from '../src/rest/decode/decode.ts';
import { MAX_DEPTH, MAX_VALUES, SMALL } from '../src/rest/decode/json.ts';
import { BREAKER, ITS_TIME } from '../src/rest/policies/circuit-breaker.ts';
import { RETRY_AFTER_MS, SHARES } from '../src/rest/policies/concurrency-limiter.ts';
import { MAX_PAUSE_MS } from '../src/rest/policies/rate-limit-pauses.ts';
import {
  BASE_MS,
  CAP_MS,
  EARNED,
  MAX_RECONNECTS,
  MAX_RETRIES,
  SHARED,
} from '../src/rest/policies/retry.ts';
import { ADDRESS_MS, CONNECT_MS } from '../src/rest/transport/connections.ts';
import { RESOLVE_MS, STEP_MS, STEPS } from '../src/rest/transport/dispatcher.ts';
import { inDigits, inSeconds, inWords } from './support/numbers.ts';
import { readPage, textOf } from './support/pages.ts';

const limitsPage = readPage('docs/limits.md');

/** The text of pages for operators. */
const text = [
  'failures',
  'limits',
  'settings',
  'http-api',
  'logs',
  'metrics',
  'scaling',
  'deploying',
]
  .map((name) => textOf(readPage(`docs/${name}.md`)))
  .join(' ');

const n = inDigits;
const s = inSeconds;
const megabytes = (bytes: number): number => bytes / 1_000_000;

describe('docs/limits.md', () => {
  it('has each limit of callers and of calls at its value', () => {
    const { tokens, fields, growth, depth, aliases, directives } = DEFAULT_LIMITS;
    const { maxHeaderSize, headersTimeout, requestTimeout, keepAliveTimeout } = SERVER_LIMITS;
    const large = `${SMALL / 1024} KB`;
    const limits = {
      'bytes of all headers; characters of those that are forwarded': `${n(maxHeaderSize)}; ${n(MAX_CHARACTERS)}`,
      'tokens of a document, and lines; its fields, with fragments written out': `${n(tokens)} each; ${n(fields)}`,
      'spreads, written out, and pairs: of fields with one name, and of fragments, in one place':
        n(growth),
      'of an operation: levels of fields, but for introspection; aliases; directives; characters of a name': `${depth}; ${aliases}; ${directives}; ${MAX_NAME}`,
      // A rule of graphql-js.
      'lists inside each other below `__schema` and `__type`': '2',
      'levels of, and values in, `variables`': `${MAX_VARIABLES_DEPTH}, ${n(MAX_VARIABLES_VALUES)}`,
      'operations of a request': '1; there are no batches',
      '`first`, `last`, and ids in `nodes(ids:)`': n(MAX_FIRST),
      'characters of a raw id; of a global id': `${MAX_ID_LENGTH}; ${n(MAX_LENGTH)}`,
      'octets that a text, such as `query` or `path`, takes in a URL': n(MAX_TEXT_OCTETS),
      'errors reported of one answer; of a document; of variables': `${n(MAX_ERRORS)}; ${MAX_DOCUMENT_ERRORS}; ${MAX_VARIABLE_ERRORS}`,
      'time to send the headers; the whole request': `${s(headersTimeout)}; ${s(requestTimeout)}`,
      'time to read the answer; a connection may be idle': `${s(READ_WITHIN_MS)}; ${s(keepAliveTimeout)}`,
      'connections of a process': n(MAX_CONNECTIONS),
      'time until `connection_init`; time a subscriber may read nothing': `${s(INIT_MS)}; ${STALLED_MS / 60_000} min`,
      'time to connect': s(CONNECT_MS),
      'time for each address of a host but the last': s(ADDRESS_MS),
      "interval at which the backend's name is resolved": s(RESOLVE_MS),
      'bytes of an answer': n(DEFAULTS.maxResponseBytes),
      'bytes of the headers of an answer; more by `--max-http-header-size` of Node':
        n(nodesMaxHeaderSize),
      [`levels of a log's payload, or of JSON above ${large}; values in an answer above ${large}`]: `${MAX_DEPTH}; ${n(MAX_VALUES)}`,
      'wrong values of one answer that are reported one by one': n(MAX_FAULTS),
    };

    const rows = limitsPage.rows.filter(
      ({ heading, cells }) =>
        heading === 'Limits without a setting' && !cells[0]!.startsWith('towards'),
    );

    expect(Object.fromEntries(rows.map(({ cells }) => [cells[0], cells[1]]))).toEqual(limits);
    expect(MAX_NODES).toBe(MAX_FIRST);
  });

  it('has each number of the rules at its value', () => {
    const { connections, maxQueue } = DEFAULTS;
    const { volume, openMs, outageMs } = BREAKER;
    const { underWay, perKey, waiting } = ADMISSION;
    const rules: Readonly<Record<string, readonly string[]>> = {
      retries: [
        `at most ${MAX_RETRIES}, or ${MAX_RECONNECTS} while no connection can be made`,
        `up to ${BASE_MS}, ${2 * BASE_MS}, … ${CAP_MS} ms`,
      ],
      'retry budget': [`${inWords(EARNED)} of the calls of each route, and ${SHARED} more for all`],
      circuits: [
        `half of at least ${volume} attempts within ${s(WINDOW_MS)} failed, or ${volume} in a row`,
        `when ${volume} attempts in a row, over at least ${inWords(outageMs / 1_000, 'second')}`,
      ],
      'an open circuit': [`refuses for ${s(openMs)}, with what is left of them in \`Retry-After\``],
      'a probe': [`every ${s(openMs)} one request`],
      'what counts': [`${inWords(ITS_TIME)} of the time`],
      'rate-limit pause': [`at most ${s(MAX_PAUSE_MS)}`],
      'concurrency limiter': [
        `${connections} calls at once, so that a page of ${MAX_FIRST} items`,
        `a key has ${inWords(SHARES.key)} of them at most`,
        `one route of a key ${inWords(SHARES.routeOfKey)}`,
        `one route of all keys ${inWords(SHARES.route)}`,
      ],
      queue: [`${n(maxQueue)} calls`, `\`Retry-After: ${RETRY_AFTER_MS / 1_000}\``],
      'new documents': [
        `for ${TURN_MS} ms of a turn of the event loop`,
        `${n(MAX_DOCUMENTS)} operations with ${n(MAX_DOCUMENT_CHARACTERS)} characters wait`,
      ],
      weight: [
        '1 for a lookup',
        `1 more for every ${VALUES_PER_UNIT} values or ${CALLS_PER_UNIT} calls`,
        `lists of unknown length count as ${USUAL.items}`,
      ],
      admission: [
        `of one key a weight of ${perKey} is under way, of all ${underWay}`,
        `${n(waiting)} operations wait`,
      ],
      'a heavy operation': [`weighs more than ${perKey}`],
      bytes: [
        'weighs at least 1',
        `1 more for every ${BYTES_PER_UNIT / 1_000} kB`,
        `${megabytes(UNKNOWN_BYTES)} MB before`,
        `${megabytes(perKey * BYTES_PER_UNIT)} MB of a key`,
        `${megabytes(underWay * BYTES_PER_UNIT)} MB of all`,
      ],
      'unread answers': [`1 more for every ${BYTES_PER_UNIT / 1_000} kB`],
    };
    const rows = limitsPage.rows.filter(({ heading }) => heading === 'Rules');

    expect(rows.map(({ cells }) => cells[0])).toEqual(expect.arrayContaining(Object.keys(rules)));
    for (const { cells } of rows) {
      let rest = cells[1]!;
      for (const phrase of rules[cells[0]!] ?? []) {
        expect(rest, cells[0]).toContain(phrase);
        rest = rest.replace(phrase, '');
      }
      // Statuses are no limits.
      expect(
        rest.replace(/\b(?:401|408|429|50[0234]s?|52[04]|[45]xx)\b/g, ''),
        cells[0],
      ).not.toMatch(/\d/);
    }
  });

  it.each([
    `read on from up to ${inWords(MAX_EMPTY_PAGES)} in a row`,
    `a body above ${megabytes(DEFAULTS.maxResponseBytes)} MB`,
    `called within ${s(RESOLVE_MS + STEPS * STEP_MS)}`,
    `cut within their limits (${s(Math.max(READ_WITHIN_MS, SERVER_LIMITS.requestTimeout))} at most)`,
    `are kept within ${MAX_BYTES / 2 ** 20} MB`,
    `when a ping is not answered within ${s(2 * PING_MS)}`,
    `${inWords(MAX_STATES)} states are kept`,
    `after ${inWords(STALLED_MS / 60_000)} minutes it is cut`,
    `while ${inWords(megabytes(MAX_UNREAD_BYTES), 'megabyte')} of answers is unread`,
    `Each takes at most ${MAX_NAMES} names`,
    `at most once in ${NEWCOMER_MS} ms`,
    `is looked at every ${inWords(FOLDER_POLL_MS / 1_000)} seconds`,
    `up to ${inWords(MAX_CALLS)} calls`,
    `one line ${inWords(PAUSE_MS / 1_000, 'second')} for each route and kind`,
    `Up to ${megabytes(MAX_WAITING_BYTES)} MB of lines`,
    `when no request has come for ${QUIET_MS} ms`,
    `within ${inWords(ECHO_MS / 1_000, 'second')}`,
    `read nothing for ${inWords(STALLED_MS / 60_000)} minutes`,
    `four open up to ${4 * DEFAULTS.connections} connections`,
  ])('is next to a page that says “%s”', (phrase) => {
    expect(text).toContain(phrase);
  });
});

it('docs/deploying.md says how far apart the events of a stream are at most', () => {
  const phrase = `at most ${HEARTBEAT_MS / 1_000} seconds apart`;

  expect(textOf(readPage('docs/deploying.md'))).toContain(phrase);
});
