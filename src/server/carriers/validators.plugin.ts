/**
 * Validators of answers by GET: `ETag`, 304 and `Cache-Control`.
 *
 * A tag is of the answer's bytes. Yoga's are of the request, and answered 304 for data that had changed, also
 * to other keys.
 */
import { hash } from 'node:crypto';
import type { GatewayPlugin, ServerContext } from '../../operation/gateway-plugin.ts';
import { isJson, type Answer } from '../../operation/result/answer.ts';
import { codingOf } from './compression.plugin.ts';

/** What caches must compare before they use an answer for another request, beside what is forwarded. */
const VARY = ['x-api-key', 'accept', 'accept-encoding'];

/** Characters of six bits each. */
const TAG_LENGTH = 24;

/**
 * @param maxAgeS for how long answers to trusted documents may be used unasked, in seconds.
 * @param forwarded headers that the backend sees, or that decide what is kept of it.
 */
export const useValidators = (maxAgeS: number, forwarded: readonly string[]): GatewayPlugin => {
  const vary = [...VARY, ...forwarded].join(', ');
  return {
    onAnswer(answer, context) {
      const { caller, record } = context;
      if (caller.method !== 'GET' || !isJson(answer.mediaType)) return;
      answer.headers.push('vary', vary);
      if (!mayBeKept(answer, context)) {
        answer.headers.push('cache-control', 'no-store');
        return;
      }
      const mayBeUsed = record.document !== undefined && maxAgeS > 0;
      answer.headers.push(
        'cache-control',
        mayBeUsed ? `private, max-age=${maxAgeS}` : 'private, no-cache',
      );
      const tagged = hash('sha256', `${answer.mediaType} ${answer.text}`, 'base64url');
      answer.tag = tagged.slice(0, TAG_LENGTH);
      const coding = codingOf(answer, caller);
      const sent = coding ? `${answer.tag}-${coding}` : answer.tag;
      if (!isAmong(caller.ifNoneMatch, `"${sent}"`)) return;
      answer.status = 304;
      answer.tag = sent;
    },
  };
};

/** Whole answers to reads, and nothing that tells of one request. */
const mayBeKept = ({ status }: Answer, { caller, record }: ServerContext): boolean =>
  status === 200 &&
  !record.errors?.length &&
  record.operationType === 'query' &&
  caller.explain == null;

/**
 * Compared weakly, since proxies that compress make strong tags weak. Source: RFC 9110, "If-None-Match".
 */
const isAmong = (given: string | null | undefined, tag: string): boolean =>
  given?.split(',').some((one) => one.trim().replace(/^W\//, '') === tag) ?? false;
