/**
 * What a caller accepts: a media type of one response, a stream of events, a coding, and a format of responses
 * in parts.
 *
 * Source: GraphQL over HTTP, "Accept"; RFC 9110, "Proactive Negotiation" and "Accept-Encoding".
 */
import { LRUCache } from 'lru-cache';

/** Those of GraphQL over HTTP, and those of a stream, for callers who accept neither of them. */
export type MediaType = (typeof JSON_TYPES)[number] | (typeof STREAM_TYPES)[number];

export type Coding = 'br' | 'gzip';

/** The format of a response in parts, as its media type names it. */
export type IncrementalFormat = 'deferSpec=20220824' | 'incrementalSpec=v0.2';

/** By preference for callers who accept anything: older ones know only the first. */
const JSON_TYPES = ['application/json', 'application/graphql-response+json'] as const;

const STREAM_TYPES = ['text/event-stream', 'multipart/mixed'] as const;

/** Callers send few different headers: what is found of each is kept, up to so many characters of headers. */
const kept = <Found extends string>(find: (header: string) => Found) =>
  new LRUCache<string, Found>({
    maxSize: 25_000,
    sizeCalculation: (_found, header) => header.length,
    memoMethod: (header) => find(header),
  });

const mediaTypes = kept(bestMediaType);
const codings = kept(bestCoding);

/** The media type of one response; undefined when the caller accepts none of them. */
export function negotiateMediaType(accept: string | null | undefined): MediaType | undefined {
  if (!accept) return JSON_TYPES[0];
  const found = mediaTypes.memo(accept);
  return found === 'none' ? undefined : found;
}

/** Whether a caller accepts a stream of events. Only by name: who accepts anything does not expect a stream. */
export const acceptsEvents = (accept: string | null | undefined): boolean =>
  // The first check is enough for nearly all callers.
  accept != null &&
  /\/event-stream/i.test(accept) &&
  acceptsByName(choicesIn(accept), 'text/event-stream');

/**
 * The coding of a response; undefined for the bytes as they are.
 *
 * Plain bytes for a caller who accepts none of ours.
 */
export function negotiateCoding(accepted: string | null | undefined): Coding | undefined {
  if (!accepted) return undefined;
  const found = codings.memo(accepted);
  return found === 'identity' ? undefined : found;
}

/** How a caller reads responses in parts. */
interface PartsReader {
  /** Callers of either specification name it; without a name it is the older one. */
  readonly format: IncrementalFormat;
  /**
   * Whether it waits for every `@defer`, as Relay does: also for those that cost nothing, which are
   * otherwise in the first part and not mentioned.
   */
  readonly announcesAll: boolean;
}

/** Undefined for a caller who does not say that it reads parts. */
export function partsReaderOf(accept: string | null | undefined): PartsReader | undefined {
  const choices = choicesIn(accept?.replaceAll('"', '') ?? '');
  const found = choices.find(({ name, quality }) => name === 'multipart/mixed' && quality > 0);
  return (
    found && {
      format: found.parameters.includes('incrementalspec=v0.2')
        ? 'incrementalSpec=v0.2'
        : 'deferSpec=20220824',
      announcesAll: found.parameters.includes('announce=all'),
    }
  );
}

function bestMediaType(accept: string): MediaType | 'none' {
  // Responses are written in UTF-8 alone.
  const choices = choicesIn(accept).filter(
    ({ parameters }) =>
      (valueOf(parameters, 'charset')?.replaceAll('"', '') ?? 'utf-8') === 'utf-8',
  );
  let best: { readonly type: MediaType; readonly rank: number } | undefined;
  for (const type of JSON_TYPES) {
    // The most specific range decides, wherever it stands.
    const ranges = [type, 'application/*', '*/*'];
    const specificity = ranges.findIndex((range) => choices.some(({ name }) => name === range));
    const place = choices.findIndex(({ name }) => name === ranges[specificity]);
    const quality = choices[place]?.quality ?? 0;
    if (quality === 0) continue;
    // At equal quality, named types go before ranges, and earlier ones before later ones.
    const rank = quality * 1e6 - specificity * 1e3 - Math.min(place, 999) / 1e3;
    if (!best || rank > best.rank) best = { type, rank };
  }
  return best?.type ?? STREAM_TYPES.find((type) => acceptsByName(choices, type)) ?? 'none';
}

function bestCoding(accepted: string): Coding | 'identity' {
  const qualities = new Map(
    choicesIn(accepted).map(({ name, quality }) => [name === 'x-gzip' ? 'gzip' : name, quality]),
  );
  const of = (name: string): number => qualities.get(name) ?? qualities.get('*') ?? 0;
  const [br, gzip] = [of('br'), of('gzip')];
  // Brotli makes fewer bytes at equal quality; plain bytes only where the caller prefers `identity`.
  const best = Math.max(br, gzip);
  if (best === 0 || (qualities.get('identity') ?? 0) > best) return 'identity';
  return br >= gzip ? 'br' : 'gzip';
}

/** A member of a header's list, in lower case. */
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

const acceptsByName = (choices: readonly Choice[], type: MediaType): boolean =>
  choices.some(({ name, quality }) => name === type && quality > 0);

const valueOf = (parameters: readonly string[], name: string): string | undefined =>
  parameters.find((parameter) => parameter.startsWith(`${name}=`))?.slice(name.length + 1);
