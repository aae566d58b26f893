/**
 * A request and its REST calls as HAR 1.2, which the developer tools of every browser open. Calls have only what the
 * call log has: route templates, with `{page_id}` as `:page_id` since URLs have no braces, and no key, header or body.
 */
import type { TabExchange } from '../exchange/exchange.ts';
import { callLogOf } from '../exchange/extensions.ts';
import { ENDPOINT } from '../exchange/request.ts';
import { waterfallOf, type CallRow } from './rows.ts';

/**
 * Placeholder for the backend's host, which the page does not know. `.invalid` is reserved by RFC 6761, section 6.4.
 */
const BACKEND = 'http://backend.invalid';

const UNKNOWN = -1;

export function harOf(exchange: TabExchange): object {
  const explained = callLogOf(exchange.result);
  const rows = explained ? waterfallOf(explained).rows : [];
  const pageref = 'operation';
  const entries = [operationEntry(exchange), ...rows.map((row) => callEntry(exchange, row))];
  return {
    log: {
      version: '1.2',
      creator: { name: 'Content Pages GraphiQL', version: '1' },
      pages: [
        {
          startedDateTime: new Date(exchange.startedAtMs).toISOString(),
          id: pageref,
          title: exchange.request.operationName ?? 'operation',
          pageTimings: { onContentLoad: UNKNOWN, onLoad: tenths(exchange.durationMs) },
        },
      ],
      entries: entries.map((entry) => ({ pageref, ...entry })),
    },
  };
}

function operationEntry(exchange: TabExchange) {
  const text = JSON.stringify(exchange.request);
  const { startedAtMs, durationMs, headers, timing } = exchange;
  const mimeType = headers.find(([name]) => name === 'content-type')?.[1] ?? '';
  const waitMs = timing?.waitMs ?? durationMs;
  const entry = bareEntry(startedAtMs, durationMs, 'POST', ENDPOINT, exchange.status);
  return {
    ...entry,
    request: {
      ...entry.request,
      headers: pairs(exchange.requestHeaders),
      postData: { mimeType: 'application/json', text },
      bodySize: new TextEncoder().encode(text).length,
    },
    response: {
      ...entry.response,
      headers: pairs(headers),
      content: { size: exchange.bodyBytes, mimeType, text: exchange.body },
      bodySize: timing?.wireBytes ?? UNKNOWN,
    },
    timings: {
      send: 0,
      wait: tenths(waitMs),
      receive: tenths(Math.max(0, durationMs - waitMs)),
    },
  };
}

function callEntry({ startedAtMs }: TabExchange, row: CallRow) {
  const url = BACKEND + row.route.replaceAll(/\{(\w+)\}/g, ':$1');
  return {
    ...bareEntry(startedAtMs + row.startMs, row.durationMs ?? 0, row.method, url, row.status),
    comment:
      row.how === 'unused'
        ? 'prefetched, unused'
        : `${row.how}, attempt ${row.attempt}, field ${row.field}`,
  };
}

/** An entry without what the page does not know of REST calls. */
function bareEntry(
  startMs: number,
  durationMs: number,
  method: string,
  url: string,
  status: number | null | undefined,
) {
  const time = tenths(durationMs);
  const message = {
    httpVersion: 'HTTP/1.1',
    cookies: [],
    headers: [],
    headersSize: UNKNOWN,
    bodySize: UNKNOWN,
  };
  return {
    startedDateTime: new Date(startMs).toISOString(),
    time,
    request: { ...message, method, url, queryString: [] },
    response: {
      ...message,
      status: status ?? 0,
      statusText: '',
      redirectURL: '',
      content: { size: 0, mimeType: 'application/json' },
    },
    cache: {},
    timings: { send: 0, wait: time, receive: 0 },
  };
}

const pairs = (headers: TabExchange['headers']) =>
  headers.map(([name, value]) => ({ name, value }));

const tenths = (ms: number): number => Math.round(ms * 10) / 10;
