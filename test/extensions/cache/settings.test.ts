/** Settings of the response cache: lifetimes by route, and when it is on. */
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../../src/app/config.ts';
import { settings } from '../../../src/extensions/cache/cache.settings.ts';
import type { Extension } from '../../../src/gateway/extension.ts';
import { ConfigError } from '../../../src/gateway/settings/setting.ts';

function optionsOf(env: Record<string, string>, opened: readonly Extension[] = []) {
  const config = readConfig(env);
  return settings.options(config.extensions.cache, config, opened);
}

describe('CACHE_TTL', () => {
  it.each([
    ['30s', 'CACHE_TTL must be "off", "backend", or distinct routes with .*; got "30s".'],
    ['GET /v0/pages/{page_id}=30', 'CACHE_TTL must be .*'],
    ['GET /v0/pages/{page_id}=25h', 'CACHE_TTL must be .*'],
    ['backend,GET /v0/pages/{page_id}=1s', 'CACHE_TTL must be .*'],
    ['GET /v0/page=1s', 'CACHE_TTL: GET /v0/page is not a read route .*'],
    ['GET /v0/topics=1s, GET /v0/topics=5m', 'CACHE_TTL must be .* distinct routes .*'],
    ['POST /v0/pages=1s', 'CACHE_TTL: POST /v0/pages is not a read route .*'],
  ])('rejects %s with one line', (CACHE_TTL, message) => {
    expect(() => readConfig({ CACHE_TTL })).toThrow(ConfigError);
    expect(() => readConfig({ CACHE_TTL })).toThrow(new RegExp(`^${message}$`));
  });

  it('accepts routes with TTLs, or "backend"', () => {
    const CACHE_TTL = 'GET /v0/pages/{page_id}=30s, GET /v0/topics=5m';

    expect(optionsOf({ CACHE_TTL, CACHE_BYTES: '1000000' })).toEqual({
      maxBytes: 1_000_000,
      ttls: [
        ['GET /v0/pages/{page_id}', 30_000],
        ['GET /v0/topics', 300_000],
      ],
    });
    expect(optionsOf({ CACHE_TTL: 'backend' })).toEqual({ maxBytes: 32_000_000, ttls: [] });
  });

  it('defaults to "off", unless another extension offers shared reads', () => {
    const sharedReads = {} as NonNullable<NonNullable<Extension['offers']>['sharedReads']>; // unused

    expect(optionsOf({})).toBeUndefined();
    expect(optionsOf({}, [{ offers: { sharedReads } }])).toEqual({
      maxBytes: 32_000_000,
      ttls: [],
    });
    expect(optionsOf({ CACHE_TTL: 'off' }, [{ offers: { sharedReads } }])).toBeUndefined();
  });
});

it.each(['FORWARD_HEADERS', 'EXPOSE_HEADERS'])(
  '%s must not contain the header of consistency tokens',
  (name) => {
    expect(() => readConfig({ [name]: 'x-team, X-Consistency' })).toThrow(
      new RegExp(`^${name} must not contain x-consistency: the gateway sets it on each `),
    );
  },
);
