/** Settings of MCP: which hosts may be named where agents are served. */
import { expect, it } from 'vitest';
import { readConfig } from '../../../src/app/config.ts';

const MCP_DOCUMENTS = 'test/support';

it('allows only loopback names when the gateway listens on loopback only', () => {
  expect(readConfig({ MCP_DOCUMENTS }).http.allowedHosts).toEqual([
    'localhost',
    '127.0.0.1',
    '[::1]',
  ]);
});

it('requires ALLOWED_HOSTS for MCP_DOCUMENTS with HOST 0.0.0.0, but not with UNIX_SOCKET', () => {
  const env = { MCP_DOCUMENTS, HOST: '0.0.0.0' };

  expect(() => readConfig(env)).toThrow(/^MCP_DOCUMENTS .*ALLOWED_HOSTS/);
  expect(readConfig({ ...env, ALLOWED_HOSTS: 'a.example' }).http.allowedHosts).toEqual([
    'a.example',
  ]);
  expect(
    readConfig({ ...env, UNIX_SOCKET: '/run/gateway.sock' }).http.allowedHosts,
  ).toBeUndefined();
});
