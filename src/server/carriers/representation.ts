/**
 * What an answer becomes for one caller: its bytes in a coding, and validators where it may be kept.
 *
 * A tag is of the answer itself, not of the request: a cache that asks with it learns whether it would
 * get the same bytes again. It saves bytes; the backend is asked all the same.
 */
import { hash } from 'node:crypto';
import type { OperationRequest } from '../operation/operation-runner.ts';
import type { RequestRecord } from '../operation/request-record.ts';
import { encode, MIN_CODED_LENGTH } from '../reply/content-coding.ts';
import { negotiateCoding, type Coding, type MediaType } from '../reply/negotiation.ts';
import type { Reply, WrittenReply } from '../reply/reply.ts';

/** A request, as far as it decides the representation. */
interface Conditions extends OperationRequest {
  /** The `Accept-Encoding` header. */
  readonly acceptEncoding: string | null | undefined;
  /** The `If-None-Match` header. */
  readonly ifNoneMatch: string | null | undefined;
}

export interface RepresentationOptions {
  /** For how long answers to trusted documents may be used unasked, in seconds. @default 0 */
  readonly cacheMaxAge?: number | undefined;
}

/** What caches must compare before they use an answer for another request. */
const VARY = 'x-api-key, accept, accept-encoding';

/** @param written of `reply`, in `mediaType`; its headers are added to. */
export function represent(
  written: WrittenReply,
  mediaType: MediaType,
  conditions: Conditions,
  options: RepresentationOptions,
): WrittenReply | Promise<WrittenReply> {
  const { text, headers } = written;
  const { record } = conditions;
  const isGet = conditions.method === 'GET';
  const isLong = text.length >= MIN_CODED_LENGTH;
  if (!isGet && !isLong) return written;
  const reply = record.reply!;
  const coding = isLong ? negotiateCoding(conditions.acceptEncoding) : undefined;
  let mark: string | undefined;
  if (isGet) {
    mark = mayBeKept(written, reply, conditions) ? markOf(reply, mediaType) : undefined;
    headers.push('cache-control', mark === undefined ? 'no-store' : cacheControl(record, options));
    headers.push('vary', VARY);
    if (mark !== undefined && matches(conditions.ifNoneMatch, tagOf(mark, coding))) {
      headers.push('etag', tagOf(mark, coding));
      return { status: 304, headers, text: '' };
    }
  } else if (coding) {
    headers.push('vary', 'accept-encoding');
  }
  const coded = coding && bytesOf(reply, coding);
  if (!coded) return withTag(written, mark, undefined);
  return coded.then((bytes) => {
    headers.push('content-encoding', coding);
    return withTag({ ...written, bytes }, mark, coding);
  });
}

/** Whole answers to reads, and nothing that tells of one request. */
const mayBeKept = (
  { status }: WrittenReply,
  { errorCodes }: Reply,
  { explain, record }: Conditions,
): boolean =>
  status === 200 && errorCodes.length === 0 && record.operationType === 'query' && explain == null;

function cacheControl({ trusted }: RequestRecord, { cacheMaxAge = 0 }: RepresentationOptions) {
  return trusted && cacheMaxAge > 0 ? `private, max-age=${cacheMaxAge}` : 'private, no-cache';
}

/** What entity tags begin with: of the answer and its media type. Made once for a kept answer. */
function markOf({ content }: Reply, mediaType: MediaType): string {
  if (content.mark?.of !== mediaType) {
    const text = hash('sha256', `${mediaType} ${content.digest}`, 'base64url');
    content.mark = { of: mediaType, text: text.slice(0, TAG_LENGTH) };
  }
  return content.mark.text;
}

/** Characters of six bits each. */
const TAG_LENGTH = 24;

/** A strong tag: the same bytes only in the same coding. */
const tagOf = (mark: string, coding: Coding | undefined): string =>
  coding ? `"${mark}-${coding}"` : `"${mark}"`;

/** Compared weakly, since proxies that compress make strong tags weak. Source: RFC 9110, "If-None-Match". */
function matches(given: string | null | undefined, tag: string): boolean {
  if (!given) return false;
  return given.split(',').some((one) => one.trim().replace(/^W\//, '') === tag);
}

function withTag(
  written: WrittenReply,
  mark: string | undefined,
  coding: Coding | undefined,
): WrittenReply {
  if (mark !== undefined) written.headers.push('etag', tagOf(mark, coding));
  return written;
}

/** Coded once for each reply: introspection's is answered many times. */
function bytesOf({ content }: Reply, coding: Coding): Promise<Buffer> | undefined {
  const known = content.coded.get(coding);
  if (known) return known;
  const bytes = encode(content.text, coding);
  if (bytes) content.coded.set(coding, bytes);
  return bytes;
}
