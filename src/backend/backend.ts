/** The embedded backend: the whole `/v0` service on a port, with its own database, called like any deployment. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import { Server as NetServer, type AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import { BackendDatabaseError, openDatabase } from './database/database.ts';
import { createApp, type AppOptions } from './http/app.ts';
import { createPublisher } from './publishing.ts';
import { handlers } from './routes/resources.ts';
import { seedWhenEmpty } from './seed/seed.ts';

export interface BackendOptions extends AppOptions {
  /** `file:…`, `:memory:`, or a remote `libsql://…`. */
  readonly databaseUrl: string;
  /** The address to listen on. @default '127.0.0.1', since the sample key is public */
  readonly host?: string;
  /** @default 0 – any free port */
  readonly port?: number;
  /** Duration of each state of publishing, in milliseconds. @default 250 */
  readonly publishDelayMs?: number;
}

export interface EmbeddedBackend {
  /** `http://127.0.0.1:<port>`, without a path. */
  readonly url: string;
  readonly port: number;
  /**
   * Stops listening, finishes requests in flight, and closes the database.
   *
   * @param timeoutMs time until requests in flight are cut. @default 5000
   * @returns whether all of them finished.
   */
  close(timeoutMs?: number): Promise<boolean>;
}

/**
 * Opens the backend on its port.
 *
 * @throws {BackendDatabaseError} for an unusable database; Node's error if listening fails.
 */
export async function openBackend(options: BackendOptions): Promise<EmbeddedBackend> {
  const { databaseUrl, publishDelayMs = 250, onFailure } = options;
  const { host = '127.0.0.1', port = 0 } = options;
  const database = await openDatabase(databaseUrl);
  const publisher = createPublisher(database, publishDelayMs, onFailure);
  const release = (): Promise<void> => {
    publisher.close();
    return database.close();
  };
  try {
    await seedWhenEmpty(database).catch((cause: unknown) => {
      throw new BackendDatabaseError(databaseUrl, cause);
    });
    await publisher.resume();
    const app = createApp({ handlers, database, publishLater: publisher.later }, options);
    const server = await listen(app.fetch, host, port);
    const address = server.address() as AddressInfo;
    const close = async (timeoutMs: number): Promise<boolean> => {
      const finished = await stopListening(server, timeoutMs);
      await release();
      return finished;
    };
    let closing: Promise<boolean> | undefined;
    return {
      url: `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`,
      port: address.port,
      close: (timeoutMs = 5_000) => (closing ??= close(timeoutMs)),
    };
  } catch (error) {
    await release();
    throw error;
  }
}

/** Time in which a connection without requests is closed, in milliseconds. */
const IDLE_MS = 50;

type Fetch = Parameters<typeof serve>[0]['fetch'];

const listen = (fetch: Fetch, hostname: string, port: number): Promise<Server> =>
  new Promise((resolve, reject) => {
    // Without a `createServer` option this is node:http's server.
    const server = serve({ fetch, port, hostname }, () => resolve(server)) as Server;
    server.once('error', reject);
  });

/**
 * Serves requests on open connections once more, and closes those that stay idle.
 *
 * @returns whether no request had to be cut.
 */
async function stopListening(server: Server, timeoutMs: number): Promise<boolean> {
  const closed = once(server, 'close');
  // Not `close()` of `http`, which immediately closes idle connections, even if a request is on its way.
  NetServer.prototype.close.call(server);
  server.prependListener('request', (_request, response) =>
    response.setHeader('connection', 'close'),
  );
  const sweep = setInterval(() => server.closeIdleConnections(), IDLE_MS);
  let isCut = false;
  const deadline = setTimeout(() => {
    isCut = true;
    server.closeAllConnections();
  }, timeoutMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(deadline);
  return !isCut;
}
