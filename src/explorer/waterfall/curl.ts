/**
 * A request as a curl command for a POSIX shell. The key is left to the shell's `$API_KEY`.
 */
import { ENDPOINT, type GraphQLRequest } from '../exchange/request.ts';

export const curlOf = ({ query, variables, operationName }: GraphQLRequest): string =>
  [
    `curl -s ${quoted(ENDPOINT)}`,
    `-H 'content-type: application/json'`,
    `-H "x-api-key: $API_KEY"`,
    `-d ${quoted(JSON.stringify({ query, variables, operationName: operationName ?? undefined }))}`,
  ].join(' \\\n  ');

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
