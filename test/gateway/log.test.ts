/** The log line of each operation, and the log lines of failed calls. */
import { describe, expect, it } from 'vitest';
import { observeUpstream } from '../../src/gateway/observe/upstream-observer.ts';
import { Metrics } from '../../src/gateway/observe/metrics/metrics.ts';
import { routes } from '../../src/v0/routes.ts';
import { after, reset, status } from '../support/faults.ts';
import { openGateway } from '../support/open-gateway.ts';
import { isOperation, openLog } from '../support/open-log.ts';
import { UNLIMITED } from '../support/random-query.ts';
import { openWithTrustedDocuments } from '../support/trusted-documents.ts';
import { world } from '../support/world.ts';

const PERSON = '{ person(personId: "p") { name } }';
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

describe('the log line of an operation', () => {
  it('contains its app, trusted document, incoming trace, bytes and slowest call, without the call log', async () => {
    const { lines, logger } = openLog('info');
    const { byId } = await openWithTrustedDocuments(
      { 'ios-4.2.json': { abc: 'query Topics { topics(first: 1) { nodes { title } } }' } },
      { logger },
    );

    const { text } = await byId('abc', { traceparent: `00-${TRACE}-00f067aa0ba902b7-01` });

    const [line] = lines.filter(isOperation);
    expect(line).toMatchObject({
      operationName: 'Topics',
      document: expect.any(String),
      app: 'ios',
      appVersion: '4.2',
      trace_id: TRACE,
      bytes: text.length,
      calls: 1,
      slowestCall: 'GET /v0/topics',
      slowestMs: expect.any(Number),
    });
    expect(line).not.toHaveProperty('journal');
  });

  it('has no slowest call when none was sent', async () => {
    const { lines, logger } = openLog('info');
    const breaker = { volume: 2, openMs: 60_000 };
    const site = await openGateway({ backend: 'faulty', logger, rest: { breaker } });
    site.upstream.on('GET /v0/persons/p', status(503));

    for (let i = 0; i < 3; i++) await site.ask(PERSON);

    const last = lines.at(-1)!;
    expect(last).toMatchObject({ calls: 0, errorCodes: ['UPSTREAM_UNAVAILABLE'] });
    expect(last).not.toHaveProperty('slowestCall');
    expect(lines[0]).toMatchObject({ slowestCall: 'GET /v0/persons/{person_id}' });
  });

  it('counts the bytes of all parts of an incremental response', async () => {
    const { lines, logger } = openLog('info');
    const { ask } = await openGateway({ logger });
    const headers = { accept: 'multipart/mixed; incrementalSpec=v0.2' };
    const { text } = await ask(
      '{ topics(first: 1) { nodes { title ... @defer { entries(first: 1) { totalCount } } } } page(pageId: "page_northwind") { ... @defer { audiences(first: 3) { nodes { person { name } } } } } }',
      { headers },
    );

    const parts = text.split('\r\n').filter((line) => line.startsWith('{'));
    expect(parts.length).toBeGreaterThan(1);
    expect(lines[0]!['bytes']).toBe(parts.join('').length);
  });

  it.each([
    ['is slower than LOG_SLOW_MS', 'info', 500, 40],
    ['is logged at debug', 'debug', undefined, 30],
  ] as const)(
    'lists the calls of an operation that %s',
    async (_what, level, logSlowMs, logged) => {
      const { lines, logger } = openLog(level);
      const site = await openGateway({ backend: 'faulty', logger, logSlowMs });
      site.upstream.on('GET /v0/persons/p', status(503), after(550, world()));

      await site.ask(PERSON);
      await site.ask('{ topic(topicId: "t") { title } }');

      const call = 'GET /v0/persons/{person_id}';
      expect(lines[0]).toMatchObject({
        level: logged,
        slowestCall: call,
        journal: [
          { call, source: 'sent', status: 503 },
          { call, source: 'sent', status: 200, attempt: 2 },
        ],
      });
      expect('journal' in lines[1]!).toBe(level === 'debug');
    },
  );

  it('lists at most a hundred calls and counts the rest', async () => {
    const { lines, logger } = openLog('debug');
    const site = await openGateway({
      backend: 'faulty',
      logger,
      documents: { limits: UNLIMITED },
    });
    const fields = Array.from(
      { length: 120 },
      (_, i) => `f${i}: person(personId: "${i}") { name }`,
    );

    await site.ask(`{ ${fields.join(' ')} }`);

    const { journal, callsOmitted } = lines[0]!;
    expect([journal.length, callsOmitted]).toEqual([100, site.journal.entries.length - 100]);
  });
});

it('logs a failed call with route, kind, attempt and duration, at most once per second and kind', async () => {
  const { lines, logger } = openLog('warn');
  const observer = observeUpstream({
    metrics: new Metrics(),
    logger,
    readiness: () => site.gateway.readiness,
  });
  const site = await openGateway({ backend: 'faulty', rest: { observer } });
  site.upstream.on('GET /v0/persons/p', status(503), status(503), reset(), world());
  site.upstream.on('GET /v0/topics/t', status(404));

  await site.ask(PERSON);
  await site.ask(PERSON);
  await site.ask('{ topic(topicId: "t") { title } }');

  const route = 'GET /v0/persons/{person_id}';
  expect(lines.map((line) => [line['route'], line['kind'], line['attempt']])).toEqual([
    [route, 'status 503', 1],
    [route, 'reset', expect.any(Number)],
  ]);
  expect(lines[0]!['durationMs']).toEqual(expect.any(Number));
});

it('logs a contract violation at most once per hour, route and field', () => {
  const { lines, logger } = openLog('warn');
  let nowMs = 0;
  const observer = observeUpstream({
    metrics: new Metrics(),
    logger,
    readiness: () => ({ recordCall: () => {}, recordFailure: () => {} }),
    now: () => nowMs,
  });

  for (nowMs of [0, 3_599_999]) {
    observer.onViolation?.(routes.getPage, 'name');
    observer.onViolation?.(routes.getPage, '');
  }
  nowMs = 3_600_000;
  observer.onViolation?.(routes.getPage, 'name');

  const route = 'GET /v0/pages/{page_id}';
  expect(lines.map((line) => [line['route'], line['field']])).toEqual([
    [route, 'name'],
    [route, ''],
    [route, 'name'],
  ]);
});
