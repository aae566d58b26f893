/**
 * A request and its REST calls as HAR 1.2, which the developer tools of every browser open.
 *
 * Only what the gateway tells is in it: routes as templates, and no key, header or body of a call.
 * Source: the HTTP Archive format, version 1.2.
 */
import type { Exchange } from '../exchange/exchange.ts';
import { journalOf } from '../exchange/extensions.ts';
import { ENDPOINT } from '../exchange/request.ts';
import { waterfallOf, type Row } from './rows.ts';

const NO_SIZES = { headersSize: -1, bodySize: -1 };

export function harOf(exchange: Exchange): object {
  const journal = journalOf(exchange.result);
  const rows = journal ? waterfallOf(journal).rows : [];
  const pageId = 'operation';
  return {
    log: {
      version: '1.2',
      creator: { name: 'Content Pages GraphiQL', version: '1' },
      pages: [
        {
          startedDateTime: exchange.startedAt.toISOString(),
          id: pageId,
          title: exchange.request.operationName ?? 'operation',
          pageTimings: { onContentLoad: -1, onLoad: tenths(exchange.durationMs) },
        },
      ],
      entries: [
        operationEntry(exchange, pageId),
        ...rows.map((row) => callEntry(exchange, row, pageId)),
      ],
    },
  };
}

function operationEntry(exchange: Exchange, pageref: string) {
  const text = JSON.stringify(exchange.request);
  const answer = JSON.stringify(exchange.result ?? null);
  return {
    pageref,
    startedDateTime: exchange.startedAt.toISOString(),
    time: tenths(exchange.durationMs),
    request: {
      method: 'POST',
      url: ENDPOINT,
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: [{ name: 'content-type', value: 'application/json' }],
      queryString: [],
      postData: { mimeType: 'application/json', text },
      headersSize: -1,
      bodySize: text.length,
    },
    response: {
      status: exchange.status ?? 0,
      statusText: '',
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: exchange.headers.map(([name, value]) => ({ name, value })),
      content: { size: exchange.bodyBytes, mimeType: 'application/json', text: answer },
      redirectURL: '',
      headersSize: -1,
      bodySize: exchange.wireBytes,
    },
    cache: {},
    timings: { send: 0, wait: tenths(exchange.durationMs), receive: 0 },
  };
}

function callEntry({ startedAt }: Exchange, row: Row, pageref: string) {
  return {
    pageref,
    startedDateTime: new Date(startedAt.getTime() + row.startMs).toISOString(),
    time: tenths(row.durationMs ?? 0),
    comment: `${row.how}, attempt ${row.attempt}, because of ${row.field}`,
    request: {
      method: row.method,
      url: new URL(encodeURI(row.route), ENDPOINT).href,
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: [],
      queryString: [],
      ...NO_SIZES,
    },
    response: {
      status: row.status ?? 0,
      statusText: '',
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: [],
      content: { size: 0, mimeType: 'application/json' },
      redirectURL: '',
      ...NO_SIZES,
    },
    cache: {},
    timings: { send: 0, wait: tenths(row.durationMs ?? 0), receive: 0 },
  };
}

const tenths = (ms: number): number => Math.round(ms * 10) / 10;
