/** Traces of a gateway as it is started: nothing is loaded without a collector, and one that hangs holds up no end. */
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { openDecoder } from '../support/collector.ts';
import { openHttp } from '../support/listen.ts';
import { buildGateway, loadedWith } from '../support/gateway-build.ts';
import { startGateway, startProcess } from '../support/gateway-process.ts';
import { slowness } from '../support/slowness.ts';

it('loads nothing of OpenTelemetry before a collector is named', async () => {
  const main = await buildGateway();

  const loaded = loadedWith(main);
  const [, tracer] = /import\("(\.\/tracer[^"]*\.js)"\)/.exec([...loaded.values()].join('\n'))!;
  const ofTracer = loadedWith(join(dirname(main), tracer!));

  expect([...loaded.values()].join()).not.toContain('OTEL_RESOURCE_ATTRIBUTES');
  expect([...ofTracer.values()].join()).toContain('OTEL_RESOURCE_ATTRIBUTES');
});

it('sends traces under the name that the environment gives, and the last ones as it ends', async () => {
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

it('ends within two seconds while the collector hangs', async () => {
  const gateway = await startGateway({
    OTEL_EXPORTER_OTLP_ENDPOINT: await openHttp(() => {}),
  });
  await gateway.ask('{ topics(first: 1) { nodes { title } } }', {
    headers: { 'x-api-key': 'demo' },
  });

  const beganMs = performance.now();
  const code = await gateway.stop('SIGINT');

  expect(code).toBe(0);
  expect((performance.now() - beganMs) / slowness()).toBeLessThan(3_000);
});

it.each([
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
  ['OTEL_TRACES_SAMPLER', 'sometimes'],
  ['OTEL_TRACES_SAMPLER_ARG', '2'],
])('does not start with a bad %s, and says in one line what to write', async (name, value) => {
  const started = startProcess({ [name]: value });

  expect(await started.exit()).toBe(1);
  expect(started.stderr.trim().split('\n')).toEqual([expect.stringContaining(`${name} must be`)]);
});
