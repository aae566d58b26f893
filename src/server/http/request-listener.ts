/**
 * Node's requests and responses ⇄ those of what is served.
 *
 * Bodies are read whole before anybody else sees them, and answers are written whole: everything
 * about connections ends here.
 */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { GraphQLError } from 'graphql';
import { endOfTurn } from '../../lib/end-of-turn.ts';
import type { Site } from '../gateway.ts';
import { streamOf, writeEvents } from '../live/event-stream.ts';
import { refusalResponse } from '../operation/refusal.ts';
import type { ReplyParts, WrittenReply } from '../operation/reply.ts';
import { createRecord, type RequestRecord } from '../operation/request-record.ts';
import type { Connections, Serve } from './connections.ts';
import type { ExplorerAnswer } from './explorer.ts';
import { multipart } from './multipart.ts';
import { readBody } from './request-body.ts';

/** How long what is left of a refused body is thrown away, so that its sender can read why. */
const LINGER_MS = 1_000;

const QUERY_BY_GET = '/graphql?';

/** Asked by addresses and names of their own, and telling nothing that a page could use. */
const FOR_ANY_HOST = new Set(['/health', '/ready']);

export interface RequestListenerOptions {
  readonly site: Site;
  readonly maxBodyBytes: number;
  readonly allowedHosts: readonly string[] | undefined;
  readonly connections: Connections;
  /** True once nobody can connect any more. */
  readonly stopping: { readonly lastAnswers: boolean };
}

export function requestListener(options: RequestListenerOptions): Serve {
  const { site, maxBodyBytes, allowedHosts, connections, stopping } = options;
  return (incoming, outgoing) => {
    const record = createRecord(oneValue(incoming.headers['x-request-id']));
    const exchange = { incoming, outgoing, record, cameLate: site.readiness.draining };
    serve(exchange).catch((error: unknown) => {
      site.logger.error({ err: error, requestId: record.requestId }, 'Answer could not be sent');
      outgoing.destroy();
    });
  };

  async function serve(exchange: Exchange): Promise<void> {
    const { incoming, outgoing, record } = exchange;
    const { url = '/', method = 'GET', headers } = incoming;
    // It comes once; `once` costs more.
    outgoing.on('close', () => {
      if (!outgoing.writableFinished) record.leaving.cancel();
    });
    if (allowedHosts && !isAllowed(headers.host, allowedHosts) && !FOR_ANY_HOST.has(url)) {
      await refuse(exchange, hostRefusal(headers.host));
      return;
    }
    if (method === 'GET' || method === 'HEAD') {
      const page = await site.explorer?.(incoming);
      if (page) {
        sendPage(exchange, page);
        return;
      }
    }
    let body: string | undefined;
    try {
      if (hasBody(incoming)) {
        body = await readBody(incoming, maxBodyBytes);
        if (body === undefined) return; // nobody is there any more
      }
    } catch (error) {
      if (!(error instanceof GraphQLError)) throw error;
      record.unreadable = error;
    }
    if (url === '/graphql' && method === 'POST' && body !== undefined) {
      const answering = site.answerPost({ headers, body }, record);
      if (answering) {
        const answer = await answering;
        if (answer.parts) {
          await sendParts(exchange, answer, answer.parts);
          return;
        }
        await endOfTurn();
        sendWritten(exchange, answer);
        return;
      }
    } else if (method === 'GET' && url.startsWith(QUERY_BY_GET)) {
      const answering = site.answerGet({ headers, search: url.slice(QUERY_BY_GET.length) }, record);
      if (answering) {
        const answer = await answering;
        if (answer.parts) {
          await sendParts(exchange, answer, answer.parts);
          return;
        }
        await endOfTurn();
        sendWritten(exchange, answer);
        return;
      }
    }
    // The caller's address and `Host` play no part, so neither can be used against us.
    const target = `http://gateway${url}`;
    if (!url.startsWith('/') || !URL.canParse(target)) {
      await refuse(
        exchange,
        refusalResponse(400, 'BAD_REQUEST', 'Ask for a path, such as /graphql.'),
      );
      return;
    }
    const request = new site.Request(target, {
      method,
      headers: withPlainType(headers),
      body: body ?? null,
    });
    const response = await site.answer(request, record);
    const { reply } = record;
    if (reply?.parts) {
      const headers = [...response.headers].flat();
      await sendParts(
        exchange,
        { status: response.status, headers, text: reply.text },
        reply.parts,
      );
      return;
    }
    const stream = streamOf(response);
    if (stream) {
      outgoing.writeHead(response.status, Object.fromEntries(response.headers));
      await writeEvents(outgoing, stream, site.subscriptions);
      // Whether it is the last answer was not known when its head was written.
      if (isLast(exchange)) incoming.socket.end();
      return;
    }
    await send(exchange, response, record.unreadable ? LINGER_MS : 0);
  }

  /** Whatever else is still to come of the request. */
  async function refuse(exchange: Exchange, response: Response): Promise<void> {
    response.headers.set('x-request-id', exchange.record.requestId);
    await send(exchange, response, exchange.incoming.complete ? 0 : LINGER_MS);
  }

  function sendWritten(exchange: Exchange, { status, headers, text, bytes }: WrittenReply): void {
    const { outgoing } = exchange;
    if (outgoing.destroyed) return;
    const size = bytes ? bytes.length : Buffer.byteLength(text);
    // Of a 304 it would be the length of what is not sent.
    if (status !== 304) headers.push('content-length', String(size));
    if (isLast(exchange)) headers.push('connection', 'close');
    outgoing.writeHead(status, headers);
    if (bytes) {
      endWith(outgoing, bytes, 'latin1');
      connections.watch(outgoing);
      return;
    }
    // As many bytes as characters: the same bytes in either, and one of them is a mere copy.
    endWith(outgoing, text, size === text.length ? 'latin1' : 'utf8');
    connections.watch(outgoing);
  }

  /** Each part leaves when it is there; whoever goes away before the last one gives up the others. */
  async function sendParts(
    exchange: Exchange,
    { status, headers, text }: WrittenReply,
    parts: ReplyParts,
  ): Promise<void> {
    const { outgoing } = exchange;
    outgoing.on('close', () => parts.cancel());
    if (outgoing.destroyed) parts.cancel();
    if (isLast(exchange)) headers.push('connection', 'close');
    outgoing.writeHead(status, headers);
    for await (const chunk of multipart(text, parts)) {
      if (outgoing.destroyed) return;
      outgoing.write(chunk);
    }
    outgoing.end();
    connections.watch(outgoing);
  }

  function sendPage(exchange: Exchange, { status, headers, body }: ExplorerAnswer): void {
    const { incoming, outgoing, record } = exchange;
    if (outgoing.destroyed) return;
    const own = ['content-length', String(body.length), 'x-request-id', record.requestId];
    if (isLast(exchange)) own.push('connection', 'close');
    outgoing.writeHead(status, [...headers, ...own]);
    outgoing.end(incoming.method === 'HEAD' ? undefined : body);
    connections.watch(outgoing);
  }

  /** @param lingerMs for how long to read on, so that whoever is still sending reads the answer. */
  async function send(exchange: Exchange, response: Response, lingerMs: number): Promise<void> {
    const { incoming, outgoing } = exchange;
    const body = response.headers.has('content-encoding')
      ? Buffer.from(await response.arrayBuffer())
      : await response.text();
    await endOfTurn();
    if (outgoing.destroyed) return;
    outgoing.statusCode = response.status;
    response.headers.forEach((value, name) => outgoing.setHeader(name, value));
    // Yoga streams what it answers to multipart/mixed; here everything is written whole.
    outgoing.removeHeader('transfer-encoding');
    if (response.status === 204 || response.status === 304) outgoing.removeHeader('content-length');
    else outgoing.setHeader('content-length', Buffer.byteLength(body));
    if (lingerMs > 0 || isLast(exchange)) outgoing.setHeader('connection', 'close');
    if (lingerMs === 0) {
      endWith(outgoing, body, 'utf8');
      connections.watch(outgoing);
      return;
    }
    // The whole answer leaves now; the connection when all was read that is on its way.
    outgoing.write(body);
    if (incoming.readableEnded) {
      outgoing.end();
      return;
    }
    incoming.removeAllListeners('data').resume();
    const timer = setTimeout(() => outgoing.end(), lingerMs);
    incoming.once('end', () => outgoing.end());
    outgoing.once('close', () => clearTimeout(timer));
  }

  /**
   * While others may still connect, so may whoever sent this: only what was under way is ended, with
   * the last of what its connection had sent ahead.
   */
  function isLast({ incoming, cameLate }: Exchange): boolean {
    const isEnding = stopping.lastAnswers || (site.readiness.draining && !cameLate);
    return isEnding && !connections.hasWaiting(incoming.socket);
  }
}

/** Writes the whole body, and its head with it. */
function endWith(
  outgoing: ServerResponse,
  body: string | Buffer,
  encoding: 'latin1' | 'utf8',
): void {
  // Node's `end(text)` hands over two pieces, the second one empty: a sixth of a bare server's CPU.
  const { socket } = outgoing;
  socket?.cork();
  outgoing.write(body, encoding);
  socket?.uncork();
  outgoing.end();
}

interface Exchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly record: RequestRecord;
  /** It came when we were already stopping. */
  readonly cameLate: boolean;
}

const hasBody = ({ method, headers }: IncomingMessage): boolean =>
  method !== 'GET' &&
  method !== 'HEAD' &&
  (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined);

export const hostRefusal = (host = ''): Response =>
  refusalResponse(
    421,
    'HOST_NOT_ALLOWED',
    `This gateway does not answer as ${JSON.stringify(host.slice(0, 100))}: add the name to ALLOWED_HOSTS, or ask by one that is in it.`,
  );

/** Ports say nothing: what counts is who was asked. */
export const isAllowed = (host = '', allowed: readonly string[]): boolean =>
  allowed.includes(host) || allowed.includes(host.toLowerCase().replace(/:\d*$/, ''));

const oneValue = (value: string | string[] | undefined): string | null =>
  typeof value === 'string' ? value : null;

/** The media type as Yoga knows it: types are alike in either case, and may stand before a space. */
function withPlainType(headers: IncomingHttpHeaders): Record<string, string> {
  const type = headers['content-type'];
  if (type) {
    const parts = type.toLowerCase().split(';');
    headers['content-type'] = parts.map((part) => part.trim()).join(';');
  }
  // Names are texts and values too, but for set-cookie, which no request carries.
  return headers as Record<string, string>;
}
