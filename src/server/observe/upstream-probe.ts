/**
 * The cheapest request to the backend, for `/ready`.
 */
import { API_KEY_HEADER } from '../../lib/api-key.ts';
import type { BackendDispatcher } from '../../rest/transport/dispatcher.ts';
import { routes, type Route } from '../../v0/routes.ts';
import { isAnswer, ProbeError, type Probe } from './readiness.ts';

/** A page of one item is far smaller. */
const ENOUGH_BYTES = 1_000_000;

interface UpstreamProbeOptions {
  /** `https://api.example.com`: what `dispatcher` connects to. */
  readonly origin: string;
  readonly dispatcher: Pick<BackendDispatcher, 'request'>;
  readonly pathPrefix: string;
  /** Without one the backend answers 401, which is an answer. */
  readonly apiKey: string | undefined;
  readonly timeoutMs: number;
}

/**
 * Asks one route, and the other at once where that answers with a failure. Where it does not answer, the next
 * probe begins with the other: this one would take twice as long as it may.
 *
 * @returns a probe that rejects with a `ProbeError`.
 */
export function upstreamProbe(options: UpstreamProbeOptions): Probe {
  const { origin, dispatcher, pathPrefix, apiKey, timeoutMs } = options;
  // Where one fails, the other shows that the rest of the backend is there.
  let [next, other]: [Route, Route] = [routes.listTopics, routes.listPersons];
  const swap = (): void => {
    [next, other] = [other, next];
  };
  const ask = async ({ path }: Route): Promise<number> => {
    const { statusCode, body } = await dispatcher.request({
      method: 'GET',
      path: `${pathPrefix}${path}?limit=1`,
      headers: { accept: 'application/json', ...(apiKey && { [API_KEY_HEADER]: apiKey }) },
      signal: AbortSignal.timeout(timeoutMs),
    });
    // An answer that does not end is no answer; `dump` would count it as one.
    let size = 0;
    for await (const chunk of body as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > ENOUGH_BYTES) break;
    }
    return statusCode;
  };
  return async () => {
    try {
      const status = await ask(next);
      if (isAnswer(status)) return status;
      swap();
      return await ask(next);
    } catch (cause) {
      swap();
      throw new ProbeError(origin, cause);
    }
  };
}
