/**
 * When calls and answers leave: together, after everything that has arrived.
 */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { endOfTurn } from '../../src/lib/turns/end-of-turn.ts';

it('comes after both of two requests that arrived at once were read, and for both at once', async () => {
  const events: string[] = [];
  const accepted: Socket[] = [];
  const server = createServer((socket) => {
    accepted.push(socket);
    socket.once('data', () => {
      events.push('heard');
      void endOfTurn().then(() => events.push('answered'));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const callers = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')];
  onTestFinished(() => {
    for (const socket of [...callers, ...accepted]) socket.destroy();
    server.close();
  });
  await expect.poll(() => accepted.length).toBe(2);

  for (const caller of callers) caller.write('?');

  await expect.poll(() => events.length).toBe(4);
  expect(events).toEqual(['heard', 'heard', 'answered', 'answered']);
});

it('comes again in the next turn', async () => {
  const first = endOfTurn();
  expect(endOfTurn()).toBe(first);
  await first;
  expect(endOfTurn()).not.toBe(first);
});
