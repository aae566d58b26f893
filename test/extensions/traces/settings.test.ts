/** Settings of traces: which of OpenTelemetry's variables switch them on. */
import { expect, it } from 'vitest';
import { readConfig } from '../../../src/app/config.ts';
import { settings } from '../../../src/extensions/traces/traces.settings.ts';

function optionsOf(env: Record<string, string>) {
  const config = readConfig(env);
  return settings.options(config.extensions.traces, config, []);
}

it('leaves OpenTelemetry variables to its libraries, without warnings', () => {
  const { extensions, warnings } = readConfig({
    ...{ OTEL_X: ' 1 ', OTEL_BSP_SCHEDULE_DELAI: '', X: '1' },
  });

  expect({ ...extensions.traces.opentelemetry }).toEqual({ OTEL_X: '1' });
  expect(warnings).toEqual([]);
});

it('prefers the endpoint for traces over that for all signals, and ignores case and surrounding whitespace', () => {
  const OTEL_EXPORTER_OTLP_ENDPOINT = ' http://c:4318/all/?token=a ';
  const on = { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_PROTOCOL: 'HTTP/JSON' };

  expect(optionsOf({})).toBeUndefined();
  expect(optionsOf(on)).toMatchObject({
    url: 'http://c:4318/all/v1/traces?token=a',
    protocol: 'http/json',
  });
  expect(
    optionsOf({
      ...on,
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://c:4318/own',
      OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/protobuf',
    }),
  ).toMatchObject({ url: 'http://c:4318/own', protocol: 'http/protobuf' });
  for (const off of [
    { ...on, OTEL_SDK_DISABLED: 'TRUE' },
    { ...on, OTEL_TRACES_EXPORTER: 'none' },
    { OTEL_TRACES_EXPORTER: 'zipkin' },
  ]) {
    expect(optionsOf(off)).toBeUndefined();
  }
});
