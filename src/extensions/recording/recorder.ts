/**
 * Records exchanges with the backend (`RECORD`): methods, paths, bodies, the response headers that the gateway reads,
 * and times. API keys, exchanges that contain one, cookies and the backend's address are never recorded.
 *
 * Each exchange is written at its end, and leaves a valid file, so a killed process loses nothing.
 */
import { closeSync, ftruncateSync, mkdirSync, openSync, writeSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import type { Dispatcher } from 'undici';
import type { Backend } from '../../gateway/extension.ts';
import { OperatorError } from '../../lib/operator-error.ts';
import type { RouteSet } from '../../v0/routes.ts';
import type { BackendConnections } from '../../rest/call/options.ts';
import { contentOf, faultOf, FORM, keyOf, ORIGIN, type RecordedExchange } from './har.ts';

interface RecorderOptions extends Pick<Backend, 'pathPrefix' | 'routeSet' | 'publicKey'> {
  readonly folder: string;
  /** File name without extension. @default the time */
  readonly name?: string | undefined;
  readonly onLeftOut: (why: string) => void;
}

/** Maximum size of a file, against a forgotten recording that fills the disk. */
const MAX_BYTES = 500_000_000;

/** Response headers that the gateway reads. */
const KEPT_HEADERS = [
  'content-type',
  'content-length',
  'retry-after',
  'cache-control',
  'etag',
  'last-modified',
  'x-request-id',
] as const;

const END = '\n]}}\n';

/** Opens the file of a new scenario. @throws {OperatorError} if it exists or cannot be created. */
export function openRecorder(
  dispatcher: BackendConnections,
  { folder, name, pathPrefix, routeSet, publicKey, onLeftOut }: RecorderOptions,
) {
  const file = join(folder, `${name ?? `recording-${timeInName()}`}.har`);
  const keys = keyAliases(publicKey);
  let handle: number;
  let place = 0;
  let count = 0;
  try {
    mkdirSync(folder, { recursive: true });
    handle = openSync(file, 'wx', 0o600);
    append(headOf(routeSet));
  } catch (cause) {
    throw cannotWrite(file, cause);
  }

  function append(text: string): void {
    try {
      writeAt(handle, place, text + END);
    } catch (error) {
      // Succeeds on a full disk, since it overwrites existing bytes.
      writeAt(handle, place, END);
      ftruncateSync(handle, place + END.length);
      throw error;
    }
    place += Buffer.byteLength(text);
  }

  let separator = '';
  function write(exchange: RecordedExchange): void {
    const text = JSON.stringify(exchange);
    if (keys.isIn(text)) {
      onLeftOut('it contains an API key');
    } else if (place + text.length > MAX_BYTES) {
      onLeftOut(`the recording has reached its limit of ${MAX_BYTES} bytes; start another one`);
    } else {
      try {
        append(`${separator}\n${text}`);
        separator = ',';
      } catch (cause) {
        const { code } = cause as NodeJS.ErrnoException; // the file system throws no others
        onLeftOut(`the file cannot be written (${code})`);
      }
    }
  }

  return {
    file,
    dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
      const source = { number: count++, key: keys.aliasOf(keyOf(options)) };
      const request = requestOf(options, pathPrefix);
      return dispatcher.dispatch(options, listener(request, source, handler, write));
    },
    close: async (): Promise<void> => {
      await dispatcher.close();
      closeSync(handle);
    },
  };
}

/** Writes the whole text; a single call may write only a part on a nearly full disk. */
function writeAt(handle: number, place: number, text: string): void {
  const bytes = Buffer.from(text);
  let done = 0;
  while (done < bytes.length) done += writeSync(handle, bytes, done, undefined, place + done);
}

const timeInName = (): string => new Date().toISOString().slice(0, 19).replaceAll(':', '-');

function cannotWrite(file: string, cause: unknown): OperatorError {
  const { code, syscall } = cause as NodeJS.ErrnoException; // the file system throws no others
  const message =
    code === 'EEXIST' && syscall === 'open'
      ? `RECORD does not overwrite ${file}. Remove the file, or set SCENARIO to another name.`
      : `RECORD must be a writable folder. ${file} cannot be created (${code}).`;
  return new OperatorError(message, { cause });
}

const headOf = (routeSet: RouteSet | 'auto'): string => {
  const log = {
    version: '1.2',
    creator: { name: 'content-pages-gateway', version: String(FORM) },
    _gateway: { form: FORM, routeSet },
    entries: [],
  };
  return JSON.stringify({ log }).slice(0, -']}}'.length);
};

function requestOf({ method, path, body }: Dispatcher.DispatchOptions, pathPrefix: string) {
  const url = ORIGIN + path.slice(pathPrefix.length);
  const text = typeof body === 'string' ? body : undefined;
  return {
    method,
    url,
    httpVersion: 'HTTP/1.1',
    cookies: [],
    headers: [],
    headersSize: -1,
    bodySize: Buffer.byteLength(text ?? ''),
    queryString: [...new URL(url).searchParams].map(([name, value]) => ({ name, value })),
    ...(text !== undefined && { postData: { mimeType: 'application/json', text } }),
  };
}

/** Records one exchange and passes every event on. */
function listener(
  request: RecordedExchange['request'],
  source: Pick<RecordedExchange['_gateway'], 'number' | 'key'>,
  handler: Dispatcher.DispatchHandler,
  write: (exchange: RecordedExchange) => void,
): Dispatcher.DispatchHandler {
  const startMs = performance.now();
  const startedDateTime = new Date().toISOString();
  const chunks: Buffer[] = [];
  let isConnected = false;
  let headMs: number | undefined;
  let status = 0;
  let given: IncomingHttpHeaders = {};

  function end(how: Pick<RecordedExchange['_gateway'], 'end' | 'fault'>): void {
    const nowMs = performance.now();
    headMs ??= nowMs;
    const headers = KEPT_HEADERS.flatMap((name) =>
      [given[name] ?? []].flat().map((value) => ({ name, value })),
    );
    const mimeType = given['content-type'] ?? 'application/octet-stream';
    const content = contentOf(Buffer.concat(chunks), mimeType);
    const response = {
      status,
      statusText: '',
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers,
      content,
      redirectURL: '',
      headersSize: -1,
      bodySize: content.size,
    };
    write({
      startedDateTime,
      time: nowMs - startMs,
      request,
      response,
      cache: {},
      timings: { send: 0, wait: headMs - startMs, receive: nowMs - headMs },
      _gateway: { ...source, isConnected, ...how },
    } as RecordedExchange);
  }

  return {
    onRequestStart: (controller, context) => {
      handler.onRequestStart?.(controller, context);
      // A call aborted before it had a connection was not sent.
      isConnected = !controller.aborted;
    },
    onResponseStart: (controller, statusCode, headers, statusMessage) => {
      headMs = performance.now();
      status = statusCode;
      given = headers;
      handler.onResponseStart?.(controller, statusCode, headers, statusMessage);
    },
    onResponseData: (controller, chunk) => {
      chunks.push(Buffer.from(chunk));
      handler.onResponseData?.(controller, chunk);
    },
    onResponseEnd: (controller, trailers) => {
      end({ end: 'whole' });
      handler.onResponseEnd?.(controller, trailers);
    },
    onResponseError: (controller, error) => {
      // Aborted by the gateway.
      if (controller?.aborted) end({ end: 'silent' });
      else end({ end: 'failed', fault: faultOf(error) });
      handler.onResponseError?.(controller, error);
    },
  };
}

/**
 * Aliases of API keys, and the detection of keys in strings.
 *
 * @param publicKey a public key, such as that of the embedded backend, which strings may contain.
 */
function keyAliases(publicKey: string | undefined) {
  const aliases = new Map<string, string>();
  const secrets = new Set<string>();
  return {
    /** Returns K1 for the first key, K2 for the second. */
    aliasOf(key: string): string {
      let alias = aliases.get(key);
      if (alias === undefined) {
        alias = `K${aliases.size + 1}`;
        aliases.set(key, alias);
        const isPublic = key === '' || key === publicKey;
        if (!isPublic) for (const form of formsOf(key)) secrets.add(form);
      }
      return alias;
    },
    /** Whether a string contains a key seen so far. */
    isIn: (text: string): boolean => [...secrets].some((secret) => text.includes(secret)),
  };
}

/** A key in plain form and as encoded in JSON, URLs and base64. */
const formsOf = (key: string): readonly string[] => [
  key,
  JSON.stringify(key).slice(1, -1),
  encodeURIComponent(key),
  Buffer.from(key).toString('base64').replace(/=+$/, ''),
  Buffer.from(key).toString('base64url'),
];
