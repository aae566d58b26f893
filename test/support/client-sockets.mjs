/** Loaded into a gateway by tests: it tells of each connection that the gateway opens. */
import { subscribe } from 'node:diagnostics_channel';

subscribe('net.client.socket', () => process.stderr.write('opened a connection\n'));
