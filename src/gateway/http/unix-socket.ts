/** The file of a unix socket. */
import { statSync, unlinkSync } from 'node:fs';
import { connect } from 'node:net';

/** Removes a stale socket file: a killed process leaves its file behind, and listening on the path fails while the file is there. */
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
