/**
 * Headers of a caller that the backend gets with each of its calls (`FORWARD_HEADERS`).
 *
 * What they hold may change what the backend answers. So two callers share answers only where all of them are equal.
 */
import { hash } from 'node:crypto';

export interface ForwardedHeaders {
  /** Name, value, name, value. */
  readonly headers: readonly string[];
  /** Equal for equal headers; empty where there are none. */
  readonly id: string;
}

export const NOTHING_FORWARDED: ForwardedHeaders = { headers: [], id: '' };

/** @param headers name, value, name, value; none has a line break. */
export const forwardedHeaders = (headers: readonly string[]): ForwardedHeaders =>
  headers.length === 0
    ? NOTHING_FORWARDED
    : // Of one length, and no secret to read in what is kept by it.
      { headers, id: hash('sha256', headers.join('\n'), 'base64url') };

/** Whose key and whose headers calls carry. */
export interface Identity {
  readonly apiKey: string;
  readonly forwarded: ForwardedHeaders;
}

/** Equal for callers who may share answers. No key has a line break. */
export const sharingKeyOf = ({ apiKey, forwarded }: Identity): string =>
  forwarded.id === '' ? apiKey : `${apiKey}\n${forwarded.id}`;
