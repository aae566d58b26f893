/**
 * Node's requests and responses ⇄ the gateway's.
 *
 * Bodies are read whole before the gateway sees them, and answers are written whole: everything
 * about connections ends here.
 */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { GraphQLError } from 'graphql';
import { endOfTurn } from '../../lib/end-of-turn.ts';
import { isPage, type Gateway } from '../gateway.ts';
import { refusalResponse } from '../operation/refusal.ts';
import type { WrittenReply } from '../operation/reply.ts';
import { readBody } from './request-body.ts';
import { createRecord, type RequestRecord } from '../operation/request-record.ts';

/** How long what is left of a refused body is thrown away, so that its sender can read why. */
const LINGER_MS = 1_000;

/** How long a caller may take to read an answer that does not fit into the system's buffers. */
const READ_WITHIN_MS = 30_000;

export interface RequestListenerOptions {
  readonly gateway: Gateway;
  readonly maxBodyBytes: number;
  /** True once nobody can connect any more. */
  readonly stopping: { readonly lastAnswers: boolean };
}

export function requestListener({ gateway, maxBodyBytes, stopping }: RequestListenerOptions) {
  // One for all who ask: it weighs 9 MB, and is the same every time.
  let page: Promise<Buffer> | undefined;
  const pageBytes = (response: Response): Promise<Buffer> =>
    (page ??= response.text().then((text) => Buffer.from(text)));

  return (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const record = createRecord(oneValue(incoming.headers['x-request-id']));
    const exchange = { incoming, outgoing, record, cameLate: gateway.readiness.draining };
    serve(exchange).catch((error: unknown) => {
      gateway.logger.error({ err: error, requestId: record.requestId }, 'Answer could not be sent');
      outgoing.destroy();
    });
  };

  async function serve(exchange: Exchange): Promise<void> {
    const { incoming, outgoing, record } = exchange;
    // It comes once; `once` costs more.
    outgoing.on('close', () => {
      if (!outgoing.writableFinished) record.leaving.cancel();
    });
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
    const { url = '/', method = 'GET', headers } = incoming;
    if (url === '/graphql' && method === 'POST' && body !== undefined) {
      const answering = gateway.answerPost({ headers, body }, record);
      if (answering) {
        const answer = await answering;
        await endOfTurn();
        sendWritten(exchange, answer);
        return;
      }
    }
    const lingerMs = record.unreadable ? LINGER_MS : 0;
    // The caller's address and `Host` play no part, so neither can be used against us.
    const target = `http://gateway${url}`;
    if (!url.startsWith('/') || !URL.canParse(target)) {
      const response = refusalResponse(400, 'BAD_REQUEST', 'Ask for a path, such as /graphql.');
      response.headers.set('x-request-id', record.requestId);
      await send(exchange, response, lingerMs);
      return;
    }
    const request = new gateway.Request(target, {
      method,
      headers: withPlainType(headers),
      body: body ?? null,
    });
    await send(exchange, await gateway.answer(request, record), lingerMs);
  }

  function sendWritten(exchange: Exchange, { status, headers, text }: WrittenReply): void {
    const { outgoing } = exchange;
    if (outgoing.destroyed) return;
    const size = Buffer.byteLength(text);
    headers.push('content-length', String(size));
    if (isLast(exchange)) headers.push('connection', 'close');
    // As many bytes as characters: the same bytes in either, and one of them is a mere copy.
    outgoing.writeHead(status, headers);
    endWith(outgoing, text, size === text.length ? 'latin1' : 'utf8');
  }

  /** @param lingerMs for how long to read on, so that whoever is still sending reads the answer. */
  async function send(exchange: Exchange, response: Response, lingerMs = 0): Promise<void> {
    const { incoming, outgoing } = exchange;
    const body = isPage(response) ? await pageBytes(response) : await response.text();
    await endOfTurn();
    if (outgoing.destroyed) return;
    outgoing.statusCode = response.status;
    response.headers.forEach((value, name) => outgoing.setHeader(name, value));
    // Yoga streams what it answers to multipart/mixed; here everything is written whole.
    outgoing.removeHeader('transfer-encoding');
    if (response.status === 204) outgoing.removeHeader('content-length');
    else outgoing.setHeader('content-length', Buffer.byteLength(body));
    if (lingerMs > 0 || isLast(exchange)) outgoing.setHeader('connection', 'close');
    if (lingerMs === 0) {
      endWith(outgoing, body, 'utf8');
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

  /** While others may still connect, so may whoever sent this: only what was under way is ended. */
  function isLast({ cameLate }: Exchange): boolean {
    return stopping.lastAnswers || (gateway.readiness.draining && !cameLate);
  }
}

/** Writes the whole body, and its head with it. */
function endWith(
  outgoing: ServerResponse,
  body: string | Buffer,
  encoding: 'latin1' | 'utf8',
): void {
  // Node's `end(text)` hands over two pieces, the second one empty: a sixth of a bare server's CPU.
  // Behind another answer of its connection this one has no socket yet.
  const { socket } = outgoing;
  socket?.cork();
  outgoing.write(body, encoding);
  socket?.uncork();
  outgoing.end();
  cutUnlessRead(outgoing);
}

/** Whoever does not read the answer holds it, and a connection: not for ever. */
function cutUnlessRead(outgoing: ServerResponse): void {
  // The system took all of it, as it mostly does.
  if (outgoing.socket?.writableLength === 0) return;
  const timer = setTimeout(() => outgoing.destroy(), READ_WITHIN_MS).unref();
  outgoing.once('close', () => clearTimeout(timer));
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
