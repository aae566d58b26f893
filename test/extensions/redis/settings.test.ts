/** Settings of rate limits and of Redis, as they are bundled. */
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import type * as Config from '../../../src/app/config.ts';
import { settings } from '../../../src/extensions/redis/redis.settings.ts';
import { buildScript } from '../../support/gateway-build.ts';

// The type of what is built is that of the sources.
const { readConfig } = (await import(
  pathToFileURL(await buildScript('config')).href
)) as typeof Config;

function optionsOf(env: Record<string, string>) {
  const config = readConfig(env);
  return settings.options(config.extensions.redis, config, []);
}

const PLAIN = 'redis://127.0.0.1:6379/0';
const WITH_PASSWORD = 'redis://:a-password@127.0.0.1:6379/0';

describe('the settings for rate limits and Redis', () => {
  it('open nothing by default', () => {
    expect(optionsOf({})).toBeUndefined();
  });

  it.each([
    ['REDIS_URL', 'redis://h/pages', /^REDIS_URL must be a Redis URL/],
    ['REDIS_URL', 'redis://h/0?db=1', /^REDIS_URL must be a Redis URL/],
    ['REDIS_URL', 'redis://:p%zz@h', /^REDIS_URL must be a Redis URL/],
    ['REDIS_URL', 'redis://:pass%@h', /^REDIS_URL must be a Redis URL/],
    ['REDIS_SECRET', 'hunter2', /^REDIS_SECRET must be 16 to 1024 ch.*not shown\.$/],
    ['RATE_LIMIT', '600', /^RATE_LIMIT must be a whole number up to 9999999 per second/],
    ['RATE_LIMIT', '0/m', /^RATE_LIMIT must be/],
    ['RATE_LIMIT', '600/d', /^RATE_LIMIT must be .*; got "600\/d"\.$/],
  ])('reject %s=%s with one line that states what is allowed', (name, value, message) => {
    const read = () => readConfig({ [name]: value });

    expect(read).toThrow(message);
    expect(read).not.toThrow('\n');
  });

  it.each([
    ['10/s', { calls: 10, windowMs: 1_000 }],
    ['600/m', { calls: 600, windowMs: 60_000 }],
    ['9999999/h', { calls: 9_999_999, windowMs: 3_600_000 }],
  ])('accept %s as a rate limit without Redis', (RATE_LIMIT, rateLimit) => {
    expect(optionsOf({ RATE_LIMIT })).toEqual({ url: undefined, secret: '', rateLimit });
  });

  it('use the password as the secret, unless a secret is set', () => {
    const REDIS_SECRET = 'sixteen letters!';

    expect(optionsOf({ REDIS_URL: WITH_PASSWORD })?.secret).toBe('a-password');
    expect(optionsOf({ REDIS_URL: WITH_PASSWORD, REDIS_SECRET })?.secret).toBe(REDIS_SECRET);
  });

  it('warn about names in Redis that are hashed without a secret', () => {
    const warningsOf = (env: Record<string, string>) => readConfig(env).warnings;

    expect(warningsOf({ REDIS_URL: PLAIN })).toEqual([
      expect.stringMatching(/^REDIS_URL has no password and REDIS_SECRET is unset, .* Set REDIS/),
    ]);
    expect(warningsOf({ REDIS_URL: PLAIN, REDIS_SECRET: 'sixteen letters!' })).toEqual([]);
    expect(warningsOf({ REDIS_URL: WITH_PASSWORD })).toEqual([]);
  });
});
