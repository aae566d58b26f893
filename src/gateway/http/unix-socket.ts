/** The file of a unix socket. */
import { statSync, unlinkSync } from 'node:fs';
import { connect } from 'node:net';

/** Removes the socket file of a killed process, which would make listening fail. */
export async function removeStale(path: string): Promise<void> {
  if (!statSync(path, { throwIfNoEntry: false })?.isSocket()) return;
  const socket = connect(path);
  const isStale = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(false));
    socket.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code === 'ECONNREFUSED'));
  });
  socket.destroy();
  if (isStale) unlinkSync(path);
}
