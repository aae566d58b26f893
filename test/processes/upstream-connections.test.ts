/** Settings of connections to the backend, in a process: certificates made by openssl, a proxy, a unix socket. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import { routes } from '../../src/v0/routes.ts';
import { linesOf } from '../support/open-log.ts';
import { openFolder } from '../support/folder.ts';
import { openConnectProxy } from '../support/connect-proxy.ts';
import { startGateway, startProcess } from '../support/gateway-process.ts';
import { sampleOf } from '../support/world.ts';

const hasOpenssl = spawnSync('openssl', ['version']).status === 0;
if (!hasOpenssl)
  process.stderr.write('openssl is not installed: tests of certificates are skipped.\n');

const folder = openFolder();
const file = (name: string): string => join(folder, name);

const QUERY = '{ person(personId: "p") { name } }';
const person = sampleOf(routes.getPerson, { person_id: 'p' });

/** Responds with the person, and with the caller's certificate as the name. */
const answer: RequestListener = ({ socket }, response) => {
  const { authorized, getPeerCertificate } = socket as Partial<TLSSocket>;
  const name = authorized ? getPeerCertificate?.call(socket as TLSSocket).subject.CN : 'nobody';
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ ...person, name }));
};

async function listen(server: Server, where: object): Promise<number> {
  await new Promise<void>((resolve) => server.listen(where, resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

describe.runIf(hasOpenssl)('a backend with TLS', () => {
  /** A key, and a certificate of it by our own authority. */
  function certify(name: string, ...extensions: string[]): void {
    const run = (...args: string[]) => execFileSync('openssl', args, { stdio: 'pipe' });
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
    const by = name === 'ca' ? [] : ['-CA', file('ca.pem'), '-CAkey', file('ca.key')];
    run(
      ...['req', '-x509', ...key, '-keyout', file(`${name}.key`), '-out', file(`${name}.pem`)],
      ...['-days', '2', '-subj', `/CN=${name}`, ...by],
      ...extensions.flatMap((extension) => ['-addext', extension]),
    );
  }

  async function open(): Promise<number> {
    certify('ca');
    certify('server', 'subjectAltName=DNS:localhost,DNS:backend.test', 'basicConstraints=CA:FALSE');
    certify('gateway', 'basicConstraints=CA:FALSE');
    const [ca, cert, key] = ['ca.pem', 'server.pem', 'server.key'].map((name) =>
      readFileSync(file(name)),
    );
    return listen(
      createTlsServer({ ca, cert, key, requestCert: true, rejectUnauthorized: false }, answer),
      {
        port: 0,
        host: 'localhost',
      },
    );
  }

  it('is trusted by UPSTREAM_CA_FILE, gets the certificate of UPSTREAM_CERT_FILE, and is reached through HTTPS_PROXY', async () => {
    const port = await open();
    const proxy = await openConnectProxy(port);
    const url = `https://localhost:${port}`;
    const trusting = { UPSTREAM_URL: url, UPSTREAM_CA_FILE: file('ca.pem') };
    const known = {
      ...trusting,
      UPSTREAM_CERT_FILE: file('gateway.pem'),
      UPSTREAM_KEY_FILE: file('gateway.key'),
    };
    const name = async (env: Record<string, string>) => {
      const gateway = await startGateway(env);
      const { data, codes } = await gateway.ask(QUERY);
      const { output } = gateway;
      await gateway.stop();
      return [
        ...codes,
        ...(data.person ? [data.person.name] : []),
        /Backend unavailable/.test(output),
      ];
    };

    expect(await name({ UPSTREAM_URL: url })).toEqual(['UPSTREAM_UNAVAILABLE', true]);
    expect(await name(trusting)).toEqual(['nobody', false]);
    expect(await name(known)).toEqual(['gateway', false]);
    expect(
      await name({ ...known, UPSTREAM_URL: 'https://backend.test', HTTPS_PROXY: proxy.url }),
    ).toEqual(['gateway', false]);
    expect(new Set(proxy.asked)).toEqual(new Set(['backend.test:443']));
  });

  it('requires readable files that match; otherwise the start fails with one line that names the settings', async () => {
    certify('ca');
    certify('gateway');
    writeFileSync(
      file('broken.pem'),
      '-----BEGIN CERTIFICATE-----\nno\n-----END CERTIFICATE-----\n',
    );
    const line = async (env: Record<string, string>) => {
      const started = startProcess({ UPSTREAM_URL: 'https://localhost:1', ...env });
      started.ready().catch(() => {});
      expect(await started.exit()).toBe(1);
      return started.stderr.trimEnd();
    };
    const cert = { UPSTREAM_CERT_FILE: file('gateway.pem') };

    expect(await line({ UPSTREAM_CA_FILE: file('none.pem') })).toMatch(
      new RegExp(`^UPSTREAM_CA_FILE .*PEM.*${JSON.stringify(file('none.pem'))}`),
    );
    expect(await line(cert)).toMatch(/^UPSTREAM_CERT_FILE .*UPSTREAM_KEY_FILE/);
    const other = await line({ ...cert, UPSTREAM_KEY_FILE: file('ca.key') });
    const broken = await line({ UPSTREAM_CA_FILE: file('broken.pem') });
    for (const said of [other, broken]) {
      expect(said).toMatch(/^UPSTREAM_CA_FILE, UPSTREAM_CERT_FILE and UPSTREAM_KEY_FILE /);
      expect(said).not.toContain('\n');
    }
  });
});

it('a backend on a unix socket is reached through UPSTREAM_UNIX_SOCKET', async () => {
  const socket = file('backend.sock');
  await listen(createHttpServer(answer), { path: socket });

  const gateway = await startGateway({
    UPSTREAM_URL: 'http://nowhere.test',
    UPSTREAM_UNIX_SOCKET: socket,
  });

  expect((await gateway.ask(QUERY)).data).toEqual({ person: { name: 'nobody' } });
  expect(linesOf(gateway.output).filter(({ level }) => level !== 'info')).toEqual([]);
});
