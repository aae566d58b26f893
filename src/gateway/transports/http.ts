/**
 * GraphQL over HTTP: POST with JSON or a form, and GET with a query string. Responses are single results, parts, or
 * events.
 */
import type { GraphQLSchema } from 'graphql';
import {
  Operation,
  type Arrival,
  type HeaderFields,
  type Transport,
} from '../operation/operation.ts';
import { readRequest } from '../operation/request-params.ts';
import type { OperationResponse } from '../operation/response.ts';
import type { Cors, OnForeignOrigin } from '../policies/cors.ts';
import type { OperationServer } from '../yoga/operation-server.ts';

const HTTP: Transport = {
  name: 'http',
  path: '/graphql',
  streams: 'accepted',
  onlySubscriptions: false,
  readParams: readRequest,
};

/** A request as read by a server. */
export interface HttpRequest {
  readonly method: string;
  /** Path and query string. */
  readonly url: string;
  readonly headers: HeaderFields;
  /** Undefined without a body, or if it could not be read. */
  readonly body: string | undefined;
  /** The same request of the Fetch API, if it was one. */
  readonly fetched?: Request;
}

/** Writer of a response. */
export interface ResponseWriter {
  /** Called once, unless `fail` is. */
  send(response: OperationResponse): void;
  /** Called if there is no response to send. */
  fail(error: unknown): void;
}

/** Serves a request; never throws. */
export type HttpTransport = (
  arrival: Arrival,
  request: HttpRequest,
  writer: ResponseWriter,
) => void;

interface HttpTransportOptions {
  readonly schema: GraphQLSchema;
  readonly server: OperationServer;
  /** Undefined if no other origin is allowed. */
  readonly cors: Cors | undefined;
  readonly onForeignOrigin: OnForeignOrigin;
}

export function createHttpTransport(options: HttpTransportOptions): HttpTransport {
  const { schema, server, cors, onForeignOrigin } = options;

  async function serve(
    operation: Operation,
    fetched: Request | undefined,
    writer: ResponseWriter,
  ): Promise<void> {
    let status = 500;
    server.begin();
    try {
      const response = await server.respond(operation, fetched);
      ({ status } = response);
      if (response.stream?.isOfEvents) operation.releaseRequest();
      writer.send(response);
    } catch (error) {
      writer.fail(error);
    } finally {
      server.end(operation, status);
    }
  }

  return (arrival, request, writer) => {
    const { method, headers: asked, fetched } = request;
    // Preflights are not operations.
    if (method === 'OPTIONS' && (cors || isPreflight(asked))) {
      const headers = [...(cors?.preflightHeaders(asked) ?? []), 'x-request-id', arrival.requestId];
      const isAllowed = headers.includes('access-control-allow-origin');
      if (isPreflight(asked) && !isAllowed) onForeignOrigin(asked['origin'] as string);
      writer.send({ status: 204, headers, text: '', mediaType: 'application/json' });
      return;
    }
    if (method === 'HEAD') {
      const own = fetched && new Request(fetched, { method: 'GET' });
      const asGet = { ...request, method: 'GET', fetched: own };
      void serve(new Operation(HTTP, arrival, schema, asGet), own, withoutStreams(writer));
      return;
    }
    void serve(new Operation(HTTP, arrival, schema, request), fetched, writer);
  };
}

const isPreflight = (headers: HeaderFields): boolean =>
  typeof headers['origin'] === 'string' && headers['access-control-request-method'] !== undefined;

/** For the head alone, which no more results follow. */
const withoutStreams = (writer: ResponseWriter): ResponseWriter => ({
  ...writer,
  send: ({ stream, ...head }) => {
    stream?.cancel();
    writer.send(head);
  },
});
