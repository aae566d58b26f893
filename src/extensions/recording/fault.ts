/**
 * Recorded errors of undici and the system, which a replay reproduces.
 */
import { errors } from 'undici';
import {
  codeOf,
  isTruncated,
  markReused,
  wasReused,
} from '../../rest/transport/transport-fault.ts';
import type { RecordedExchange } from './har.ts';

type Fault = NonNullable<RecordedExchange['_gateway']['fault']>;

export const faultOf = (error: Error): Fault => ({
  code: codeOf(error),
  isOfParser: error instanceof errors.HTTPParserError,
  isEarlyEnd: isTruncated(error),
  wasReused: wasReused(error),
});

/** Returns an error that is classified like the recorded one. */
export function errorOf({ code, isOfParser, isEarlyEnd, wasReused }: Fault): Error {
  const message = isEarlyEnd ? 'Recorded: EOF' : 'Recorded';
  const error = isOfParser ? new errors.HTTPParserError(message) : new Error(message);
  if (wasReused) markReused(error);
  return code === '' ? error : Object.assign(error, { code });
}
