/**
 * Headers of a caller that are forwarded with each backend call (`FORWARD_HEADERS`).
 *
 * Responses may depend on them, so callers share responses only if all of them are equal.
 */
import { hash } from 'node:crypto';

/** Name, value, name, value; names in lower case, without line breaks. */
export type ForwardedHeaders = readonly string[];

export interface Identity {
  readonly apiKey: string;
  readonly forwarded: ForwardedHeaders;
}

/** Equal for callers that may share responses. Keys have no line breaks. */
export const sharingKeyOf = ({ apiKey, forwarded }: Identity): string =>
  forwarded.length === 0
    ? apiKey
    : // A hash: of constant length, without secrets in cache keys.
      `${apiKey}\n${hash('sha256', forwarded.join('\n'), 'base64url')}`;
