/** The log of a running process: its level, slow operations, and calls that fail. */
import { expect, it } from 'vitest';
import { isOperation, linesOf } from '../support/open-log.ts';
import { ok, status } from '../support/faults.ts';
import { routes } from '../../src/v0/routes.ts';
import { sampleOf } from '../support/sample-responses.ts';
import { openGateway } from '../support/open-gateway.ts';
import { until } from '../support/until.ts';

const TOPICS = '{ topics(first: 1) { nodes { title } } }';

it('logs operations and their calls after SIGUSR2, and no longer after a second SIGUSR2', async () => {
  const gateway = await openGateway({ process: { LOG_LEVEL: 'warn' } });
  // The example's key, since the backend is the embedded one.
  const ask = () => gateway.ask(TOPICS, { headers: { 'x-api-key': 'demo' } });
  const changes = () => linesOf(gateway.output).filter(({ logLevel }) => logLevel).length;
  const operations = () => linesOf(gateway.output).filter(isOperation).length;

  await ask();
  expect(operations()).toBe(0);
  gateway.process.kill('SIGUSR2');
  await until(() => changes() === 1);
  await ask();
  await until(() => operations() === 1);
  expect(gateway.output).toContain('"journal":[{"call":"GET /v0/topics"');
  gateway.process.kill('SIGUSR2');
  await until(() => changes() === 2);
  await ask();

  expect(await gateway.stop('SIGINT')).toBe(0);
  expect(operations()).toBe(1);
});

it('logs levels by name, times in ISO 8601, and failed operations at warn', async () => {
  const gateway = await openGateway({ backend: 'faulty', process: {} });
  const lineOf = async (query: string) => {
    const operations = () => linesOf(gateway.output).filter(isOperation);
    const before = operations().length;
    await gateway.ask(query);
    await until(() => operations().length > before);
    return operations()[before]!;
  };

  const ok = await lineOf(TOPICS);
  gateway.upstream.on('*', status(503));
  const failed = await lineOf(TOPICS);
  const refused = await lineOf('{ topics(first: 1000) { totalCount } }');

  expect(ok).toMatchObject({ level: 'info', outcome: 'ok' });
  expect(ok['time']).toBe(new Date(ok['time']).toISOString());
  expect(failed).toMatchObject({ level: 'warn', outcome: 'failed' });
  expect(refused).toMatchObject({ level: 'info', outcome: 'refused' });
});

it('logs calls that fail, and the slowest call of an operation slower than LOG_SLOW_MS', async () => {
  const settings = { LOG_LEVEL: 'warn', LOG_SLOW_MS: '1' };
  const gateway = await openGateway({ backend: 'faulty', process: settings });
  gateway.upstream.on('*', status(503));

  await gateway.ask(TOPICS);

  await gateway.stop();
  expect(gateway.output).toContain('"route":"GET /v0/topics","kind":"status 503","attempt":1');
  const [operation] = linesOf(gateway.output).filter(isOperation);
  expect(operation).toMatchObject({ slowestCall: 'GET /v0/topics', journal: expect.any(Array) });
});

it('logs a field that violates the contract once, counts each response, and ignores fields that the API spec does not define', async () => {
  const gateway = await openGateway({ backend: 'faulty', process: { LOG_LEVEL: 'warn' } });
  const { items, ...rest } = sampleOf(routes.listTopics) as { items: object[] };
  const wrong = { ...items[0], title: 7, colour: 'red' };
  const nameless = { ...items[0], topicId: '' };
  gateway.upstream.on('GET /v0/topics', ok({ ...rest, items: [wrong, wrong, nameless] }));

  const [first] = [await gateway.ask(TOPICS), await gateway.ask(TOPICS)];

  expect(first.codes).toEqual(['UPSTREAM_INVALID_RESPONSE']);
  const { text } = await gateway.get('/metrics');
  expect(text.match(/^gateway_contract_violations_total.*$/gm)).toEqual([
    'gateway_contract_violations_total{method="GET",route="/v0/topics",field="title"} 2',
    'gateway_contract_violations_total{method="GET",route="/v0/topics",field="items[].topicId"} 2',
  ]);
  await gateway.stop();
  for (const field of ['"title"', String.raw`"items\[\].topicId"`]) {
    const line = new RegExp(`"route":"GET /v0/topics","field":${field}`, 'g');
    expect(gateway.output.match(line), field).toHaveLength(1);
  }
});
