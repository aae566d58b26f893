/**
 * Plain requests, which are most: a POST of JSON, or a GET with a query string.
 *
 * They are read and written without the Fetch API, whose requests, responses and hooks cost more
 * than a small query.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { API_KEY_HEADER } from '../../lib/api-key.ts';
import { parseJson, readForm } from '../documents/params.ts';
import type { Requests } from '../observe/requests.ts';
import type { OperationHandler } from '../operation/operation-handler.ts';
import type { RequestRecord } from '../operation/request-record.ts';
import { negotiateMediaType, type MediaType } from '../reply/negotiation.ts';
import { writeReply, type WrittenReply } from '../reply/reply.ts';
import type { Cors } from './cors.ts';
import { represent, type RepresentationOptions } from './representation.ts';

/** What Node's server has read of a request. */
export interface PlainRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string | undefined;
}

export interface CarrierOptions extends RepresentationOptions {
  readonly handler: OperationHandler;
  readonly requests: Requests;
  readonly cors: Cors;
}

export class PlainCarrier {
  readonly #options: CarrierOptions;

  constructor(options: CarrierOptions) {
    this.#options = options;
  }

  /** Undefined for a request that is not plain. */
  answer(request: PlainRequest, record: RequestRecord): Promise<WrittenReply> | undefined {
    const read = readerOf(request);
    const mediaType = read && negotiateMediaType(request.headers.accept);
    if (!mediaType) return undefined;
    return this.#options.requests.run(record, () => this.#answer(read, mediaType, request, record));
  }

  async #answer(
    read: () => unknown,
    mediaType: MediaType,
    { method, headers }: PlainRequest,
    record: RequestRecord,
  ): Promise<WrittenReply> {
    const { handler, cors } = this.#options;
    const carried = {
      method,
      acceptEncoding: headers['accept-encoding'],
      ifNoneMatch: headers['if-none-match'],
      // Node joins the values of a header that is sent twice.
      apiKey: headers[API_KEY_HEADER] as string | undefined,
      explain: headers['x-explain'] as string | undefined,
      accept: headers.accept,
      record,
    };
    const reply = await handler.handle(read, carried);
    let answer = writeReply(reply, mediaType);
    if (!reply.parts) {
      const represented = represent(answer, mediaType, carried, this.#options);
      // Small answers are there at once, and `await` costs more than this check.
      answer = represented instanceof Promise ? await represented : represented;
    }
    answer.headers.push('x-request-id', record.requestId, ...cors.headersFor(headers.origin));
    return answer;
  }
}

/**
 * Any of these shows that no form sent the request. Yoga's and Apollo's clients send the second and
 * third.
 */
export const CSRF_HEADERS = [API_KEY_HEADER, 'x-graphql-yoga-csrf', 'apollo-require-preflight'];

const JSON_TYPE = /^application\/json(?:; ?charset=(?:utf|UTF)-8)?$/;

const QUERY_BY_GET = '/graphql?';

/** What reads the parameters of a plain request; undefined for any other. */
function readerOf({ method, url, headers, body }: PlainRequest): (() => unknown) | undefined {
  if (method === 'POST' && url === '/graphql' && body !== undefined) {
    const isPlain =
      JSON_TYPE.test(headers['content-type'] ?? '') && !mayStream(headers.accept, body);
    return isPlain ? () => parseJson(body) : undefined;
  }
  if (method === 'GET' && url.startsWith(QUERY_BY_GET)) {
    const search = url.slice(QUERY_BY_GET.length);
    // Without such a header a foreign page may have sent it, and Yoga's carrier refuses it.
    const isOwn = CSRF_HEADERS.some((name) => headers[name] !== undefined);
    const isPlain =
      isOwn && !headers.accept?.includes('text/html') && !mayStream(headers.accept, search);
    return isPlain ? () => readForm(search) : undefined;
  }
  return undefined;
}

/** Whether the answer may be a stream: some clients accept one for every operation. */
const mayStream = (accept: string | undefined, text: string): boolean =>
  accept?.includes('text/event-stream') === true && text.includes('subscription');
