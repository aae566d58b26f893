/**
 * Headers of a caller that the backend gets with each of its calls (`FORWARD_HEADERS`).
 *
 * What they hold may change what the backend answers. So two callers share answers only where all of them are equal.
 */
import { hash } from 'node:crypto';

/** Name, value, name, value; none has a line break. */
export type ForwardedHeaders = readonly string[];

/** Whose key and whose headers calls carry. */
export interface Identity {
  readonly apiKey: string;
  readonly forwarded: ForwardedHeaders;
}

/** Equal for callers who may share answers. No key has a line break. */
export const sharingKeyOf = ({ apiKey, forwarded }: Identity): string =>
  forwarded.length === 0
    ? apiKey
    : // Of one length, and no secret to read in what is kept by it.
      `${apiKey}\n${hash('sha256', forwarded.join('\n'), 'base64url')}`;
