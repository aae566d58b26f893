/** Loaded into a gateway by tests: it reports each connection that the gateway opens. */
import { subscribe } from 'node:diagnostics_channel';
import { stderr } from 'node:process';

subscribe('net.client.socket', () => stderr.write('opened a connection\n'));
