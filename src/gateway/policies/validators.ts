/**
 * Validators of responses by GET: `ETag`, 304 and `Cache-Control`.
 *
 * A tag is of the response's bytes. Yoga's are of the request, and led to 304 for data that had changed, also
 * to other keys.
 */
import { hash } from 'node:crypto';
import type { Operation } from '../operation/operation.ts';
import { isJson, type OperationResponse } from '../operation/response.ts';
import type { Policy } from '../pipeline.ts';
import { codingOf } from './compression.ts';

/** Headers that caches must compare, beside the forwarded ones. */
const VARY = ['x-api-key', 'accept', 'accept-encoding'];

/** Characters of six bits each. */
const TAG_LENGTH = 24;

/**
 * @param maxAgeS for how long responses to trusted documents may be used unasked, in seconds.
 * @param forwarded headers that the backend sees, or that decide what is kept of it.
 */
export const validators = (maxAgeS: number, forwarded: readonly string[]): Policy => {
  const vary = [...VARY, ...forwarded].join(', ');
  return {
    respond(operation, response) {
      if (operation.method !== 'GET' || !isJson(response.mediaType)) return;
      response.headers.push('vary', vary);
      if (!mayBeKept(response, operation)) {
        response.headers.push('cache-control', 'no-store');
        return;
      }
      const mayBeUsed = operation.documentHash !== undefined && maxAgeS > 0;
      response.headers.push(
        'cache-control',
        mayBeUsed ? `private, max-age=${maxAgeS}` : 'private, no-cache',
      );
      // A plugin's own tag counts: two would be none.
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

/** Whole responses to queries, and nothing that tells of one request. */
const mayBeKept = (
  { status }: OperationResponse,
  { errors, operationType, explain }: Operation,
): boolean =>
  status === 200 && !errors?.length && operationType === 'query' && explain === undefined;

/**
 * Compared weakly, since proxies that compress make strong tags weak. Source: RFC 9110, "If-None-Match".
 */
const isAmong = (given: string | undefined, tag: string): boolean =>
  given?.split(',').some((one) => one.trim().replace(/^W\//, '') === tag) ?? false;
