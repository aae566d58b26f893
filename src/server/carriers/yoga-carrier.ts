/**
 * Requests for `/graphql` that are not plain, as objects of the Fetch API: Yoga reads and writes
 * them, with the same headers and the same report as plain ones.
 */
import { API_KEY_HEADER } from '../../lib/api-key.ts';
import type { RequestRecord } from '../operation/request-record.ts';
import { negotiateMediaType } from '../reply/negotiation.ts';
import { writeReply } from '../reply/reply.ts';
import { streamOf } from './event-stream.ts';
import type { CarrierOptions } from './plain-carrier.ts';
import { represent } from './representation.ts';
import { createGraphQLServer, type GraphQLServer } from './yoga.ts';

export class YogaCarrier {
  readonly #options: CarrierOptions;
  readonly #yoga: GraphQLServer;

  constructor(options: CarrierOptions) {
    this.#options = options;
    this.#yoga = createGraphQLServer(options.handler);
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
  async #represent(
    { method, headers }: Request,
    response: Response,
    record: RequestRecord,
  ): Promise<Response> {
    const { reply } = record;
    if (reply?.parts) return response;
    const mediaType = negotiateMediaType(headers.get('accept')) ?? 'application/json';
    const isWhole = response.headers.get('content-type')?.startsWith(mediaType) ?? false;
    if (!isWhole || !reply) {
      // A cache that ignores the key's header would give one tenant's data to another.
      if (method === 'GET' && !streamOf(response)) {
        response.headers.set('cache-control', 'no-store');
      }
      return response;
    }
    const conditions = {
      method,
      acceptEncoding: headers.get('accept-encoding'),
      ifNoneMatch: headers.get('if-none-match'),
      apiKey: headers.get(API_KEY_HEADER),
      explain: headers.get('x-explain'),
    };
    const written = writeReply(reply, mediaType);
    const answer = await represent(written, mediaType, record, conditions, this.#options);
    const bytes = answer.bytes && new Uint8Array(answer.bytes);
    const body = answer.status === 304 ? null : (bytes ?? answer.text);
    const { Response } = this.#yoga.fetchAPI;
    return withHeaders(new Response(body, { status: answer.status }), answer.headers);
  }
}

function withHeaders(response: Response, headers: readonly string[]): Response {
  for (let i = 0; i < headers.length; i += 2) {
    const [name, value] = [headers[i]!, headers[i + 1]!];
    // The one header that several parties add to.
    if (name === 'vary') response.headers.append(name, value);
    else response.headers.set(name, value);
  }
  return response;
}
