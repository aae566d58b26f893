/**
 * Parameters as `params.ts` reads them, whichever way they were sent.
 *
 * Wraps the parser that Yoga has chosen: what it throws of its own (JSON that is none, in a query
 * string) is the caller's mistake and not an unexpected error.
 */
import { GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { readParams } from '../operation/params.ts';
import { refusal } from '../operation/refusal.ts';

export function useParams(): Plugin {
  return {
    onRequestParse({ requestParser, setRequestParser, fetchAPI }) {
      if (!requestParser) return;
      setRequestParser(async (request) => {
        let parsed;
        try {
          parsed = await requestParser(request);
        } catch (error) {
          throw asMistake(error);
        }
        return parsed instanceof fetchAPI.Response ? parsed : readParams(parsed);
      });
    },
  };
}

/** Always its status: a request that can't be read is no GraphQL request, so there is no older rule. */
function asMistake(error: unknown): GraphQLError {
  const http = error instanceof GraphQLError ? error.extensions['http'] : undefined;
  const spec = (http as { spec?: boolean } | undefined)?.spec;
  if (error instanceof GraphQLError && !spec) return error;
  return refusal(
    400,
    'BAD_REQUEST',
    'Send a JSON object with "query", and with objects as "variables" and "extensions".',
  );
}
