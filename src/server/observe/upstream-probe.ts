/**
 * The cheapest request to the backend, for `/ready`.
 */
import { API_KEY_HEADER } from '../../lib/api-key.ts';
import type { BackendDispatcher } from '../../rest/transport/dispatcher.ts';
import { routes } from '../../v0/routes.ts';
import { isAnswer, ProbeError, type Probe } from './readiness.ts';

/** Where one of these fails, the other shows that the rest of the backend is there. */
const PATHS = [routes.listTopics.path, routes.listPersons.path];

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
 * Asks the route that was answered last; the other one, too, where that answers with a failure. One that does
 * not answer in time is not waited for twice: the next probe begins with the other.
 *
 * @returns a probe that rejects with a `ProbeError`.
 */
export function upstreamProbe(options: UpstreamProbeOptions): Probe {
  const { origin, dispatcher, pathPrefix, apiKey, timeoutMs } = options;
  let current = 0;
  const ask = async (): Promise<number> => {
    const { statusCode, body } = await dispatcher.request({
      method: 'GET',
      path: `${pathPrefix}${PATHS[current]}?limit=1`,
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
  const turnToOther = (): void => {
    current = (current + 1) % PATHS.length;
  };
  return async () => {
    try {
      const status = await ask();
      if (isAnswer(status)) return status;
      turnToOther();
      return await ask();
    } catch (cause) {
      turnToOther();
      throw new ProbeError(origin, cause);
    }
  };
}
