/** Settings of extensions; undefined if an extension is off. */
import { EXAMPLE_API_KEY } from '../backend/seed/example.ts';
import { passwordOf, type Config } from './config.ts';
import { tracesOf } from './settings/traces.ts';

export function recording({ recording }: Config) {
  if (recording.record === undefined && recording.replay === undefined) return undefined;
  return { ...recording, publicKey: EXAMPLE_API_KEY };
}

export function redis({ fleet: { redisUrl: url, redisSecret, rateLimit } }: Config) {
  if (url === undefined && rateLimit === undefined) return undefined;
  return { url, secret: redisSecret ?? (url === undefined ? '' : passwordOf(url)), rateLimit };
}

export function cache({ fleet: { cacheTtl, cacheBytes: maxBytes, redisUrl } }: Config) {
  const isOn = cacheTtl?.isOn ?? redisUrl !== undefined;
  return isOn ? { maxBytes, ttls: cacheTtl?.ttls ?? [] } : undefined;
}

export function federation({ tools: { federation, introspection } }: Config) {
  return federation ? { tellsSchema: introspection !== 'off' } : undefined;
}

export function traces({ traces: { opentelemetry } }: Config) {
  return tracesOf(opentelemetry);
}

export function mcp({ documents: { agents: folder } }: Config) {
  return folder === undefined ? undefined : { folder };
}
