/** OpenTelemetry's variables for whether and where traces are sent. Its libraries read the others themselves. */
import { z } from 'zod';
import { extensionSettings } from '../../gateway/extension.ts';
import { oneOf } from '../../gateway/settings/kinds.ts';
import {
  family,
  parseSetting,
  type EnvironmentVariables,
  type Kind,
} from '../../gateway/settings/setting.ts';

/** Names of the OpenTelemetry specification, case-insensitive. */
const oneOfStandard = <const Name extends string>(names: readonly Name[]) =>
  z
    .string()
    .transform((text) => text.toLowerCase())
    .pipe(oneOf(names))
    .describe(oneOf(names).description!);

const SWITCH = oneOfStandard(['true', 'false']);
const EXPORTER = oneOfStandard(['otlp', 'none']);
const PROTOCOL = oneOfStandard(['http/protobuf', 'http/json']);

const COLLECTOR_URL = z
  .string()
  .refine((value) => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol))
  .transform((value) => new URL(value))
  .refine(({ hash }) => hash === '')
  .describe('an absolute http or https URL without fragment, such as http://127.0.0.1:4318');

export const settings = extensionSettings({
  title: 'Traces',
  settings: {
    opentelemetry: family(
      'OTEL_*',
      '[OpenTelemetry variables](https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/) for traces over OTLP/HTTP. Without `OTEL_EXPORTER_OTLP_ENDPOINT`, traces are off. Some are [not supported](logs.md#traces).',
    ),
  },
  options: ({ opentelemetry }) => collectorOf(opentelemetry),
});

/** Undefined if traces are off. @throws {ConfigError} for an invalid value, if there is a collector. */
function collectorOf(given: EnvironmentVariables) {
  const read = <Value>(name: string, kind: Kind<Value>, unset: string): Value =>
    parseSetting(name, kind, given[name] ?? unset);
  const own = 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT';
  const shared = 'OTEL_EXPORTER_OTLP_ENDPOINT';
  const endpoint = given[own] === undefined ? shared : own;
  if (given[endpoint] === undefined) return undefined;
  if (read('OTEL_SDK_DISABLED', SWITCH, 'false') === 'true') return undefined;
  if (read('OTEL_TRACES_EXPORTER', EXPORTER, 'otlp') === 'none') return undefined;
  // The library writes the path behind a query and behind blanks.
  const url = read(endpoint, COLLECTOR_URL, '');
  if (endpoint === shared) url.pathname = `${url.pathname.replace(/\/$/, '')}/v1/traces`;
  const protocol = 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL';
  return {
    url: url.href,
    protocol: read(
      given[protocol] === undefined ? 'OTEL_EXPORTER_OTLP_PROTOCOL' : protocol,
      PROTOCOL,
      'http/protobuf',
    ),
    resourceAttributes: given['OTEL_RESOURCE_ATTRIBUTES'] ?? '',
  };
}
