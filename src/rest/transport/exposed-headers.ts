/**
 * Headers of the backend's answers that go on to callers (`EXPOSE_HEADERS`), kept beside the calls that were answered.
 *
 * Answers come and go by the callbacks of the layers: whoever joined a read gets the headers with its answer.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Layer } from '../call/call.ts';
import type { ExposedHeader } from '../call/journal.ts';

/** @param names in lower case. */
export const exposeHeaders =
  (names: readonly string[]): Layer =>
  (inner) =>
  (settle) =>
    inner((attempt, settled) => {
      if (!(settled instanceof Error)) {
        const { flight, call } = attempt;
        flight.exposed = exposedOf(settled.headers, names);
        call.journal.expose(flight.exposed);
      }
      settle(attempt, settled);
    });

/** What Node would refuse to write is left out: it would cost the caller the whole answer. */
const WRITABLE = /^[\t\x20-\x7e]*$/;

const exposedOf = (headers: IncomingHttpHeaders, names: readonly string[]): ExposedHeader[] =>
  names.flatMap((name) => {
    const value = headers[name];
    const text = Array.isArray(value) ? value.join(', ') : value;
    return text !== undefined && WRITABLE.test(text) ? [[name, text] as const] : [];
  });
