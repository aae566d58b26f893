/** A port of this machine that nothing listens on, for programs that cannot choose one themselves. */
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A TCP server that listens has an AddressInfo.
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}
