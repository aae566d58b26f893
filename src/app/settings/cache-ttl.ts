/**
 * Default lifetimes by route, for responses without one (`CACHE_TTL`).
 */
import { z } from 'zod';
import { routes } from '../../v0/routes.ts';
import { UNITS_MS } from './kinds.ts';
import { ConfigError } from './setting.ts';

const MAX_MS = 24 * UNITS_MS.h;

const ONE = /^([A-Z]+ \/\S+)=([1-9]\d{0,5})([smh])$/;

export interface CacheTtl {
  /** Whether there is a response cache. */
  readonly isOn: boolean;
  /** Method and path of a route, and its time in milliseconds. */
  readonly ttls: readonly (readonly [route: string, ms: number])[];
}

export const CACHE_TTL = z
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
    '"off", "backend", or routes with the time of each, none twice, in s, m or h, at most 24h, such as "GET /v0/pages/{page_id}=30s, GET /v0/topics=5m"',
  );

/** @throws {ConfigError} for the first route that is not a read of the REST document. */
export function checkCacheTtl({ cacheTtl }: { readonly cacheTtl: CacheTtl | undefined }): void {
  const reads = Object.values(routes)
    .filter(({ method }) => method === 'GET')
    .map(({ method, path }) => `${method} ${path}`);
  const wrong = cacheTtl?.ttls.find(([route]) => !reads.includes(route));
  if (!wrong) return;
  throw new ConfigError(
    `CACHE_TTL may not name ${wrong[0]}: it is no read of the REST document. Name one of: ${reads.join(', ')}.`,
  );
}
