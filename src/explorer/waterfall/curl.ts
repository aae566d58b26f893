/**
 * A request as a curl command for a POSIX shell. The key is left to the shell's `$API_KEY`.
 */
import type { Exchange } from '../exchange/exchange.ts';
import { ENDPOINT } from '../exchange/request.ts';

export const curlOf = ({ request, requestHeaders }: Exchange): string =>
  [
    // Without a buffer: of a subscription each event is printed as it comes.
    `curl -sN ${quoted(ENDPOINT)}`,
    ...requestHeaders.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    `-H "x-api-key: $API_KEY"`,
    `-d ${quoted(JSON.stringify(request))}`,
  ].join(' \\\n  ');

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
