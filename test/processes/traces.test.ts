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

  expect([...loaded.values()].join()).not.toContain('OTEL_RESOURCE_ATTRIBUTES');
  expect([...ofTracer.values()].join()).toContain('OTEL_RESOURCE_ATTRIBUTES');
});

it('sends traces before it exits, with the service name and attributes of the environment', async () => {
  const decoder = await openDecoder();
  const gateway = await startGateway({
    ...{ OTEL_EXPORTER_OTLP_ENDPOINT: decoder.url, OTEL_SERVICE_NAME: 'pages' },
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
  });

  await gateway.ask('{ topics(first: 1) { nodes { title } } }', {
    headers: { 'x-api-key': 'demo' },
  });
  const code = await gateway.stop('SIGINT');

  expect(code).toBe(0);
  expect(decoder.spans.map(({ name }) => name)).toContain('GET /v0/topics');
  expect(decoder.texts.join()).toContain('"pages"');
  expect(decoder.texts.join()).toContain('"deployment.environment.name"');
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

it.each([
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
  ['OTEL_TRACES_SAMPLER', 'sometimes'],
  ['OTEL_TRACES_SAMPLER_ARG', '2'],
  ['OTEL_TRACES_EXPORTER', 'zipkin'],
  ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
  ['OTEL_EXPORTER_OTLP_TRACES_TIMEOUT', '10s'],
  ['OTEL_EXPORTER_OTLP_COMPRESSION', 'zstd'],
  ['OTEL_EXPORTER_OTLP_CERTIFICATE', '/nowhere/ca.pem'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'token'],
  ['OTEL_BSP_SCHEDULE_DELAY', '5s'],
  ['OTEL_BSP_MAX_EXPORT_BATCH_SIZE', '4096'],
])('refuses to start with a bad %s, and says in one line what it must be', async (name, value) => {
  const started = startProcess({ [name]: value });

  expect(await started.exit()).toBe(1);
  expect(started.stderr.trim().split('\n')).toEqual([expect.stringContaining(`${name} must be`)]);
});
