/**
 * Prints how many bytes of the old generation an HTTP request and its response leave behind before a full collection of
 * V8. It runs in its own process, because objects of other tests would count as well.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { schema } from '../../src/app/schema.ts';
import { createGateway } from '../../src/gateway/gateway.ts';
import { openHttpServer } from '../../src/gateway/http/http-server.ts';
import { oldBytes, openManualUpstream, promote } from '../support/manual-upstream.ts';
import { DEFAULTS } from '../support/settings.ts';

const MEASURED = 2_000;

const http = { ...DEFAULTS.http, host: '127.0.0.1', port: 0 };
const { upstream } = openManualUpstream();
const gateway = createGateway({ ...DEFAULTS, http, schema, upstream, extensions: [] });
const { port } = await openHttpServer(gateway, http);
const socket = connect(port, '127.0.0.1');
const request = [
  'GET /graphql?query={__typename} HTTP/1.1',
  'host: 127.0.0.1',
  'accept: application/json',
  '\r\n',
].join('\r\n');

async function requests(number: number): Promise<void> {
  for (let i = 0; i < number; i++) {
    socket.write(request);
    await once(socket, 'data');
    if (i % 100 === 0) promote();
  }
}

await requests(1_000);
const before = oldBytes();
await requests(MEASURED);
process.stdout.write(String((oldBytes() - before) / MEASURED), () => process.exit());
