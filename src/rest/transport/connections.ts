/**
 * How connections to the backend are made: with certificates of their own, over a unix socket, by a proxy.
 */
import { buildConnector, EnvHttpProxyAgent, Pool, type Dispatcher } from 'undici';
import { markReused } from './transport-fault.ts';

export interface ConnectionOptions {
  /** In PEM. */
  readonly tls?: TlsOptions | undefined;
  /** A unix socket on which the backend listens, whatever its host name. */
  readonly socketPath?: string | undefined;
  /** @default none */
  readonly proxies?: Proxies | undefined;
}

interface TlsOptions {
  /** Who may have signed the backend's certificate, instead of the authorities that Node trusts. */
  readonly ca?: string | undefined;
  /** Who this gateway is, and the proof. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

/** As undici reads them; empty for none, or it would look into the environment. */
interface Proxies {
  /** URLs of the proxies for a backend at `http:` and at `https:`. */
  readonly httpProxy: string;
  readonly httpsProxy: string;
  /** Hosts that are asked without, and all below them. */
  readonly noProxy: string;
}

const CONNECT_MS = 2_000;

const LOOPBACK = /^(?:localhost|127\..*|\[::1\])$/;

/**
 * A page of 100 items, each with a call of its own, leaves in one round: they are within a key's share of a route. With 64,
 * half of that page would wait for the other, and a backend that takes 100 ms would answer 640 calls a second at most.
 */
const LIMITS = { connections: 128, keepAliveTimeout: 4_000, keepAliveMaxTimeout: 30_000 };

/**
 * Connections to one origin, which is written into no request: paths are all that is asked for.
 *
 * @param isKept whether a connection is used again after its answer.
 */
export function openConnections(
  origin: string,
  { tls, socketPath, proxies }: ConnectionOptions,
  isKept: boolean,
): Dispatcher {
  const connecting = { ...tls, timeout: CONNECT_MS };
  const connect = buildConnector({ ...connecting, socketPath: socketPath ?? null });
  // In undici `pipelining: 0` switches keep-alive off.
  const options = { ...LIMITS, ...(!isKept && { pipelining: 0 }), connect };
  // This machine is reached without, as in other programs.
  const isNear = socketPath !== undefined || LOOPBACK.test(new URL(origin).hostname);
  // undici 7.30.2 takes `*` for everything only where it stands alone.
  const isDirect = isNear || proxies?.noProxy.split(/[,\s]+/).includes('*');
  if (!proxies || isDirect) return openPool(origin, options);
  const agent = new EnvHttpProxyAgent({
    ...options,
    factory: openPool,
    // A proxy that says nothing is left after this time.
    clientFactory: (proxy, given) => new Pool(proxy, { ...given, headersTimeout: CONNECT_MS }),
    requestTls: connecting,
    proxyTls: { timeout: CONNECT_MS },
    ...proxies,
    // undici 7.30 knows the asterisk alone, not in a list.
    noProxy: proxies.noProxy.split(/[\s,]+/).includes('*') ? '*' : proxies.noProxy,
  });
  return agent.compose(
    (dispatch) => (options, handler) => dispatch({ ...options, origin }, handler),
  );
}

/** @param options their `connect` is a function. */
function openPool(origin: string | URL, options: object): Pool {
  const { connect } = options as { connect: buildConnector.connector };
  return new Pool(origin, { ...options, connect: noticingReuse(connect) });
}

/** Notes which errors came from connections that had answered before. */
const noticingReuse =
  (connect: buildConnector.connector): buildConnector.connector =>
  (options, callback) => {
    connect(options, (...connected) => {
      const [, socket] = connected;
      // A proxy has answered on it before the backend has.
      const bytesBefore = socket?.bytesRead ?? 0;
      socket?.once('error', (error: Error) => {
        if (socket.bytesRead > bytesBefore) markReused(error);
      });
      callback(...connected);
    });
  };
