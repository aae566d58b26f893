/**
 * Reads the headers of a caller that go on to the backend.
 *
 * Carriers read them where a request arrives: a stream that stays open for hours then keeps these few, and no request.
 */
import type { ForwardedHeaders } from '../../rest/call/forwarded-headers.ts';

/** A header of a caller's by its name, in lower case. */
type ReadHeader = (name: string) => string | readonly string[] | null | undefined;

export type Forwarding = (header: ReadHeader) => ForwardedHeaders;

/**
 * @param names in lower case.
 * @returns undefined where nothing is forwarded.
 */
export const createForwarding = (names: readonly string[]): Forwarding | undefined =>
  names.length === 0
    ? undefined
    : (header) =>
        names.flatMap((name) => {
          const value = header(name);
          return typeof value === 'string' ? [name, value] : [];
        });
