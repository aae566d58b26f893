/**
 * Content negotiation: the media type of a response, event streams, codings, and the format of incremental responses.
 *
 * Source: GraphQL over HTTP, "Accept"; RFC 9110, "Proactive Negotiation" and "Accept-Encoding".
 */
import { LRUCache } from 'lru-cache';
import type { FragmentDelivery } from '../../execution/incremental/delivery.ts';

/** Media types of GraphQL over HTTP, and of streams for callers that accept neither of them. */
export type MediaType = (typeof JSON_TYPES)[number] | (typeof STREAM_TYPES)[number];

export type Coding = 'br' | 'gzip';

/** Format of an incremental response; the parameter of its media type. */
export type IncrementalFormat = 'deferSpec=20220824' | 'incrementalSpec=v0.2';

/** In order of preference for callers that accept anything; older clients know only the first. */
const JSON_TYPES = ['application/json', 'application/graphql-response+json'] as const;

const STREAM_TYPES = ['text/event-stream', 'multipart/mixed'] as const;

/** Bounded by characters: callers send few different headers. */
const memoizeByHeader = <Found extends string>(find: (header: string) => Found) =>
  new LRUCache<string, Found>({
    maxSize: 25_000,
    sizeCalculation: (_found, header) => header.length,
    memoMethod: (header) => find(header),
  });

const mediaTypes = memoizeByHeader(bestMediaType);
const codings = memoizeByHeader(bestCoding);

/** Returns the media type of a single response; undefined if the caller accepts none. */
export function negotiateMediaType(accept: string | null | undefined): MediaType | undefined {
  if (!accept) return JSON_TYPES[0];
  const found = mediaTypes.memo(accept);
  return found === 'none' ? undefined : found;
}

/** Whether a caller accepts a media type, by name or by a range; the most specific one decides. */
export const accepts = (accept: string | null | undefined, type: string): boolean =>
  !accept || qualityOf(choicesIn(accept), rangesOf(type)) > 0;

/** Whether a caller accepts a media type by name, and does not prefer another one. */
export function prefers(accept: string, type: string, other: string): boolean {
  const choices = choicesIn(accept);
  const quality = qualityOf(choices, [type]);
  return quality > 0 && quality >= qualityOf(choices, rangesOf(other));
}

/**
 * Returns the coding of a response; undefined for plain bytes.
 *
 * Callers that accept no supported coding get plain bytes.
 */
export function negotiateCoding(accepted: string | null | undefined): Coding | undefined {
  if (!accepted) return undefined;
  const found = codings.memo(accepted);
  return found === 'identity' ? undefined : found;
}

export interface PartsReader {
  /** As named by the caller; the older format without a name. */
  readonly format: IncrementalFormat;
  /** `announced` for Relay, which requests it; `whole` for the parsers of Apollo iOS and Apollo Kotlin. */
  readonly fragmentDelivery: FragmentDelivery;
}

export function partsReaderOf(accept: string | null | undefined): PartsReader | undefined {
  const choices = choicesIn(accept?.replaceAll('"', '') ?? '');
  const found = choices.find(({ name, quality }) => name === 'multipart/mixed' && quality > 0);
  if (!found) return undefined;
  const { parameters } = found;
  if (!parameters.includes('incrementalspec=v0.2')) {
    return { format: 'deferSpec=20220824', fragmentDelivery: 'whole' };
  }
  const fragmentDelivery = parameters.includes('announce=all') ? 'announced' : 'inlined';
  return { format: 'incrementalSpec=v0.2', fragmentDelivery };
}

function bestMediaType(accept: string): MediaType | 'none' {
  // Responses are always UTF-8.
  const choices = choicesIn(accept).filter(
    ({ parameters }) =>
      (valueOf(parameters, 'charset')?.replaceAll('"', '') ?? 'utf-8') === 'utf-8',
  );
  let best: { readonly type: MediaType; readonly rank: number } | undefined;
  for (const type of JSON_TYPES) {
    // The most specific range decides, in any position.
    const ranges = [type, 'application/*', '*/*'];
    const specificity = ranges.findIndex((range) => choices.some(({ name }) => name === range));
    const place = choices.findIndex(({ name }) => name === ranges[specificity]);
    const quality = choices[place]?.quality ?? 0;
    if (quality === 0) continue;
    // At equal quality, types precede ranges, and earlier entries later ones.
    const rank = quality * 1e6 - specificity * 1e3 - Math.min(place, 999) / 1e3;
    if (!best || rank > best.rank) best = { type, rank };
  }
  if (best) return best.type;
  const byName = STREAM_TYPES.find((type) => qualityOf(choices, [type]) > 0);
  return byName ?? (accepts(accept, 'text/event-stream') ? 'text/event-stream' : 'none');
}

function bestCoding(accepted: string): Coding | 'identity' {
  const qualities = new Map(
    choicesIn(accepted).map(({ name, quality }) => [name === 'x-gzip' ? 'gzip' : name, quality]),
  );
  const of = (name: string): number => qualities.get(name) ?? qualities.get('*') ?? 0;
  const [br, gzip] = [of('br'), of('gzip')];
  // Brotli is preferred at equal quality; `identity` only if the caller prefers it.
  const best = Math.max(br, gzip);
  if (best === 0 || (qualities.get('identity') ?? 0) > best) return 'identity';
  return br >= gzip ? 'br' : 'gzip';
}

interface Choice {
  readonly name: string;
  readonly parameters: readonly string[];
  /** From 0 to 1; 0 excludes it. */
  readonly quality: number;
}

const choicesIn = (header: string): Choice[] =>
  header
    .toLowerCase()
    .split(',')
    .map((text) => {
      const [name = '', ...parameters] = text.split(';').map((part) => part.trim());
      const quality = Number(valueOf(parameters, 'q') ?? 1);
      return { name, parameters, quality: quality >= 0 && quality <= 1 ? quality : 0 };
    });

const rangesOf = (type: string): readonly string[] => [type, `${type.split('/')[0]}/*`, '*/*'];

/** The quality of the first of some ranges that is accepted or excluded; 0 without one. */
function qualityOf(choices: readonly Choice[], ranges: readonly string[]): number {
  const range = ranges.find((one) => choices.some(({ name }) => name === one));
  // A type may be there several times, by version.
  return Math.max(0, ...choices.filter(({ name }) => name === range).map(({ quality }) => quality));
}

const valueOf = (parameters: readonly string[], name: string): string | undefined =>
  parameters.find((parameter) => parameter.startsWith(`${name}=`))?.slice(name.length + 1);
