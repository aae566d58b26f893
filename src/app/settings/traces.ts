/**
 * Whether traces are on, and where they are sent, by OpenTelemetry's variables. Its libraries read the others themselves.
 */
import { COLLECTOR_URL, oneOfStandard } from './kinds.ts';
import { parseSetting, type EnvironmentVariables, type Kind } from './setting.ts';

const SWITCH = oneOfStandard(['true', 'false']);
const EXPORTER = oneOfStandard(['otlp', 'none']);
const PROTOCOL = oneOfStandard(['http/protobuf', 'http/json']);

/**
 * Returns undefined if traces are off.
 *
 * @param given the variables `OTEL_*`.
 * @throws {ConfigError} for an invalid value, if there is a collector.
 */
export function tracesOf(given: EnvironmentVariables) {
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
