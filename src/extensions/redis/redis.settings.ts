/** Settings of rate limits and of the state that replicas share. */
import { z } from 'zod';
import { extensionSettings } from '../../gateway/extension.ts';
import { isDecodable, UNITS_MS } from '../../gateway/settings/kinds.ts';
import { secret, setting } from '../../gateway/settings/setting.ts';

/** Restricts the query, since ioredis reads parameters as options. */
const isRedis = ({ protocol, pathname, search, username, password }: URL): boolean =>
  isDecodable(username + password) &&
  (protocol === 'unix:' || /^(?:\/\d{0,5})?$/.test(pathname)) &&
  /^(?:\?family=[046])?$/.test(search);

const REDIS_URL = z
  .string()
  .refine(
    (text) =>
      /^(?:unix:\/\/\/|rediss?:\/\/)./.test(text) && URL.canParse(text) && isRedis(new URL(text)),
  )
  .describe(
    'a Redis URL: redis://user:password@host:6379/0, rediss://… for TLS, or unix:///path/of/its/socket',
  );

/** A secret that is too long to guess. */
const SECRET = z.string().min(16).max(1_024).describe('16 to 1024 characters');

/** `600/m`: a number per time unit. */
const RATE = z
  .string()
  .regex(/^[1-9]\d{0,6}\/[smh]$/)
  .transform((text) => {
    const [calls, unit] = text.split('/') as [string, keyof typeof UNITS_MS]; // by the pattern
    return { calls: Number(calls), windowMs: UNITS_MS[unit] };
  })
  .describe(
    'a whole number up to 9999999 per second, minute or hour, such as 10/s, 600/m or 36000/h',
  );

/** The secret of hashed names in Redis: by default its password, or an empty text. */
const secretOf = (url: string, secret: string | undefined): string =>
  secret ?? new URL(url).password;

export const settings = extensionSettings({
  title: 'Rate limits and shared state',
  settings: {
    rateLimit: setting(
      'RATE_LIMIT',
      RATE,
      'Maximum rate of REST calls per API key, such as `600/m` (`s`, `m` or `h`). Bursts may use a tenth. If unset, unlimited.',
    ),
    url: secret(
      'REDIS_URL',
      REDIS_URL,
      'Redis or Valkey for state shared by replicas: `redis://…`, `rediss://…` or `unix://…`. If unset, nothing is shared.',
    ),
    secret: secret(
      'REDIS_SECRET',
      SECRET,
      'Secret that hashes API keys in Redis: 16 to 1,024 characters, equal in all replicas. If unset, the password in `REDIS_URL`.',
    ),
  },
  check({ url, secret }) {
    if (url === undefined || secretOf(url, secret) !== '') return [];
    return [
      'REDIS_URL has no password and REDIS_SECRET is unset, so anyone who can read Redis can guess API keys. Set REDIS_SECRET.',
    ];
  },
  options({ url, secret, rateLimit }) {
    if (url === undefined && rateLimit === undefined) return undefined;
    return { url, secret: url === undefined ? '' : secretOf(url, secret), rateLimit };
  },
});
