/**
 * Tunnels of a proxy to the backend.
 */
import { Pool, type Dispatcher } from 'undici';

/** A proxy's answer to CONNECT other than a tunnel. */
export class ProxyRefusal extends Error {
  override readonly name = 'ProxyRefusal';
  /** `PROXY_407`. */
  readonly code: string;
  /** Whether it wants other credentials. */
  readonly isOfCredentials: boolean;

  constructor(status: number) {
    super(`The proxy answered ${status} to CONNECT`);
    this.code = `PROXY_${status}`;
    this.isOfCredentials = status === 407;
  }
}

type Connect = (options: Dispatcher.ConnectOptions) => Promise<Dispatcher.ConnectData>;

/** Opens connections to a proxy, which fail with its status. undici names it in a message only. */
export function openProxyPool(url: URL, options: object): Pool {
  const pool = new Pool(url, options);
  // Of the overloads undici's `ProxyAgent` calls this one only.
  const connect = pool.connect.bind<Connect>(pool);
  const connectOrFail: Connect = async (asked) => {
    const tunnel = await connect(asked);
    if (tunnel.statusCode === 200) return tunnel;
    tunnel.socket.on('error', () => {}).destroy();
    throw new ProxyRefusal(tunnel.statusCode);
  };
  pool.connect = connectOrFail;
  return pool;
}

/** `Proxy-Authorization` from a proxy's URL, also with a user or a password alone; undefined without both. */
export function credentialsOf(proxy: string): string | undefined {
  if (!URL.canParse(proxy)) return undefined;
  const { username, password } = new URL(proxy);
  if (username === '' && password === '') return undefined;
  const pair = [username, password].map(decodeURIComponent).join(':');
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}
