/**
 * A request and its REST calls as HAR 1.2, which the developer tools of every browser open. Calls have only what the
 * call log has: route templates, with `{page_id}` as `:page_id` since URLs have no braces, and no key, header or body.
 */
import { toTenths } from '../../plan/explain.ts';
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
  const { request, requestHeaders, headers, startedAtMs, durationMs, status, timing } = exchange;
  const explained = callLogOf(exchange.result);
  const calls = explained ? waterfallOf(explained).rows : [];
  const text = JSON.stringify(request);
  const mimeType = headers.find(([name]) => name === 'content-type')?.[1] ?? '';
  const pageref = 'operation';
  const operation = entryOf(
    startedAtMs,
    durationMs,
    {
      method: 'POST',
      url: ENDPOINT,
      headers: pairs(requestHeaders),
      postData: { mimeType: 'application/json', text },
      bodySize: new TextEncoder().encode(text).length,
    },
    {
      status: status ?? 0,
      headers: pairs(headers),
      content: { size: exchange.bodyBytes, mimeType, text: exchange.body },
      bodySize: timing?.wireBytes ?? UNKNOWN,
    },
    timing?.waitMs,
  );
  return {
    log: {
      version: '1.2',
      creator: { name: 'Content Pages GraphiQL', version: '1' },
      pages: [
        {
          startedDateTime: operation.startedDateTime,
          id: pageref,
          title: request.operationName ?? 'operation',
          pageTimings: { onContentLoad: UNKNOWN, onLoad: operation.time },
        },
      ],
      entries: [operation, ...calls.map((row) => callEntry(startedAtMs, row))].map((entry) => ({
        pageref,
        ...entry,
      })),
    },
  };
}

function callEntry(startedAtMs: number, row: CallRow) {
  const url = BACKEND + row.route.replaceAll(/\{(\w+)\}/g, ':$1');
  const request = { method: row.method, url };
  const response = { status: row.status ?? 0, content: { size: 0, mimeType: 'application/json' } };
  return {
    ...entryOf(startedAtMs + row.startMs, row.durationMs ?? 0, request, response),
    comment:
      row.how === 'unused'
        ? 'prefetched, unused'
        : `${row.how}, attempt ${row.attempt}, field ${row.field}`,
  };
}

/** An entry; `request` and `response` have what is known. */
function entryOf(
  startMs: number,
  durationMs: number,
  request: object,
  response: object,
  waitMs = durationMs,
) {
  const message = {
    httpVersion: 'HTTP/1.1',
    cookies: [],
    headers: [],
    headersSize: UNKNOWN,
    bodySize: UNKNOWN,
  };
  return {
    startedDateTime: new Date(startMs).toISOString(),
    time: toTenths(durationMs),
    request: { ...message, queryString: [], ...request },
    response: { ...message, statusText: '', redirectURL: '', ...response },
    cache: {},
    timings: {
      send: 0,
      wait: toTenths(waitMs),
      receive: toTenths(Math.max(0, durationMs - waitMs)),
    },
  };
}

const pairs = (headers: TabExchange['headers']) =>
  headers.map(([name, value]) => ({ name, value }));
