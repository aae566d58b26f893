/** Paths of a gateway that is below another path (`BASE_PATH`). */
import { refusalResponse } from '../../operation/refusal.ts';

/** What is asked for below it: `/content/graphql?a` → `/graphql?a`; undefined for what is not below it. */
export function pathBelow(basePath: string, url: string): string | undefined {
  if (basePath === '') return url;
  const path = url.startsWith(basePath) ? url.slice(basePath.length) : undefined;
  return path === '' ? '/' : path?.startsWith('/') ? path : undefined;
}

export const notBelow = (basePath: string): Response =>
  refusalResponse(404, 'NOT_FOUND', `Nothing is here: ask for ${basePath}/graphql.`);
