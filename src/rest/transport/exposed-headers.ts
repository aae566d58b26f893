/**
 * Headers of the backend's answers that go on to callers (`EXPOSE_HEADERS`), kept beside the calls that were answered.
 *
 * Callers that share a read by single-flight all get its headers.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { ExposedHeader } from '../call/journal.ts';

/** What Node would refuse to write is left out: it would cost the caller the whole answer. */
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
