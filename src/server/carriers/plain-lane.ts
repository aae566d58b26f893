/**
 * The plain lane: a POST of JSON, or a GET with a query string.
 *
 * It passes the same plugins as every other request, all their hooks but those of HTTP, without requests and
 * responses of the Fetch API, which cost ten times as much.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { ExecutionResult } from 'graphql';
import type { GraphQLParams, YogaServerInstance } from 'graphql-yoga';
import type { Answer } from '../../operation/result/answer.ts';
import { callerOf, type Forwarding } from '../../operation/request/caller.ts';
import type { Translate } from '../../operation/result/errors.ts';
import { negotiateMediaType } from '../../operation/result/negotiation.ts';
import { parseJson, readForm } from '../../operation/request/params.ts';
import type { ServerContext } from '../../operation/gateway-plugin.ts';
import type { RequestRecord } from '../../operation/request/request-record.ts';
import type { Requests } from '../../observe/requests.ts';
import { isPreflighted } from './request.plugin.ts';
import type { WriteAnswer } from './response.plugin.ts';

/** What Node's server has read of a request. */
export interface PlainRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string | undefined;
}

/** Any Yoga: the lane reads no more of its types than these. */
type Yoga = Pick<
  YogaServerInstance<ServerContext, ServerContext>,
  'getResultForParams' | 'fetchAPI'
>;

interface PlainLaneOptions {
  readonly yoga: Yoga;
  readonly requests: Requests;
  readonly forwarding: Forwarding | undefined;
  readonly translate: Translate;
  readonly write: WriteAnswer;
}

/** Answers a plain request; undefined for any other. */
export type PlainLane = (
  request: PlainRequest,
  record: RequestRecord,
) => Promise<Answer> | undefined;

export const createPlainLane =
  ({ yoga, requests, forwarding, translate, write }: PlainLaneOptions): PlainLane =>
  (plain, record) => {
    const read = readerOf(plain);
    const { method, headers } = plain;
    if (!read || !negotiateMediaType(headers.accept)) return undefined;
    // Of Node's headers only `set-cookie`, which no request carries, is a list.
    const header = (name: string) => headers[name] as string | undefined;
    const context: ServerContext = { record, caller: callerOf(method, header, forwarding) };
    return requests.run(context, async () => {
      let result: ExecutionResult;
      try {
        result = (await yoga.getResultForParams(
          { params: read() as GraphQLParams, request: requestOf(plain, yoga) },
          context,
        )) as ExecutionResult;
      } catch (error) {
        result = { errors: [translate(error)] };
      }
      return write(result, context);
    });
  };

/** A request for plugins that read more of it than the gateway does: made when it is asked for. */
interface LazyRequest {
  readonly plain: PlainRequest;
  readonly yoga: Yoga;
  made?: Request;
}

const requestOf = (plain: PlainRequest, yoga: Yoga): Request =>
  new Proxy<LazyRequest>({ plain, yoga }, LAZY_REQUEST) as object as Request;

const LAZY_REQUEST: ProxyHandler<LazyRequest> = {
  get(lazy, name) {
    const { method, url, headers } = lazy.plain;
    if (name === 'method') return method;
    const request = (lazy.made ??= new lazy.yoga.fetchAPI.Request(`http://gateway${url}`, {
      method,
      // Values are strings, but for `set-cookie`, which no request carries.
      headers: headers as Record<string, string>,
    }));
    const value: unknown = Reflect.get(request, name, request);
    return typeof value === 'function' ? (value.bind(request) as unknown) : value;
  },
};

const JSON_TYPE = /^application\/json(?:; ?charset=(?:utf|UTF)-8)?$/;

const QUERY_BY_GET = '/graphql?';

/** What reads the parameters of a plain request; undefined for any other. */
function readerOf({ method, url, headers, body }: PlainRequest): (() => unknown) | undefined {
  if (method === 'POST' && url === '/graphql' && body !== undefined) {
    const isPlain = JSON_TYPE.test(headers['content-type'] ?? '');
    return isPlain ? () => parseJson(body, 'the body') : undefined;
  }
  if (method === 'GET' && url.startsWith(QUERY_BY_GET)) {
    const search = url.slice(QUERY_BY_GET.length);
    // Of another a foreign page may be the sender: it is refused on the other way.
    const isPlain =
      isPreflighted((name) => headers[name] as string | undefined) &&
      !headers.accept?.includes('text/html');
    return isPlain ? () => readForm(search) : undefined;
  }
  return undefined;
}
