/**
 * Requests for `/graphql` that are not plain, as objects of the Fetch API, with the same headers and the same
 * report as plain ones.
 *
 * Yoga reads bodies and query strings, and writes streams. It has no schema: what it has read goes to the
 * operation handler, whose reply it writes.
 */
import { useCSRFPrevention } from '@graphql-yoga/plugin-csrf-prevention';
import { createYoga, type Plugin, type YogaServerInstance } from 'graphql-yoga';
import { API_KEY_HEADER } from '../../lib/api-key.ts';
import { badRequest, readForm } from '../documents/params.ts';
import type { OperationHandler } from '../operation/operation-handler.ts';
import type { RequestRecord } from '../operation/request-record.ts';
import { negotiateMediaType } from '../reply/negotiation.ts';
import { refusal } from '../reply/refusal.ts';
import { ReplyStream } from '../reply/reply-stream.ts';
import { replyOf, writeReply, type Executed } from '../reply/reply.ts';
import { eventStreamResponse, streamOf } from './event-stream.ts';
import { multipartStream } from './multipart.ts';
import { CSRF_HEADERS, type CarrierOptions } from './plain-carrier.ts';
import { represent } from './representation.ts';

/** What Yoga hands from hook to hook. */
interface ServerContext {
  readonly record: RequestRecord;
  /** Answers a subscription. */
  stream?: ReplyStream;
}

const NO_URL_ENDS_LIKE_THIS = '\n';

/** Media types that Yoga writes. */
const STREAMS = /\b(?:multipart\/mixed|text\/event-stream)\b/i;

/** Only by name: a caller that accepts anything does not expect a stream. */
const EVENTS = /\btext\/event-stream\b/i;

/** Parameters that pass Yoga's own check; the handler has checked the real ones. */
const CHECKED = { query: '' };

export class YogaCarrier {
  readonly #options: CarrierOptions;
  readonly #yoga: YogaServerInstance<ServerContext, {}>;

  constructor(options: CarrierOptions) {
    this.#options = options;
    this.#yoga = createYoga<ServerContext>({
      plugins: [useHandler(options.handler)],
      // Errors are masked with the reply, and logged with their request.
      maskedErrors: false,
      logging: false,
      // The HTTP server serves GraphiQL.
      graphiql: false,
      cors: false,
      parserAndValidationCache: false,
      // The HTTP server bounds bodies while it reads them; Yoga's way costs more than all else it does.
      maxRequestBodySize: false,
      batching: false,
      multipart: false,
      landingPage: false,
      // Yoga answers any URL with this ending with an empty 200; the gateway has its own `/health`.
      healthCheckEndpoint: NO_URL_ENDS_LIKE_THIS,
    });
  }

  /** Requests that Yoga reads fastest. */
  get Request(): typeof Request {
    return this.#yoga.fetchAPI.Request;
  }

  async answer(request: Request, record: RequestRecord): Promise<Response> {
    const { requests, cors } = this.#options;
    const origin = request.headers.get('origin');
    if (request.method === 'OPTIONS') {
      const requested = request.headers.get('access-control-request-headers');
      const headers = cors.preflightHeadersFor(origin, requested);
      return withHeaders(new Response(null, { status: 204 }), headers);
    }
    const response = await requests.run(record, async () =>
      this.#represent(request, await this.#yoga.handleRequest(request, { record }), record),
    );
    return withHeaders(response, cors.headersFor(origin));
  }

  /** The representation of a whole answer; streams and parts are sent as they are. */
  async #represent(request: Request, response: Response, record: RequestRecord): Promise<Response> {
    const { reply } = record;
    if (reply?.parts) return response;
    const mediaType = negotiateMediaType(request.headers.get('accept')) ?? 'application/json';
    const isWhole = response.headers.get('content-type')?.startsWith(mediaType) ?? false;
    if (!isWhole || !reply) {
      // A cache that ignores the key's header would give one tenant's data to another.
      if (request.method === 'GET' && !streamOf(response)) {
        response.headers.set('cache-control', 'no-store');
      }
      return response;
    }
    const carried = carriedOf(request, record);
    const written = writeReply(reply, mediaType);
    const answer = await represent(written, mediaType, carried, this.#options);
    const bytes = answer.bytes && new Uint8Array(answer.bytes);
    const body = answer.status === 304 ? null : (bytes ?? answer.text);
    const { Response } = this.#yoga.fetchAPI;
    return withHeaders(new Response(body, { status: answer.status }), answer.headers);
  }
}

const carriedOf = ({ method, headers }: Request, record: RequestRecord) => ({
  method,
  apiKey: headers.get(API_KEY_HEADER),
  explain: headers.get('x-explain'),
  accept: headers.get('accept'),
  acceptEncoding: headers.get('accept-encoding'),
  ifNoneMatch: headers.get('if-none-match'),
  record,
});

function useHandler(handler: OperationHandler): Plugin<ServerContext, ServerContext> {
  const checkCsrf = csrfCheck();
  return {
    onRequestParse(payload) {
      const { request, requestParser, setRequestParser, serverContext } = payload;
      if (serverContext.record.unreadable) throw serverContext.record.unreadable;
      if (request.method !== 'GET' && request.method !== 'POST') {
        throw refusal(405, 'METHOD_NOT_ALLOWED', 'Send GraphQL by GET or POST.', {
          allow: 'GET, POST',
        });
      }
      const accept = request.headers.get('accept');
      if (!negotiateMediaType(accept) && !STREAMS.test(accept ?? '')) {
        throw refusal(406, 'NOT_ACCEPTABLE', 'Accept application/graphql-response+json.');
      }
      // Before anything is read of a request that a foreign page may have sent.
      checkCsrf(payload);
      if (!requestParser) {
        throw refusal(415, 'UNSUPPORTED_MEDIA_TYPE', 'Send the body as application/json.');
      }
      setRequestParser(async (unread) => {
        // Yoga's own parser drops all but four parameters of a query string.
        const params = await attempt(() => formOf(unread) ?? requestParser(unread));
        if (params === undefined || Array.isArray(params)) throw badRequest();
        return params;
      });
    },

    async onParams({ params, request, context, setParams, setResult }) {
      const carried = carriedOf(request, context.record);
      const reply = EVENTS.test(carried.accept ?? '')
        ? await handler.handle(() => params, { ...carried, streams: true })
        : await handler.handle(() => params, carried);
      setParams(CHECKED);
      if (reply instanceof ReplyStream) {
        context.stream = reply;
        setResult({});
        return;
      }
      const { body }: { readonly body: object } = reply;
      setResult(body);
    },

    onResultProcess({ request, result, serverContext, setResult, setResultProcessor }) {
      const { record, stream } = serverContext;
      if (stream) {
        setResultProcessor(
          (_result, { Response }) => eventStreamResponse(stream, Response),
          'text/event-stream',
        );
        return;
      }
      // A request that was refused before the handler has no reply yet.
      const reply = (record.reply ??= replyOf(result as Executed));
      const accept = request.headers.get('accept');
      const mediaType = negotiateMediaType(accept);
      if (!mediaType && !reply.parts && STREAMS.test(accept ?? '')) {
        const { body, status, headers } = reply;
        const http = { status, headers: Object.fromEntries(pairsOf(headers)) };
        // Its errors are formatted already, which Yoga leaves as they are.
        const result: object = { ...body, extensions: { ...body.extensions, http } };
        setResult(result);
        return;
      }
      setResultProcessor((_result, { Response }) => {
        const written = writeReply(reply, mediaType ?? 'application/json');
        const { status, headers, text, parts } = written;
        const body = parts ? multipartStream(text, parts) : text;
        return new Response(body, { status, headers: pairsOf(headers) });
      }, 'application/json');
    },
  };
}

/**
 * Refuses what a foreign page could make a browser send without asking first.
 *
 * A request with a JSON body or with any header that forms cannot set has been preflighted, so
 * the key's own header is proof enough and most callers need no other.
 */
function csrfCheck(): (payload: Parameters<NonNullable<Plugin['onRequestParse']>>[0]) => void {
  const { onRequestParse } = useCSRFPrevention({ requestHeaders: CSRF_HEADERS }) as Plugin;
  return (payload) => {
    try {
      void onRequestParse?.(payload);
    } catch {
      throw refusal(
        403,
        'CSRF_HEADER_MISSING',
        `Send the body as application/json, or one of the headers ${CSRF_HEADERS.join(', ')}.`,
      );
    }
  };
}

/** The parameters of a query string or form, of which Yoga would drop all but four. */
function formOf(request: Request): unknown {
  if (request.method === 'GET') return readForm(new URL(request.url).search);
  const isForm = FORM_TYPE.test(request.headers.get('content-type') ?? '');
  return isForm ? request.text().then(readForm) : undefined;
}

const FORM_TYPE = /^application\/x-www-form-urlencoded\b/i;

const attempt = async <Value>(read: () => Value): Promise<Awaited<Value> | undefined> => {
  try {
    return await read();
  } catch {
    return undefined;
  }
};

const pairsOf = (headers: readonly string[]): [string, string][] =>
  Array.from({ length: headers.length / 2 }, (_, i) => [headers[2 * i]!, headers[2 * i + 1]!]);

function withHeaders(response: Response, headers: readonly string[]): Response {
  for (let i = 0; i < headers.length; i += 2) {
    const [name, value] = [headers[i]!, headers[i + 1]!];
    // The one header that several parties add to.
    if (name === 'vary') response.headers.append(name, value);
    else response.headers.set(name, value);
  }
  return response;
}
