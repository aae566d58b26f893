/**
 * Response headers of the backend for callers (`EXPOSE_HEADERS`).
 *
 * All callers of a shared read get its headers.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { ExposedHeader } from '../call/call-log.ts';

/** Values that Node can write; others are left out, since they would fail the whole response. */
const WRITABLE = /^[\t\x20-\x7e]*$/;

/** @param names in lower case. */
export const exposedOf = (
  headers: IncomingHttpHeaders,
  names: readonly string[],
): ExposedHeader[] =>
  names.flatMap((name) => {
    const value = headers[name];
    const text = Array.isArray(value) ? value.join(', ') : value;
    return text !== undefined && WRITABLE.test(text) ? [[name, text] as const] : [];
  });
