/**
 * Which of the two media types of GraphQL over HTTP an answer is written in.
 *
 * Source: GraphQL over HTTP, "Accept"; RFC 9110, "Proactive Negotiation".
 */
import { LRUCache } from 'lru-cache';

export type MediaType = 'application/graphql-response+json' | 'application/json';

/** In the order in which they are taken by callers who accept anything: older ones know only the first. */
const MEDIA_TYPES: readonly MediaType[] = ['application/json', 'application/graphql-response+json'];

/** `Accept` headers whose answer is kept, and the longest that is. */
const MAX_KEPT = 100;
const MAX_KEPT_LENGTH = 256;

const negotiated = new LRUCache<string, MediaType | 'none'>({ max: MAX_KEPT });

/** Undefined when the caller accepts neither. */
export function negotiate(accept: string | null | undefined): MediaType | undefined {
  if (!accept) return MEDIA_TYPES[0];
  let found = negotiated.get(accept);
  if (!found) {
    found = bestOf(accept) ?? 'none';
    if (accept.length <= MAX_KEPT_LENGTH) negotiated.set(accept, found);
  }
  return found === 'none' ? undefined : found;
}

/** The format of an answer in parts, as its media type names it. */
export type IncrementalFormat = 'deferSpec=20220824' | 'incrementalSpec=v0.2';

/**
 * How a caller reads answers in parts; undefined for one who does not say so.
 *
 * Callers of either specification name it; without a name it is the older one.
 */
export function incrementalFormatOf(
  accept: string | null | undefined,
): IncrementalFormat | undefined {
  for (const range of accept?.toLowerCase().split(',') ?? []) {
    const [type, ...parameters] = range.split(';').map((part) => part.trim().replaceAll('"', ''));
    if (type !== 'multipart/mixed' || parameters.some((one) => /^q=0(\.0*)?$/.test(one))) continue;
    return parameters.includes('incrementalspec=v0.2')
      ? 'incrementalSpec=v0.2'
      : 'deferSpec=20220824';
  }
  return undefined;
}

/**
 * Whether a caller waits for every `@defer`, as Relay does: also for those that cost nothing, which
 * are otherwise answered at once and not mentioned.
 */
export const announcesAll = (accept: string | null | undefined): boolean =>
  accept?.includes(';announce=all') ?? false;

interface Range {
  readonly type: string;
  /** From 0, never, to 1. */
  readonly quality: number;
}

function bestOf(accept: string): MediaType | undefined {
  const ranges = accept.toLowerCase().split(',').flatMap(rangeOf);
  let best: { readonly type: MediaType; readonly rank: number } | undefined;
  for (const type of MEDIA_TYPES) {
    // The most specific range decides, wherever it stands.
    const names = [type, 'application/*', '*/*'];
    const specificity = names.findIndex((name) => ranges.some((range) => range.type === name));
    const place = ranges.findIndex((range) => range.type === names[specificity]);
    const quality = ranges[place]?.quality ?? 0;
    if (quality === 0) continue;
    // Where qualities are equal, what is named goes before what is included, and earlier before later.
    const rank = quality * 1e6 - specificity * 1e3 - Math.min(place, 999) / 1e3;
    if (!best || rank > best.rank) best = { type, rank };
  }
  return best?.type;
}

function rangeOf(text: string): Range[] {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim());
  const valueOf = (name: string) =>
    parameters.find((parameter) => parameter.startsWith(`${name}=`))?.slice(name.length + 1);
  const charset = valueOf('charset')?.replaceAll('"', '') ?? 'utf-8';
  if (charset !== 'utf-8') return []; // answers are written in UTF-8 alone
  const quality = Number(valueOf('q') ?? 1);
  return [{ type, quality: quality >= 0 && quality <= 1 ? quality : 0 }];
}
