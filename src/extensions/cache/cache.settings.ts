/** Settings of the response cache. */
import { z } from 'zod';
import { extensionSettings } from '../../gateway/extension.ts';
import { UNITS_MS, wholeNumber } from '../../gateway/settings/kinds.ts';
import { ConfigError, setting } from '../../gateway/settings/setting.ts';
import { routes } from '../../v0/routes.ts';
import type {} from '../redis/shared-reads.ts';

export const HEADER = 'x-consistency';

const MAX_MS = 24 * UNITS_MS.h;

const ONE = /^([A-Z]+ \/\S+)=([1-9]\d{0,5})([smh])$/;

interface CacheTtl {
  readonly isOn: boolean;
  readonly ttls: readonly (readonly [route: string, ms: number])[];
}

const CACHE_TTL = z
  .string()
  .transform((text): CacheTtl | undefined => {
    if (text === 'off' || text === 'backend') return { isOn: text === 'backend', ttls: [] };
    const found = text.split(',').map((one) => ONE.exec(one.trim()));
    if (!found.every((one) => one !== null)) return undefined;
    const ttls = found.map(([, route = '', count, unit]) => {
      return [route, Number(count) * UNITS_MS[unit as keyof typeof UNITS_MS]] as const;
    });
    return { isOn: true, ttls };
  })
  .refine((ttl): ttl is CacheTtl => {
    if (!ttl?.ttls.every(([, ms]) => ms <= MAX_MS)) return false;
    return new Set(ttl.ttls.map(([route]) => route)).size === ttl.ttls.length;
  })
  .describe(
    '"off", "backend", or distinct routes with lifetimes of at most 24h, such as "GET /v0/pages/{page_id}=30s, GET /v0/topics=5m"',
  );

export const settings = extensionSettings({
  title: 'Response cache',
  settings: {
    ttl: setting(
      'CACHE_TTL',
      CACHE_TTL,
      'Caching of REST responses: `off`, `backend` (as its headers allow), or default lifetimes such as `"GET /v0/topics=5m"`. If unset, `backend` with `REDIS_URL`, otherwise `off`.',
    ),
    maxBytes: setting(
      'CACHE_BYTES',
      wholeNumber(1_000_000, 999_999_999),
      'Memory for cached responses per process, in bytes.',
      '32000000',
    ),
  },
  ownHeaders: [HEADER],
  check({ ttl }) {
    const reads = Object.values(routes)
      .filter(({ method }) => method === 'GET')
      .map(({ method, path }) => `${method} ${path}`);
    const wrong = ttl?.ttls.find(([route]) => !reads.includes(route));
    if (!wrong) return [];
    throw new ConfigError(
      `CACHE_TTL: ${wrong[0]} is not a read route of the API spec. Use one of: ${reads.join(', ')}.`,
    );
  },
  options({ ttl, maxBytes }, _core, opened) {
    const isOn = ttl?.isOn ?? opened.some(({ offers }) => offers?.sharedReads);
    return isOn ? { maxBytes, ttls: ttl?.ttls ?? [] } : undefined;
  },
});
