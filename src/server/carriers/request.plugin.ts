/**
 * Requests of HTTP, before there is an operation: methods, media types, and what a foreign page may not send.
 *
 * Yoga's own parsers drop all but four parameters of a query string, `documentId` among them.
 */
import { useCSRFPrevention } from '@graphql-yoga/plugin-csrf-prevention';
import type { GraphQLParams, Plugin } from 'graphql-yoga';
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
 * Any of these shows that no form sent the request. Yoga's and Apollo's clients send the second and
 * third.
 */
export const CSRF_HEADERS = [API_KEY_HEADER, 'x-graphql-yoga-csrf', 'apollo-require-preflight'];

export function useRequests(): GatewayPlugin {
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
      if (!negotiateMediaType(request.headers.get('accept'))) {
        throw refusal(406, 'NOT_ACCEPTABLE', 'Accept application/graphql-response+json.');
      }
      // Before anything is read of a request that a foreign page may have sent.
      void checkCsrf(payload);
      if (!requestParser) {
        throw refusal(415, 'UNSUPPORTED_MEDIA_TYPE', 'Send the body as application/json.');
      }
      setRequestParser(async (unread) => {
        const params = await paramsOf(unread, requestParser);
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

/**
 * Refuses what a foreign page could make a browser send without asking first.
 *
 * A request with a JSON body or with any header that forms cannot set has been preflighted, so
 * the key's own header is proof enough and most callers need no other.
 */
function csrfCheck(): NonNullable<Plugin['onRequestParse']> {
  const { onRequestParse } = useCSRFPrevention({ requestHeaders: CSRF_HEADERS }) as Plugin;
  return (payload) => {
    try {
      return onRequestParse?.(payload);
    } catch {
      throw refusal(
        403,
        'CSRF_HEADER_MISSING',
        `Send the body as application/json, or one of the headers ${CSRF_HEADERS.join(', ')}.`,
      );
    }
  };
}

/**
 * By Yoga's parser, but of a query string or form, of which it would drop all but four, and of JSON, of which it says no
 * more than that it is wrong.
 */
async function paramsOf(request: Request, parse: (body: Request) => unknown): Promise<unknown> {
  if (request.method === 'GET') return readForm(new URL(request.url).search);
  const type = request.headers.get('content-type') ?? '';
  if (FORM_TYPE.test(type)) return readForm(await request.text());
  if (JSON_TYPE.test(type)) return parseJson(await request.text(), 'the body');
  return parse(request);
}

const FORM_TYPE = /^application\/x-www-form-urlencoded\b/i;
const JSON_TYPE = /^application\/(?:graphql\+)?json\b/i;
