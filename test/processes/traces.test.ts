/** Traces of a gateway process: loading, export, the end of the process, and bad settings. */
import { request } from 'node:http';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { openDecoder } from '../support/collector.ts';
import { openHttp } from '../support/listen.ts';
import { buildGateway, loadedWith } from '../support/gateway-build.ts';
import { startGateway, startProcess } from '../support/gateway-process.ts';
import { until } from '../support/until.ts';

it('loads OpenTelemetry only with the traces extension, which is imported lazily', async () => {
  const main = await buildGateway();

  const loaded = loadedWith(main);
  const [, tracer] = /import\("(\.\/traces\.extension[^"]*\.js)"\)/.exec(
    [...loaded.values()].join('\n'),
  )!;
  const ofTracer = loadedWith(join(dirname(main), tracer!));

  expect([...loaded.values()].join()).not.toContain('OTEL_BSP_SCHEDULE_DELAY');
  expect([...ofTracer.values()].join()).toContain('OTEL_BSP_SCHEDULE_DELAY');
});

it('sends traces before it exits, with the name and the valid attributes of the environment, and logs invalid ones', async () => {
  const decoder = await openDecoder();
  const gateway = await startGateway({
    ...{ OTEL_EXPORTER_OTLP_ENDPOINT: decoder.url, OTEL_SERVICE_NAME: 'pages' },
    OTEL_RESOURCE_ATTRIBUTES: 'team=a%20b,,zone,deployment.environment.name = test,x=50%,y=1=2,=3',
  });

  await gateway.ask('{ topics(first: 1) { nodes { title } } }', {
    headers: { 'x-api-key': 'demo' },
  });
  const code = await gateway.stop('SIGINT');

  expect(code).toBe(0);
  expect(decoder.spans.map(({ name }) => name)).toContain('GET /v0/topics');
  for (const word of ['"pages"', '"team"', '"a b"', '"deployment.environment.name"', '"test"']) {
    expect(decoder.texts.join()).toContain(word);
  }
  const told = gateway.output.match(/OTEL_RESOURCE_ATTRIBUTES must be .*?Ignored: .*?(?="})/g);
  expect(told).toEqual([
    expect.stringMatching(/Ignored: \S*zone\S*, \S*x=50%\S*, \S*y=1=2\S*, \S*=3/),
  ]);
});

it.each(['http/json', 'http/protobuf'])(
  'sends spans by %s after OTEL_BSP_SCHEDULE_DELAY, with headers, to a URL with blanks and a query',
  async (OTEL_EXPORTER_OTLP_PROTOCOL) => {
    const decoder = await openDecoder();
    const asked: string[] = [];
    const collector = await openHttp((incoming, outgoing) => {
      asked.push(
        [incoming.headers['content-type'], incoming.url, incoming.headers['x-team']].join(' '),
      );
      incoming.pipe(
        request(
          `${decoder.url}/v1/traces`,
          { method: 'POST', headers: incoming.headers },
          (answer) => answer.pipe(outgoing),
        ),
      );
    });
    const gateway = await startGateway({
      ...{ OTEL_EXPORTER_OTLP_ENDPOINT: `  ${collector}/x?token=a `, OTEL_EXPORTER_OTLP_PROTOCOL },
      ...{ OTEL_BSP_SCHEDULE_DELAY: '20', OTEL_EXPORTER_OTLP_HEADERS: 'x-team=pages' },
    });

    await gateway.ask('{ topics(first: 1) { nodes { title } } }', {
      headers: { 'x-api-key': 'demo' },
    });

    // The SDK's default delay is longer than this test may take.
    await until(() => decoder.spans.some(({ name }) => name === 'GET /v0/topics'));
    const type = OTEL_EXPORTER_OTLP_PROTOCOL === 'http/json' ? 'json' : 'x-protobuf';
    expect([...new Set(asked)]).toEqual([`application/${type} /x/v1/traces?token=a pages`]);
  },
);

it('exits with 0 while the collector hangs', async () => {
  const gateway = await startGateway({
    OTEL_EXPORTER_OTLP_ENDPOINT: await openHttp(() => {}),
  });
  await gateway.ask('{ topics(first: 1) { nodes { title } } }', {
    headers: { 'x-api-key': 'demo' },
  });

  expect(await gateway.stop('SIGINT')).toBe(0);
});

it('starts with values that the libraries do not accept, and logs each once, without URLs', async () => {
  const gateway = await startGateway({
    OTEL_EXPORTER_OTLP_ENDPOINT: await openHttp((_request, response) => response.end('{}')),
    OTEL_TRACES_SAMPLER: 'sometimes',
    OTEL_BSP_SCHEDULE_DELAY: '5s',
    OTEL_SPAN_LINK_COUNT_LIMIT: 'many',
    OTEL_EXPORTER_OTLP_COMPRESSION: 'zstd',
    OTEL_EXPORTER_OTLP_CERTIFICATE: '/nowhere/ca.pem',
  });
  await gateway.ask('{ topics(first: 1) { nodes { title } } }', {
    headers: { 'x-api-key': 'demo' },
  });
  await gateway.stop('SIGINT');

  const told = gateway.output.match(/OpenTelemetry: .*?(?="})/g);
  expect(told?.sort()).toEqual([
    expect.stringContaining('OTEL_EXPORTER_OTLP_COMPRESSION'),
    expect.stringContaining('root certificate'),
    expect.stringContaining('OTEL_TRACES_SAMPLER'),
    expect.stringContaining('OTEL_BSP_SCHEDULE_DELAY'),
    expect.stringContaining('OTEL_SPAN_LINK_COUNT_LIMIT'),
  ]);
});

it.each([
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://c:4318/#a'],
  ['OTEL_TRACES_EXPORTER', 'zipkin'],
  ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
  ['OTEL_SDK_DISABLED', '1'],
])('fails to start with %s=%s, and states in one line what is allowed', async (name, value) => {
  const started = startProcess({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318', [name]: value });

  expect(await started.exit()).toBe(1);
  expect(started.stderr.trim().split('\n')).toEqual([expect.stringContaining(`${name} must be`)]);
});
