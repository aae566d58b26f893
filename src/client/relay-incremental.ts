/**
 * Relay's network layer for incremental delivery. relay-runtime supports neither format of the specification; it
 * expects complete fragments with labels, one by one.
 *
 * ```ts
 * const network = Network.create((request, variables) =>
 *   Observable.create((sink) => {
 *     const leaving = new AbortController();
 *     const init = {
 *       method: 'POST',
 *       headers: { 'content-type': 'application/json', accept: relayAccept, 'x-api-key': key },
 *       body: JSON.stringify({ query: request.text, variables }),
 *       signal: leaving.signal,
 *     };
 *     void (async () => {
 *       for await (const payload of relayPayloads(await fetch(url, init))) sink.next(payload);
 *       sink.complete();
 *     })().catch((error) => sink.error(error));
 *     return () => leaving.abort();
 *   }),
 * );
 * ```
 */

/** `announce=all`, since Relay waits for every fragment. */
export const relayAccept =
  'multipart/mixed;incrementalSpec=v0.2;announce=all, application/graphql-response+json, application/json;q=0.9';

/** An error of a response; in a part of one, Relay reads the path from the part's own place. */
export interface PayloadError {
  readonly message: string;
  readonly path?: readonly (string | number)[];
}

/** A payload of relay-runtime: a response, or a part of one. */
export interface RelayPayload {
  readonly data: unknown;
  readonly errors?: PayloadError[];
  readonly label?: string;
  readonly path?: (string | number)[];
  readonly extensions: { readonly is_final: boolean };
}

interface Pending {
  readonly id: string;
  readonly path: (string | number)[];
  readonly label?: string;
}

interface IncrementalPayload {
  readonly data?: unknown;
  readonly errors?: readonly PayloadError[];
  readonly pending?: readonly Pending[];
  readonly incremental?: readonly {
    readonly id: string;
    readonly subPath?: (string | number)[];
    readonly data?: object;
    readonly items?: readonly unknown[];
    readonly errors?: readonly PayloadError[];
  }[];
  readonly completed?: readonly {
    readonly id: string;
    readonly errors?: readonly PayloadError[];
  }[];
  readonly hasNext?: boolean;
}

/**
 * Yields the payloads of a response as they arrive, or all at its end if it has no stream, as in React Native.
 *
 * @throws Error when the response ends before its last part; SyntaxError when a part is not JSON.
 */
export async function* relayPayloads(response: Response): AsyncGenerator<RelayPayload, void> {
  const isMultipart = response.headers.get('content-type')?.startsWith('multipart/mixed') ?? false;
  if (!isMultipart) {
    const whole = (await response.json()) as Pick<RelayPayload, 'data' | 'errors'>;
    yield { ...whole, extensions: { is_final: true } };
    return;
  }
  const open = new Map<string, Pending>();
  const errors: PayloadError[] = [];
  let data: unknown;
  let isFinal = false;
  for await (const received of payloadsOf(response)) {
    isFinal = received.hasNext === false;
    errors.push(...(received.errors ?? []));
    const payloads: Omit<RelayPayload, 'extensions'>[] = [];
    if ('data' in received) {
      data = received.data;
      // Relay retains its payloads, so later parts are merged into a copy.
      const initial: unknown = structuredClone(data);
      payloads.push({ data: initial, ...(errors.length > 0 && { errors: [...errors] }) });
    }
    for (const pending of received.pending ?? []) open.set(pending.id, pending);
    for (const { id, subPath = [], data: fields, items, errors: more } of received.incremental ??
      []) {
      const pending = open.get(id)!;
      const place = at(data, [...pending.path, ...subPath]);
      errors.push(...(more ?? []));
      if (fields) Object.assign(place as object, fields);
      for (const item of items ?? []) {
        const index = (place as unknown[]).push(item) - 1;
        const path = [...pending.path, index];
        payloads.push(partOf(pending, path, structuredClone(item), errors));
      }
    }
    for (const { id, errors: failure } of received.completed ?? []) {
      const pending = open.get(id)!;
      open.delete(id);
      errors.push(...(failure ?? []));
      const place = at(data, pending.path);
      if (Array.isArray(place) && !failure) continue;
      payloads.push(partOf(pending, pending.path, failure ? null : structuredClone(place), errors));
    }
    for (const [i, payload] of payloads.entries()) {
      yield { ...payload, extensions: { is_final: isFinal && i === payloads.length - 1 } };
    }
  }
  if (!isFinal) throw new Error('The response ended before its last part. Send the request again.');
}

/** @param errors all that were received: fields of one part may be in another one too, and fail in both. */
function partOf(
  { label }: Pending,
  path: (string | number)[],
  data: unknown,
  errors: readonly PayloadError[],
): Omit<RelayPayload, 'extensions'> {
  const own = errors
    .filter((error) => path.every((key, depth) => error.path?.[depth] === key))
    .map((error) => ({ ...error, path: error.path!.slice(path.length) }));
  return {
    ...(label !== undefined && { label }),
    path,
    data,
    ...(own.length > 0 && { errors: own }),
  };
}

type Holder = Readonly<Record<string | number, unknown>> | null | undefined;

const at = (data: unknown, path: readonly (string | number)[]): unknown =>
  path.reduce<unknown>((value, key) => (value as Holder)?.[key], data);

/** Yields the payloads of a multipart body, each when the boundary after it has arrived. */
async function* payloadsOf(response: Response): AsyncGenerator<IncrementalPayload, void> {
  const boundary =
    /boundary="?([^";]+)"?/.exec(response.headers.get('content-type') ?? '')?.[1] ?? '-';
  const separator = `\r\n--${boundary}`;
  let text = '';
  for await (const chunk of chunksOf(response)) {
    text += chunk;
    for (let end = text.indexOf(separator); end >= 0; end = text.indexOf(separator)) {
      const part = text.slice(0, end);
      text = text.slice(end + separator.length);
      const start = part.indexOf('\r\n\r\n');
      if (start >= 0) yield JSON.parse(part.slice(start)) as IncrementalPayload;
    }
  }
}

async function* chunksOf(response: Response): AsyncGenerator<string, void> {
  // React Native's responses have no stream.
  const body = response.body as ReadableStream<Uint8Array> | null | undefined;
  if (!body) {
    yield await response.text();
    return;
  }
  const decoder = new TextDecoder();
  const reader = body.getReader();
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      yield decoder.decode(read.value, { stream: true });
    }
  } finally {
    await reader.cancel();
  }
}
