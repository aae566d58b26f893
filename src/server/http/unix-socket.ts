/** The file of a unix socket. */
import { statSync, unlinkSync } from 'node:fs';
import { connect } from 'node:net';

/** Removes one on which nobody listens: a process that was killed leaves it behind, and none could listen there again. */
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
