/** The resource of spans: the service's name, version and attributes. */
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
  type Resource,
} from '@opentelemetry/resources';
import type { Logger } from '../../gateway/observe/logs/logger.ts';

/** Maximum length of a name or value. Source: `envDetector`. */
const MAX_LENGTH = 255;

/**
 * `envDetector` reads `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES`, but leaves out all attributes for a bad one,
 * in silence: so they are read here, and bad ones are logged.
 */
export function resourceOf(version: string, attributes: string, logger: Logger): Resource {
  const pairs = attributes.split(',').filter((text) => text.trim() !== '');
  const read = pairs.map((text) => ({ text: text.trim(), pair: pairOf(text) }));
  const bad = read.flatMap(({ text, pair }) => (pair ? [] : JSON.stringify(text.slice(0, 100))));
  if (bad.length > 0) {
    logger.warn(
      `OTEL_RESOURCE_ATTRIBUTES must be pairs such as region=eu with commas between them, "," and "=" of a value percent-encoded, at most ${MAX_LENGTH} characters each; left out: ${bad.join(', ')}`,
    );
  }
  return defaultResource()
    .merge(
      resourceFromAttributes({ 'service.name': 'graphql-gateway', 'service.version': version }),
    )
    .merge(
      resourceFromAttributes(Object.fromEntries(read.flatMap(({ pair }) => (pair ? [pair] : [])))),
    )
    .merge(detectResources({ detectors: [envDetector] }));
}

/** Undefined for anything but a name and a value. */
function pairOf(text: string): [name: string, value: string] | undefined {
  const parts = text.split('=');
  try {
    const [name = '', value = ''] = parts.map((part) => decodeURIComponent(part.trim()));
    const isPair = parts.length === 2 && name !== '';
    return isPair && Math.max(name.length, value.length) <= MAX_LENGTH ? [name, value] : undefined;
  } catch {
    return undefined;
  }
}
