/** Connections to the backend: TLS certificates, unix sockets and proxies. */
import { isIPv6 } from 'node:net';
import { buildConnector, EnvHttpProxyAgent, Pool, type Dispatcher } from 'undici';
import { markReused, ProxyRejection } from './transport-fault.ts';

export interface ConnectionOptions {
  /** Unix socket of the backend, used instead of its host. */
  readonly socketPath?: string | undefined;
  /** Trusted authorities (PEM), instead of those of Node. */
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  /** URLs of the proxies for a backend at `http:` and at `https:`; empty for none. */
  readonly httpProxy?: string;
  readonly httpsProxy?: string;
  /** Hosts (with subdomains) reached without a proxy. */
  readonly noProxy?: string;
}

export const CONNECT_MS = 2_000;

/**
 * Time for each address of a host but the last, in milliseconds. Node's 250 ms would cut every slow handshake; a first
 * packet that is lost takes a second longer. The rest of the time is for the next address.
 */
export const ADDRESS_MS = 1_500;

const LOOPBACK = /^(?:localhost|127\..*|\[::1\])$/;

/**
 * With 128 connections, the calls of a page of 100 items fit into a key's share of a route, and so into one round. With
 * 64, half of them would wait, and a backend with a latency of 100 ms would serve at most 640 calls per second.
 */
const LIMITS = { connections: 128, keepAliveTimeout: 4_000, keepAliveMaxTimeout: 30_000 };

/**
 * Opens connections to one origin. Requests contain paths only.
 *
 * @param isKeptAlive whether connections are reused.
 */
export function openConnections(
  origin: string,
  given: ConnectionOptions,
  isKeptAlive: boolean,
): Dispatcher {
  const { socketPath, ca, cert, key, httpProxy = '', httpsProxy = '', noProxy = '' } = given;
  const { hostname } = new URL(origin);
  const servername = serverNameOf(hostname);
  const connecting = { ca, cert, key, ...(servername && { servername }), timeout: CONNECT_MS };
  const connect = buildConnector({ ...connecting, socketPath: socketPath ?? null });
  // `pipelining: 0` disables keep-alive in undici.
  const options = { ...LIMITS, ...(!isKeptAlive && { pipelining: 0 }), connect };
  // Loopback addresses are reached without a proxy, as in other programs.
  const isNear = socketPath !== undefined || LOOPBACK.test(hostname);
  const direct = noProxy.split(/[,\s]+/);
  const isDirect = httpProxy + httpsProxy === '' || isNear;
  // undici 7.30.2 supports `*` only as the sole entry.
  if (isDirect || direct.includes('*')) return openPool(origin, options);
  const proxy = origin.startsWith('https:') ? httpsProxy || httpProxy : httpProxy;
  const token = credentialsOf(proxy);
  const agent = new EnvHttpProxyAgent({
    ...options,
    // undici 7.30.2 sends the credentials of a URL only if it has both.
    ...(token !== undefined && { token }),
    factory: openPool,
    clientFactory: (url, given) => openProxyPool(url, { ...given, headersTimeout: CONNECT_MS }),
    requestTls: connecting,
    proxyTls: { timeout: CONNECT_MS },
    // Also if empty, since undici reads the environment otherwise.
    ...{ httpProxy, httpsProxy },
    // undici 7.30.2 takes the last group of an IPv6 address without brackets for a port.
    noProxy: direct.map((host) => (isIPv6(host) ? `[${host}]` : host)).join(),
  });
  return agent.compose(
    (dispatch) => (options, handler) => dispatch({ ...options, origin }, handler),
  );
}

/**
 * Name of the server for TLS, if it is not the host: without the dot at the end of an absolute name. undici 7.30.2 and
 * Node send the dot. Source: RFC 6066, section 3.
 */
const serverNameOf = (hostname: string): string | undefined =>
  hostname.endsWith('.') ? hostname.slice(0, -1) : undefined;

/** @param options with a function as `connect`. */
function openPool(origin: string | URL, options: object): Pool {
  const { connect } = options as { connect: buildConnector.connector };
  return new Pool(origin, { ...options, connect: noticingReuse(connect) });
}

/** Marks errors of connections that had been used before. */
const noticingReuse =
  (connect: buildConnector.connector): buildConnector.connector =>
  (options, callback) => {
    connect(options, (...connected) => {
      const [, socket] = connected;
      // A proxy has already responded on the connection.
      const bytesBefore = socket?.bytesRead ?? 0;
      socket?.once('error', (error: Error) => {
        if (socket.bytesRead > bytesBefore) markReused(error);
      });
      callback(...connected);
    });
  };

type Connect = (options: Dispatcher.ConnectOptions) => Promise<Dispatcher.ConnectData>;

/** Opens connections to a proxy, which fail with its status. undici names it in a message only. */
function openProxyPool(url: URL, options: object): Pool {
  const pool = new Pool(url, options);
  // Of the overloads undici's `ProxyAgent` calls this one only.
  const connect = pool.connect.bind<Connect>(pool);
  const connectOrFail: Connect = async (asked) => {
    const tunnel = await connect(asked);
    if (tunnel.statusCode === 200) return tunnel;
    tunnel.socket.on('error', () => {}).destroy();
    throw new ProxyRejection(tunnel.statusCode);
  };
  pool.connect = connectOrFail;
  return pool;
}

/** `Proxy-Authorization` from a proxy's URL, also with a user or a password alone; undefined without both. */
function credentialsOf(proxy: string): string | undefined {
  if (!URL.canParse(proxy)) return undefined;
  const { username, password } = new URL(proxy);
  if (username === '' && password === '') return undefined;
  const pair = [username, password].map(decodeURIComponent).join(':');
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}
