/**
 * Limits without a setting: the pages for operators state them as the code has them.
 *
 * Those of Redis and of traces are in test/extensions/documented-limits.test.ts.
 */
import { maxHeaderSize as nodesMaxHeaderSize } from 'node:http';
import { describe, expect, it } from 'vitest';
import { ECHO_MS } from '../src/app/process/lifecycle.ts';
import { MAX_HEADER_NAMES } from '../src/app/settings/table.ts';
import { TICK_MS } from '../src/execution/core/ticks.ts';
import { MAX_ERRORS as MAX_VARIABLE_ERRORS } from '../src/execution/operation/variables.ts';
import { DEFAULT_LIMITS, MAX_NAME } from '../src/gateway/documents/document-limits.ts';
import { MAX_ERRORS as MAX_DOCUMENT_ERRORS } from '../src/gateway/documents/documents.ts';
import { POLL_MS as FOLDER_POLL_MS } from '../src/gateway/documents/trusted-documents.ts';
import { QUIET_MS } from '../src/gateway/http/drain.ts';
import { MAX_CONNECTIONS, SERVER_LIMITS } from '../src/gateway/http/http-server.ts';
import { READ_WITHIN_MS, STALLED_MS } from '../src/gateway/http/http-exchange.ts';
import { PAUSE_MS } from '../src/gateway/observe/upstream-observer.ts';
import { MAX_WAITING_BYTES } from '../src/gateway/observe/logs/log-output.ts';
import { MAX_CALLS } from '../src/gateway/observe/logs/gateway-log.ts';
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
import { INIT_MS, MAX_UNREAD_BYTES, PING_MS } from '../src/gateway/transports/web-socket.ts';
import { MAX_EMPTY_PAGES } from '../src/graph/fields/list-field.ts';
import { MAX_FIRST } from '../src/graph/loading/page-request.ts';
import { MAX_NODES } from '../src/graph/schema/node.ts';
import { MAX_LENGTH } from '../src/graph/types/node-id.ts';
import { MAX_WAITING as MAX_STATES, NEWCOMER_MS } from '../src/live/pollers.ts';
import {
  BYTES_PER_UNIT,
  CALLS_PER_UNIT,
  UNKNOWN_BYTES,
  USUAL,
  VALUES_PER_UNIT,
} from '../src/plan/weight.ts';
import { WINDOW_MS } from '../src/rest/call/circuit.ts';
import { DEFAULTS } from '../src/rest/upstream.ts';
import { MAX_ID_LENGTH, MAX_TEXT_OCTETS } from '../src/rest/client/path.ts';
import { MAX_BYTES } from '../src/rest/decode/decode-cache.ts';
import { MAX_FAULTS } from '../src/rest/decode/decode.ts';
import { MAX_DEPTH, MAX_VALUES, SMALL } from '../src/rest/decode/json.ts';
import { BREAKER, ITS_TIME } from '../src/rest/policies/circuit-breaker.ts';
import {
  CALLS_PER_TURN,
  NO_PROGRESS_MS,
  RETRY_AFTER_MS,
  SHARES,
} from '../src/rest/policies/concurrency-limiter.ts';
import { MAX_BACKOFF_MS } from '../src/rest/policies/rate-limit-backoff.ts';
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
import { inDigits, inSeconds } from './support/numbers.ts';
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
const percent = (share: number): string => `${share * 100} %`;
const inMegabytes = (bytes: number): string => `${bytes / 1_000_000} MB`;

describe('docs/limits.md', () => {
  it('lists each limit with its value', () => {
    const { tokens, fields, growth, depth, aliases, directives } = DEFAULT_LIMITS;
    const { maxHeaderSize, headersTimeout, requestTimeout, keepAliveTimeout } = SERVER_LIMITS;
    const { connections, maxQueue } = DEFAULTS;
    const { volume, openMs, outageMs } = BREAKER;
    const { inFlight, perKey, waiting } = ADMISSION;
    const large = `${SMALL / 1024} KB`;
    const limits = {
      'Retries of a read': n(MAX_RETRIES),
      'Retries of a read while no connection can be opened': n(MAX_RECONNECTS),
      'Random backoff before a retry': `up to ${BASE_MS}, ${2 * BASE_MS}, … ${CAP_MS} ms`,
      'Retry budget per route, in percent of its calls': percent(EARNED),
      'Retry budget shared by all routes': `${SHARED} retries`,

      'Time window in which the attempts of a circuit are counted': s(WINDOW_MS),
      'Attempts in it, from which a failure rate of 50 % opens the circuit': n(volume),
      'Consecutive failures that open the circuit': n(volume),
      'Consecutive attempts without a connection that open the circuit of the host': n(volume),
      'Shortest outage that opens the circuit of the host': s(outageMs),
      'Time between two probes of an open circuit': s(openMs),
      'Share of a timeout spent at the backend, from which it counts': percent(ITS_TIME),

      'Longest time that an API key backs off after a 429': s(MAX_BACKOFF_MS),

      'REST calls in flight': n(connections),
      'of these, for one API key': percent(SHARES.key),
      'of these, for one route of an API key': percent(SHARES.routeOfKey),
      'of these, for one route of all API keys': percent(SHARES.route),
      'Queued REST calls': n(maxQueue),
      '`Retry-After` when the queue is full': s(RETRY_AFTER_MS),

      'Time per tick to parse, validate and plan': `${TURN_MS} ms`,
      'Waiting operations with a new document': n(MAX_DOCUMENTS),
      'Characters of their documents': n(MAX_DOCUMENT_CHARACTERS),

      'Time per tick to complete results': `${TICK_MS} ms`,

      // A weight counts operations.
      'Weight of a lookup': '1',
      'Additional weight per number of values': `1 per ${VALUES_PER_UNIT}`,
      'Additional weight per number of calls': `1 per ${CALLS_PER_UNIT}`,
      'Items counted for a list of unknown length': n(USUAL.items),
      'Additional weight per response size': `1 per ${BYTES_PER_UNIT / 1_000} kB`,
      'Response size assumed for a document’s first execution': inMegabytes(UNKNOWN_BYTES),
      'Weight in flight of one API key': n(perKey),
      'Weight in flight of all API keys': n(inFlight),
      'Waiting operations': n(waiting),
      'Bytes received and not yet sent, of one API key': inMegabytes(perKey * BYTES_PER_UNIT),
      'Bytes received and not yet sent, of all API keys': inMegabytes(inFlight * BYTES_PER_UNIT),

      'Bytes of all headers': n(maxHeaderSize),
      'Characters of the forwarded headers': n(MAX_CHARACTERS),
      'Tokens of a document': n(tokens),
      'Lines of a document': n(tokens),
      'Fields of a document, with fragments expanded': n(fields),
      'Fragment spreads, expanded, plus pairs that validation compares': n(growth),
      'Nested fields of an operation, without introspection': n(depth),
      'Aliases of an operation': n(aliases),
      'Directives of an operation': n(directives),
      'Characters of a name': n(MAX_NAME),
      // A rule of graphql-js.
      'Nested lists below `__schema` and `__type`': '2',
      'Nested levels of `variables`': n(MAX_VARIABLES_DEPTH),
      'Values in `variables`': n(MAX_VARIABLES_VALUES),
      'Operations of a request': '1',
      '`first`, `last`, and ids in `nodes(ids:)`': n(MAX_FIRST),
      'Characters of a raw id': n(MAX_ID_LENGTH),
      'Characters of a global id': n(MAX_LENGTH),
      'Bytes of a string, such as `query` or `path`, in a backend URL': n(MAX_TEXT_OCTETS),
      'Errors in one response': n(MAX_ERRORS),
      'Errors of one document': n(MAX_DOCUMENT_ERRORS),
      'Errors of the variables': n(MAX_VARIABLE_ERRORS),

      'Time to send the headers': s(headersTimeout),
      'Time to send the whole request': s(requestTimeout),
      'Time to read the response': s(READ_WITHIN_MS),
      'Idle time of a connection': s(keepAliveTimeout),
      'Connections of a process': n(MAX_CONNECTIONS),
      'Time until `connection_init`': s(INIT_MS),
      'Time in which a subscriber reads nothing': `${STALLED_MS / 60_000} min`,

      'Time to connect': s(CONNECT_MS),
      'Time to connect to an address, except the last one': s(ADDRESS_MS),
      'Bytes of a response': n(DEFAULTS.maxResponseBytes),
      'Bytes of response headers (`--max-http-header-size`)': n(nodesMaxHeaderSize),
      [`Nested levels of a log’s payload, or of JSON above ${large}`]: n(MAX_DEPTH),
      [`Values of JSON above ${large}`]: n(MAX_VALUES),
      'Invalid values of a response that get an error each': n(MAX_FAULTS),
    };

    const rows = limitsPage.rows.filter(({ cells }) => /\d/.test(cells[1]!));

    expect(Object.fromEntries(rows.map(({ cells }) => [cells[0], cells[1]]))).toEqual(limits);
    expect(MAX_NODES).toBe(MAX_FIRST);
  });

  it.each([
    `Up to ${MAX_EMPTY_PAGES} empty pages in a row are skipped`,
    `A body above ${inMegabytes(DEFAULTS.maxResponseBytes)}`,
    `resolves the backend's host name every ${s(RESOLVE_MS)}`,
    `in ${STEPS} steps of ${s(STEP_MS)}`,
    `used within ${s(RESOLVE_MS + STEPS * STEP_MS)}`,
    `closed after at most ${s(Math.max(READ_WITHIN_MS, SERVER_LIMITS.requestTimeout))}`,
    `take at most ${MAX_BYTES / 2 ** 20} MB`,
    `a ping without a pong within ${s(2 * PING_MS)}`,
    `keeps the latest ${MAX_STATES} states`,
    `after ${STALLED_MS / 60_000} min it is disconnected`,
    `more than ${inMegabytes(MAX_UNREAD_BYTES)} of responses`,
    `Each accepts at most ${MAX_HEADER_NAMES} names`,
    `at most once every ${NEWCOMER_MS} ms`,
    `checks the folder every ${s(FOLDER_POLL_MS)}`,
    `up to ${MAX_CALLS} calls`,
    `are at least ${s(PAUSE_MS)} apart`,
    `Up to ${inMegabytes(MAX_WAITING_BYTES)} of lines`,
    `when no request has arrived for ${QUIET_MS} ms`,
    `within ${ECHO_MS} ms`,
    `wait in one turn, ${CALLS_PER_TURN} at a time`,
    `After ${NO_PROGRESS_MS} ms in which no queued call was sent`,
    `read nothing for ${STALLED_MS / 60_000} min`,
    `four processes open up to ${4 * DEFAULTS.connections} connections`,
  ])('is consistent with pages that state “%s”', (phrase) => {
    expect(text).toContain(phrase);
  });
});

it('docs/deploying.md states the maximum interval between events of a stream', () => {
  const phrase = `at most ${HEARTBEAT_MS / 1_000} seconds apart`;

  expect(textOf(readPage('docs/deploying.md'))).toContain(phrase);
});
