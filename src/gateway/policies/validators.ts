/**
 * Validators of responses by GET: `ETag`, 304 and `Cache-Control`.
 *
 * Tags are hashes of the response. Yoga's are hashes of the request, and led to 304 for changed data, even for other
 * keys.
 */
import { hash } from 'node:crypto';
import type { Operation } from '../operation/operation.ts';
import { isJson, type OperationResponse } from '../operation/response.ts';
import type { Policy } from '../policy.ts';
import { codingOf } from './compression.ts';

/** Headers of `Vary`, in addition to the forwarded ones. */
const VARY = ['x-api-key', 'accept', 'accept-encoding'];

/** Length in characters of six bits. */
const TAG_LENGTH = 24;

/**
 * @param maxAgeS `max-age` of responses to trusted documents, in seconds.
 * @param forwarded headers that affect the response.
 */
export const validators = (maxAgeS: number, forwarded: readonly string[]): Policy => {
  const vary = [...VARY, ...forwarded].join(', ');
  return {
    onAnswer(operation, response) {
      if (operation.method !== 'GET' || !isJson(response.mediaType)) return;
      response.headers.push('vary', vary);
      if (!mayBeKept(response, operation)) {
        response.headers.push('cache-control', 'no-store');
        return;
      }
      const mayBeUsed = operation.document?.hash !== undefined && maxAgeS > 0;
      response.headers.push(
        'cache-control',
        mayBeUsed ? `private, max-age=${maxAgeS}` : 'private, no-cache',
      );
      // A tag of a plugin takes precedence.
      if (hasTag(response)) return;
      const tagged = hash('sha256', `${response.mediaType} ${response.text}`, 'base64url');
      response.tag = tagged.slice(0, TAG_LENGTH);
      const coding = codingOf(response, operation);
      const sent = coding ? `${response.tag}-${coding}` : response.tag;
      if (!isAmong(operation.header('if-none-match'), `"${sent}"`)) return;
      response.status = 304;
      response.tag = sent;
    },
  };
};

const hasTag = ({ headers }: OperationResponse): boolean =>
  headers.some((name, i) => i % 2 === 0 && name.toLowerCase() === 'etag');

/** Whether a response is a whole one of a query, without facts about this one request. */
const mayBeKept = (
  { status }: OperationResponse,
  { errors, operationType, explain }: Operation,
): boolean =>
  status === 200 && errors.length === 0 && operationType === 'query' && explain === undefined;

/**
 * Compared weakly, since proxies that compress make strong tags weak. Source: RFC 9110, "If-None-Match".
 */
const isAmong = (given: string | undefined, tag: string): boolean =>
  given?.split(',').some((one) => ['*', tag].includes(one.trim().replace(/^W\//, ''))) ?? false;
