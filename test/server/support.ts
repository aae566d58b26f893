/** Being replaced by `openGateway`, `send` and `startProcess` of `test/support/`. */
import type { GatewayOptions } from '../../src/server/gateway.ts';
import type { FaultUpstream } from '../support/fault-upstream.ts';
import { openGateway, type InProcessGateway } from '../support/open-gateway.ts';

export { POST_JSON, send, type Reply, type AskOptions as QueryOptions } from '../support/client.ts';
export {
  startProcess as startProduct,
  type StartedProcess as Product,
} from '../support/gateway-process.ts';

export interface Site extends InProcessGateway {
  /** POSTs a query as JSON with the sample key. */
  readonly query: InProcessGateway['ask'];
}

type SiteOptions = Partial<GatewayOptions> & {
  readonly upstreamUrl?: string;
  readonly maxBodyBytes?: number;
  /** One try of one call, in milliseconds. @default 1,000 */
  readonly timeoutMs?: number;
};

/** Gateways of a file share a backend. */
export function shareBackend(): void {}

export async function openSite({
  upstreamUrl,
  timeoutMs = 1_000,
  maxBodyBytes = 100_000,
  ...options
}: SiteOptions = {}): Promise<Site> {
  const backend = upstreamUrl === undefined ? 'sample' : new URL(upstreamUrl);
  const opened = await openGateway({
    ...{ backend, rest: { timeoutMs }, http: { maxBodyBytes } },
    ...options,
  });
  return Object.assign(opened, { query: opened.ask });
}

export async function openFaultySite(
  options: SiteOptions = {},
): Promise<{ readonly upstream: FaultUpstream; readonly site: Site }> {
  const { timeoutMs = 1_000, ...rest } = options;
  const opened = await openGateway({ backend: 'faulty', rest: { timeoutMs }, ...rest });
  return { upstream: opened.upstream, site: Object.assign(opened, { query: opened.ask }) };
}
