/**
 * A worker's side: connections come from the primary, and so do the metrics of all workers.
 */
import type { Socket } from 'node:net';
import type { Registry } from 'prom-client';
import type { Listener } from '../http/drain.ts';
import { HEARTBEAT_MS, type ToPrimary, type ToWorker } from './messages.ts';

/** Connections that the primary accepts at a port and hands over. */
export function handedConnections(port: number): Listener {
  let leave = (): void => {};
  return {
    open: async (server) => {
      let open = 0;
      let isReported = true;
      const onClose = (): void => {
        open -= 1;
        if (!isReported) return;
        isReported = false;
        // Many close at once: one message reports all.
        setImmediate(() => {
          isReported = true;
          tell({ type: 'open', open });
        });
      };
      process.on('message', (message: ToWorker, socket?: Socket) => {
        if (message.type === 'last connection') leave();
        if (message.type !== 'connection') return;
        // Its caller may have gone while it was on its way.
        if (socket) {
          open += 1;
          socket.once('close', onClose);
        }
        // Sent before a byte is read: a connection that was read from is never handed to another
        // worker.
        tell({ type: 'accepted', open });
        if (!socket) return;
        if (open > server.maxConnections) {
          socket.destroy();
          return;
        }
        server.emit('connection', socket);
        socket.resume();
      });
      // Node's server applies its timeouts from this event on.
      server.emit('listening');
      setInterval(() => tell({ type: 'alive' }), HEARTBEAT_MS).unref();
      return port;
    },
    close: () =>
      new Promise((resolve) => {
        leave = resolve;
        tell({ type: 'leaving' });
      }),
  };
}

/** Connections are handed over from now on. @param usable whether the backend answers. */
export const tellReady = (usable: boolean): void => tell({ type: 'ready', usable });

/** Answers the metrics of all workers from any of them. */
export function gatherMetrics(own: Registry): () => Promise<string> {
  process.on('message', (message: ToWorker) => {
    if (message.type !== 'own metrics?') return;
    void own.getMetricsAsJSON().then((metrics) => {
      tell({ type: 'own metrics', id: message.id, metrics });
    });
  });
  return () =>
    new Promise((resolve) => {
      const onMessage = (message: ToWorker): void => {
        if (message.type !== 'all metrics') return;
        process.off('message', onMessage);
        resolve(message.text);
      };
      process.on('message', onMessage);
      tell({ type: 'all metrics?' });
    });
}

/** A primary that has ended takes its workers along, so a failure to send is ignored. */
function tell(message: ToPrimary): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => {});
}
