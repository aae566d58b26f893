/** The log of a running process: its level, slow operations, and calls that fail. */
import { expect, it } from 'vitest';
import { ok, status } from '../support/faults.ts';
import { routes } from '../../src/v0/routes.ts';
import { sampleOf } from '../support/sample-answers.ts';
import { openGateway } from '../support/open-gateway.ts';
import { until } from '../support/until.ts';

const TOPICS = '{ topics(first: 1) { nodes { title } } }';

it('logs operations and their calls after SIGUSR2, and no longer after a second SIGUSR2', async () => {
  const gateway = await openGateway({ process: { LOG_LEVEL: 'warn' } });
  // The example's key, since the backend is the embedded one.
  const ask = () => gateway.ask(TOPICS, { headers: { 'x-api-key': 'demo' } });
  const changes = () => gateway.output.split('Log level changed').length - 1;

  await ask();
  expect(gateway.output).not.toContain('GraphQL request');
  gateway.process.kill('SIGUSR2');
  await until(() => changes() === 1);
  await ask();
  await until(() => gateway.output.includes('GraphQL request'));
  expect(gateway.output).toContain('"journal":[{"call":"GET /v0/topics"');
  gateway.process.kill('SIGUSR2');
  await until(() => changes() === 2);
  const before = gateway.output;
  await ask();

  expect(await gateway.stop('SIGINT')).toBe(0);
  expect(gateway.output.slice(before.length)).not.toContain('GraphQL request');
});

it('logs levels by name, times in ISO 8601, and failed operations at warn', async () => {
  const gateway = await openGateway({ backend: 'faulty', process: {} });
  const lineOf = async (query: string) => {
    const before = gateway.output.length;
    await gateway.ask(query);
    await until(() => gateway.output.slice(before).includes('"msg":"GraphQL request"'));
    const lines = gateway.output.slice(before).split('\n');
    return JSON.parse(lines.find((line) => line.includes('"msg":"GraphQL request"'))!);
  };

  const ok = await lineOf(TOPICS);
  gateway.upstream.on('*', status(503));
  const failed = await lineOf(TOPICS);
  const refused = await lineOf('{ topics(first: 1000) { totalCount } }');

  expect(ok).toMatchObject({ level: 'info', outcome: 'ok' });
  expect(ok.time).toBe(new Date(ok.time).toISOString());
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
  expect(gateway.output).toMatch(/"slowestCall":"GET \/v0\/topics".*"msg":"Slow GraphQL request"/);
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
