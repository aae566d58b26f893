/**
 * Serves a request of Node's server: reads its body, has it answered, and sends the answer.
 *
 * Bodies are read whole before anything else sees them, and answers are written here, so that
 * connections are handled in this folder alone.
 */
import type {
  IncomingHttpHeaders,
  IncomingMessage,
  RequestListener,
  ServerResponse,
} from 'node:http';
import { writeEvents } from '../carriers/event-stream.ts';
import { multipart } from '../carriers/multipart.ts';
import { streamedBy } from '../carriers/response.plugin.ts';
import type { Answer, AnswerParts, EventStream } from '../../operation/result/answer.ts';
import { refusalResponse } from '../../operation/refusal.ts';
import {
  answerHasLeft,
  createRecord,
  type RequestRecord,
} from '../../operation/request/request-record.ts';
import { isExplorerFile, type Explorer, type ExplorerAnswer } from './explorer.ts';
import type { CheckAddress } from './address.ts';
import { readBody } from './request-body.ts';
import type { Stopping } from './drain.ts';
import type { Site } from './site.ts';

/** How long a caller may take to read an answer that does not fit into the system's buffers. */
const READ_WITHIN_MS = 30_000;

/** How long what is left of a refused body is thrown away, so that its sender can read why. */
const LINGER_MS = 1_000;

interface RequestListenerOptions {
  readonly site: Site;
  readonly checkAddress: CheckAddress;
  readonly maxBodyBytes: number;
  readonly stopping: Readonly<Stopping>;
}

export function requestListener(options: RequestListenerOptions): RequestListener {
  const { site, checkAddress, maxBodyBytes, stopping } = options;
  return (incoming, outgoing) => {
    const record = createRecord(oneValue(incoming.headers['x-request-id']));
    record.isSending = true;
    const onClose = (): void => {
      if (!outgoing.writableFinished) record.leaving.cancel();
      answerHasLeft(record);
    };
    const exchange = { incoming, outgoing, record };
    serve(exchange).catch((error: unknown) => {
      site.logger.error({ err: error, requestId: record.requestId }, 'Answer could not be sent');
      outgoing.destroy();
    });
    // It comes once; `once` costs more.
    outgoing.on('close', onClose);
    // Behind another answer of its connection, it does not hear of the connection's end.
    if (outgoing.socket) return;
    const { socket } = incoming;
    socket.setMaxListeners(0).on('close', onClose);
    outgoing.on('close', () => socket.off('close', onClose));
  };

  async function serve(exchange: Exchange): Promise<void> {
    const { incoming, record } = exchange;
    const refused = checkAddress(incoming);
    if (refused) return refuse(exchange, refused);
    const { method = 'GET', url = '/', headers } = incoming;
    if (site.explorer && isRead(method)) {
      const page = site.explorer.page(incoming);
      if (page) return sendPage(exchange, page);
      if (isExplorerFile(url) && sendFile(exchange, site.explorer)) return;
    }
    let body: string | undefined;
    if (hasBody(incoming)) {
      const read = await readBody(incoming, maxBodyBytes);
      if (read === undefined) return; // the caller has left
      if (typeof read === 'string') body = read;
      else record.unreadable = read;
    }
    const plain = site.answerPlain?.({ method, url, headers, body }, record);
    if (plain) return sendAnswer(exchange, await plain);
    // Only the path is the caller's: neither its address nor its `Host` goes into the URL.
    const target = `http://gateway${url}`;
    if (!url.startsWith('/') || !URL.canParse(target)) {
      const refusal = refusalResponse(400, 'BAD_REQUEST', 'Ask for a path, such as /graphql.');
      return refuse(exchange, refusal);
    }
    const init = { method, headers: withPlainType(headers), body: body ?? null };
    return sendResponse(exchange, await site.answer(new site.Request(target, init), record));
  }

  /** The rest of the request is not read. */
  function refuse(exchange: Exchange, response: Response): Promise<void> {
    response.headers.set('x-request-id', exchange.record.requestId);
    return sendResponse(exchange, response, exchange.incoming.complete ? 0 : LINGER_MS);
  }

  function sendPage(exchange: Exchange, { status, headers, body }: ExplorerAnswer): Promise<void> {
    const own = ['x-request-id', exchange.record.requestId];
    return sendWhole(exchange, status, [...headers, ...own], body);
  }

  function sendFile(exchange: Exchange, explorer: Explorer): boolean {
    const { incoming, outgoing, record } = exchange;
    outgoing.setHeader('x-request-id', record.requestId);
    if (stopping.isPortClosed) outgoing.setHeader('connection', 'close');
    return explorer.file(incoming, outgoing);
  }

  function sendAnswer(exchange: Exchange, answer: Answer): Promise<void> {
    const { status, headers, text, bytes, parts, events } = answer;
    if (events) return sendEvents(exchange, answer, events);
    if (parts) return sendParts(exchange, answer, parts);
    return sendWhole(exchange, status, headers, bytes ?? text);
  }

  async function sendResponse(
    exchange: Exchange,
    response: Response,
    lingerMs = exchange.record.unreadable ? LINGER_MS : 0,
  ): Promise<void> {
    const { status } = response;
    // How the body is sent is told here, whoever has made the response.
    response.headers.delete('transfer-encoding');
    response.headers.delete('content-length');
    const headers = [...response.headers].flat();
    const { parts, events } = streamedBy(response);
    if (events) return sendEvents(exchange, { status, headers }, events);
    if (parts) return sendParts(exchange, { status, headers }, parts);
    const body = response.headers.has('content-encoding')
      ? Buffer.from(await response.arrayBuffer())
      : await response.text();
    return sendWhole(exchange, status, headers, body, lingerMs);
  }

  /**
   * @param headers name, value, name, value; added to.
   * @param lingerMs for how long to read on, so that a caller who is still sending reads the answer.
   */
  async function sendWhole(
    exchange: Exchange,
    status: number,
    headers: string[],
    body: string | Buffer,
    lingerMs = 0,
  ): Promise<void> {
    const { incoming, outgoing } = exchange;
    // Answers that are ready in one turn of the event loop are written together.
    await new Promise((resolve) => setImmediate(resolve));
    if (outgoing.destroyed) return;
    const size = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
    if (status !== 204 && status !== 304) headers.push('content-length', String(size));
    if (lingerMs > 0 || stopping.isPortClosed) headers.push('connection', 'close');
    outgoing.writeHead(status, headers);
    if (lingerMs === 0) {
      // A text of as many bytes as characters is the same in both encodings; latin1 is a mere copy.
      endWith(outgoing, body, size === body.length ? 'latin1' : 'utf8');
      cutWhereUnread(outgoing);
      return;
    }
    // The whole answer is sent now; the connection closes when the rest of the request was read.
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

  /** Sends each part when it is there, and gives up the rest when the caller leaves. */
  async function sendParts(
    exchange: Exchange,
    { status, headers }: Head,
    parts: AnswerParts,
  ): Promise<void> {
    const { outgoing } = exchange;
    outgoing.on('close', () => parts.cancel());
    if (outgoing.destroyed) parts.cancel();
    if (stopping.isPortClosed) headers.push('connection', 'close');
    outgoing.writeHead(status, headers);
    for await (const chunk of multipart(parts)) {
      if (outgoing.destroyed) return;
      outgoing.write(chunk);
    }
    outgoing.end();
    cutWhereUnread(outgoing);
  }

  /** Nothing waits here until the stream ends: the request would be kept as long. */
  function sendEvents(
    { outgoing }: Exchange,
    { status, headers }: Head,
    events: EventStream,
  ): Promise<void> {
    const { socket } = outgoing;
    if (stopping.isPortClosed) headers.push('connection', 'close');
    outgoing.writeHead(status, headers);
    // A head that was written before the port was closed promises more: its client would come back to this process.
    outgoing.on('close', () => stopping.isPortClosed && socket?.end());
    return writeEvents(outgoing, events, site.subscriptions);
  }
}

/** The write timeout. */
function cutWhereUnread(outgoing: ServerResponse): void {
  // Usually the system's buffers take all of it.
  if (!outgoing.socket?.writableLength) return;
  const timer = setTimeout(() => outgoing.destroy(), READ_WITHIN_MS).unref();
  outgoing.once('close', () => clearTimeout(timer));
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

type Head = Pick<Answer, 'status' | 'headers'>;

interface Exchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly record: RequestRecord;
}

const isRead = (method: string): boolean => method === 'GET' || method === 'HEAD';

const hasBody = ({ method = 'GET', headers }: IncomingMessage): boolean =>
  !isRead(method) &&
  (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined);

const oneValue = (value: string | string[] | undefined): string | null =>
  typeof value === 'string' ? value : null;

/** The media type in the one spelling that Yoga knows: in lower case and without spaces. */
function withPlainType(headers: IncomingHttpHeaders): Record<string, string> {
  const type = headers['content-type'];
  if (type) {
    const parts = type.toLowerCase().split(';');
    headers['content-type'] = parts.map((part) => part.trim()).join(';');
  }
  // Values are strings, but for `set-cookie`, which no request carries.
  return headers as Record<string, string>;
}
