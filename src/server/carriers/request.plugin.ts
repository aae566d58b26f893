/**
 * Requests of HTTP, before there is an operation: methods, media types, and what a foreign page may not send.
 *
 * Yoga's own parsers drop all but four parameters of a query string, `documentId` among them, and its plugin against
 * forged requests lets in whatever names an odd media type.
 */
import type { GraphQLParams } from 'graphql-yoga';
import { API_KEY_HEADER } from '../../v0/api-key.ts';
import { negotiateMediaType } from '../../operation/result/negotiation.ts';
import { refusal } from '../../operation/refusal.ts';
import {
  badRequest,
  ONE_OPERATION,
  parseJson,
  readForm,
  readParams,
} from '../../operation/request/params.ts';
import type { GatewayPlugin } from '../../operation/gateway-plugin.ts';

/**
 * Any of these shows that no foreign page sent the request unasked. Yoga's and Apollo's clients send the second and
 * third.
 */
const CSRF_HEADERS = [API_KEY_HEADER, 'x-graphql-yoga-csrf', 'apollo-require-preflight'];

/** A header by its name in lower case. */
type HeaderOf = (name: string) => string | null | undefined;

/**
 * Whether a browser asks before it sends such a request for a foreign page: with a body of JSON, or with a header that
 * forms cannot set. No other media type is proof: browsers have sent requests with odd ones unasked.
 */
export const isPreflighted = (header: HeaderOf): boolean =>
  mediaTypeOf(header) === JSON_TYPE || CSRF_HEADERS.some((name) => header(name) != null);

const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';

/** What forms can send. Source: Fetch standard, "CORS-safelisted request-header". */
const TYPES_OF_FORMS = new Set([FORM_TYPE, 'multipart/form-data', 'text/plain', '']);

/** Without its parameters; empty where there is none. */
const mediaTypeOf = (header: HeaderOf): string =>
  (header('content-type') ?? '').split(';', 1)[0]!.trim().toLowerCase();

export function useRequests(): GatewayPlugin {
  return {
    onRequestParse({ request, setRequestParser, serverContext }) {
      const { method, headers } = request;
      if (serverContext.record.unreadable) throw serverContext.record.unreadable;
      if (method !== 'GET' && method !== 'POST') {
        throw refusal(405, 'METHOD_NOT_ALLOWED', 'Send GraphQL by GET or POST.', {
          allow: 'GET, POST',
        });
      }
      if (!negotiateMediaType(headers.get('accept'))) {
        throw refusal(406, 'NOT_ACCEPTABLE', 'Accept application/graphql-response+json.');
      }
      const header: HeaderOf = (name) => headers.get(name);
      const type = mediaTypeOf(header);
      // Before anything is read of a request that a foreign page may have sent.
      if (!isPreflighted(header) && (method === 'GET' || TYPES_OF_FORMS.has(type))) {
        throw refusal(
          403,
          'CSRF_HEADER_MISSING',
          `Send the body as application/json, or one of the headers ${CSRF_HEADERS.join(', ')}.`,
        );
      }
      if (method === 'POST' && type !== JSON_TYPE && type !== FORM_TYPE) {
        throw refusal(415, 'UNSUPPORTED_MEDIA_TYPE', 'Send the body as application/json.');
      }
      setRequestParser(async (unread) => {
        const params = await paramsOf(unread, type);
        if (Array.isArray(params)) throw badRequest(ONE_OPERATION);
        return params as GraphQLParams;
      });
    },
    onParams({ params, setParams }) {
      // Whatever a caller has sent; Yoga's type says what is there once it is checked.
      setParams(readParams(params) as GraphQLParams);
    },
  };
}

async function paramsOf(request: Request, type: string): Promise<unknown> {
  if (request.method === 'GET') return readForm(new URL(request.url).search);
  const text = await request.text();
  return type === FORM_TYPE ? readForm(text) : parseJson(text, 'the body');
}
