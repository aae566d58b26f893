/**
 * Settings of the core, as they are bundled: their defaults, and the messages for wrong ones.
 *
 * Those of extensions are in test/extensions/.
 */
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import type * as Config from '../../src/app/config.ts';
import type * as Setting from '../../src/gateway/settings/setting.ts';
import { openFolder } from '../support/folder.ts';
import { buildScript } from '../support/gateway-build.ts';

// The types of what is built are those of the sources.
const { readConfig } = (await import(
  pathToFileURL(await buildScript('config')).href
)) as typeof Config;
const { ConfigError } = (await import(
  pathToFileURL(await buildScript('setting')).href
)) as typeof Setting;

const folder = openFolder();

let files = 0;
const fileWith = (text: string): string => {
  const file = join(folder, String(files++));
  writeFileSync(file, text);
  return file;
};

describe('the settings', () => {
  it('have the documented defaults', () => {
    const { extensions: _, ...core } = readConfig({});

    expect(core).toEqual({
      http: {
        host: '127.0.0.1',
        port: 4000,
        adminPort: undefined,
        socketPath: undefined,
        reusePort: false,
        basePath: '',
        allowedHosts: undefined,
        corsOrigins: [],
        maxBodyBytes: 100_000,
      },
      backend: {
        url: undefined,
        apiKey: undefined,
        routeSet: 'auto',
        timeoutMs: 3000,
        socketPath: undefined,
        ca: undefined,
        cert: undefined,
        key: undefined,
        httpProxy: '',
        httpsProxy: '',
        noProxy: '',
      },
      headers: { forward: [], expose: [] },
      limits: {
        requestTimeoutMs: 10_000,
        maxUpstreamCalls: 250,
        maxValues: 50_000,
        maxTextBytes: 2_000_000,
      },
      documents: { folder: undefined, only: false, cacheMaxAge: 0 },
      live: {
        pollMs: { least: 500, most: 5_000 },
        socketOperations: 'all',
        maxPerSocket: 100,
        maxPerKey: 2_500,
      },
      tools: { graphiql: true, introspection: 'on', explain: 'on' },
      process: {
        drainDelayMs: 500,
        shutdownTimeoutMs: 10_000,
        logLevel: 'info',
        logSlowMs: undefined,
        environment: '',
        plugins: undefined,
      },
      embedded: {
        databaseUrl: 'file:.data/backend.db',
        timestamps: 'document',
        routes: 'extended',
      },
      warnings: [],
    });
  });

  it.each([
    ['on', 'off'],
    ['true', 'false'],
  ])('accept %s and %s for every switch', (yes, no) => {
    const settings = (value: string) => {
      const { http, documents, tools } = readConfig({
        ...{ REUSE_PORT: value, GRAPHIQL: value, INTROSPECTION: value, EXPLAIN: value },
        ...{ TRUSTED_DOCUMENTS: folder, TRUSTED_DOCUMENTS_ONLY: value },
      });
      return [http.reusePort, documents.only, tools];
    };

    expect(settings(yes)).toEqual([
      ...[true, true],
      { graphiql: true, introspection: 'on', explain: 'on' },
    ]);
    expect(settings(no)).toEqual([
      ...[false, false],
      { graphiql: false, introspection: 'off', explain: 'off' },
    ]);
  });

  it('are trimmed of whitespace and newlines, also when read from a file', () => {
    const env = {
      HOST: ' 127.0.0.7 ',
      PORT: '\t4001',
      GRAPHIQL: 'off\n',
      UPSTREAM_ROUTES: '  ',
      ...{
        UPSTREAM_URL: ' https://api.example.com ',
        UPSTREAM_API_KEY_FILE: ` ${fileWith(' k \r\n')} `,
      },
      HTTPS_PROXY: ' http://proxy:3128 ',
    };
    const { http, tools, backend } = readConfig(env);

    expect([http.host, http.port, tools.graphiql]).toEqual(['127.0.0.7', 4001, false]);
    expect([backend.routeSet, backend.url?.href]).toEqual(['auto', 'https://api.example.com/']);
    expect([backend.apiKey, backend.httpsProxy]).toEqual(['k', 'http://proxy:3128']);
  });

  it('warn about a network in NO_PROXY when a proxy is set', () => {
    const env = { UPSTREAM_URL: 'https://api.example.com', NO_PROXY: 'a.example,10.0.0.0/8' };

    expect(readConfig({ ...env, HTTPS_PROXY: 'http://proxy:3128' }).warnings).toEqual([
      'NO_PROXY: 10.0.0.0/8 has no effect, since only host names are matched. List the hosts instead.',
    ]);
    expect(readConfig(env).warnings).toEqual([]);
  });

  it('are frozen, treat an empty value as unset, and ignore unknown names', () => {
    const config = readConfig({ PORT: '', GATEWAY_COLOUR: 'green', UPSTREAM_COLOUR: 'blue' });

    expect(config.http.port).toBe(4000);
    expect(Object.isFrozen(config)).toBe(true);
  });

  it.each([
    ['PORTT', 'PORTT is not a setting. Did you mean PORT?'],
    ['UPSTREAM_APIKEY', 'UPSTREAM_APIKEY is not a setting. Did you mean UPSTREAM_API_KEY?'],
    ['CORS_ORIGIN', 'CORS_ORIGIN is not a setting. Did you mean CORS_ORIGINS?'],
    ['log_level', 'log_level is not a setting. Did you mean LOG_LEVEL?'],
    ['UPSTREAM_COLOUR', 'UPSTREAM_COLOUR is not a setting and has no effect.'],
    ['BACKEND_DB', 'BACKEND_DB is not a setting and has no effect.'],
  ])('warn about the unknown name %s', (name, warning) => {
    expect(readConfig({ [name]: 'x' }).warnings).toEqual([warning]);
  });

  it('reject a misspelt name with NODE_ENV=production', () => {
    const read = () => readConfig({ NODE_ENV: 'production', UPSTREAM_ULR: 'https://a.example' });

    expect(read).toThrow(ConfigError);
    expect(read).toThrow(
      /^UPSTREAM_ULR is not a setting\. Did you mean UPSTREAM_URL\? Correct or /,
    );
  });

  it.each([
    [
      { http_proxy: 'http://proxy:3128' },
      ['http_proxy is not a setting. Did you mean HTTP_PROXY?'],
    ],
    [{ PORT: '4001', PORT0: '4001' }, ['PORT0 is not a setting. Did you mean PORT?']],
    [{ UPSTREAM_COLOUR: 'blue' }, ['UPSTREAM_COLOUR is not a setting and has no effect.']],
    [{ PORTT: ' ' }, []],
  ])('only warn about %o with NODE_ENV=production', (env, warnings) => {
    expect(readConfig({ NODE_ENV: 'production', ...env }).warnings).toEqual(warnings);
  });

  it('do not warn about variables set by a shell or Kubernetes', () => {
    const env = {
      PATH: '/bin',
      HOME: '/',
      HOSTNAME: 'x',
      POST: '1',
      LANG: 'C',
      BACKEND_SERVICE_HOST: '10.0.0.1',
      BACKEND_SERVICE_PORT_HTTP: '80',
      BACKEND_PORT: 'tcp://10.0.0.1:80',
      BACKEND_PORT_80_TCP_ADDR: '10.0.0.1',
    };

    expect(readConfig(env).warnings).toEqual([]);
  });

  it.each<[env: Record<string, string>, hosts: readonly string[] | undefined]>([
    [{}, undefined],
    [{ UPSTREAM_API_KEY: 'k' }, ['localhost', '127.0.0.1', '[::1]']],
    [{ UPSTREAM_API_KEY: 'k', HOST: '::1' }, ['localhost', '127.0.0.1', '[::1]', '::1']],
    [
      { UPSTREAM_API_KEY: 'k', HOST: '127.0.0.7' },
      ['localhost', '127.0.0.1', '[::1]', '127.0.0.7'],
    ],
    [
      { UPSTREAM_API_KEY: 'k', HOST: 'LocalHost' },
      ['localhost', '127.0.0.1', '[::1]', 'LocalHost'],
    ],
    [
      { UPSTREAM_API_KEY: 'k', HOST: '0:0:0:0:0:0:0:1' },
      ['localhost', '127.0.0.1', '[::1]', '0:0:0:0:0:0:0:1'],
    ],
    [{ UPSTREAM_API_KEY: 'k', HOST: '0.0.0.0' }, undefined],
    [{ ALLOWED_HOSTS: 'A.example, [0:0:0:0:0:0:0:1]' }, ['a.example', '[::1]']],
  ])('with %o allow the hosts %o', (env, hosts) => {
    expect(readConfig(env).http.allowedHosts).toEqual(hosts);
  });

  it('reject REUSE_PORT together with UNIX_SOCKET', () => {
    expect(() => readConfig({ UNIX_SOCKET: '/run/gateway.sock', REUSE_PORT: 'on' })).toThrow(
      /^UNIX_SOCKET and REUSE_PORT are both set, .* Remove REUSE_PORT/,
    );
  });

  it('reject the same number for PORT and ADMIN_PORT, except 0', () => {
    expect(() => readConfig({ PORT: '4001', ADMIN_PORT: '4001' })).toThrow(
      'ADMIN_PORT must differ from PORT (4001).',
    );
    expect(readConfig({ PORT: '0', ADMIN_PORT: '0' }).http.adminPort).toBe(0);
  });

  it.each([
    ['https://api.example.com', '', 'https://api.example.com'],
    ['https://api.example.com/', '/', 'https://api.example.com'],
    ['http://10.0.0.1:8080/content/api/', '/content/api/', 'http://10.0.0.1:8080'],
  ])('accept %s as a base URL', (value, pathname, origin) => {
    const { url } = readConfig({ UPSTREAM_URL: value }).backend;

    expect(url?.origin).toBe(origin);
    expect(url?.pathname).toBe(pathname || '/');
  });

  it('accept header names in any case, remove duplicates, and reject more than 16', () => {
    const forwardedBy = (names: string) => readConfig({ FORWARD_HEADERS: names }).headers.forward;

    expect(forwardedBy('Authorization, accept-language,authorization')).toEqual([
      'authorization',
      'accept-language',
    ]);
    const many = Array.from({ length: 17 }, (_, i) => `x-${i}`);
    expect(forwardedBy(many.slice(1).join())).toHaveLength(16);
    expect(() => forwardedBy(many.join())).toThrow(ConfigError);
  });

  it('split origins at commas', () => {
    const { corsOrigins } = readConfig({
      CORS_ORIGINS: 'https://a.example, http://b.example:3000',
    }).http;

    expect(corsOrigins).toEqual(['https://a.example', 'http://b.example:3000']);
  });

  it.each(['capacitor://localhost', 'ionic://localhost', 'chrome-extension://abcdefghijklmnop'])(
    'accept the origin %s of an app or an extension',
    (origin) => {
      expect(readConfig({ CORS_ORIGINS: origin }).http.corsOrigins).toEqual([origin]);
    },
  );

  it('accept the default of PORT as ADMIN_PORT when UNIX_SOCKET is set', () => {
    const { adminPort } = readConfig({ UNIX_SOCKET: '/run/gateway.sock', ADMIN_PORT: '4000' }).http;

    expect(adminPort).toBe(4000);
  });

  it.each([
    ['PORT', 'abc', 'PORT must be a whole number from 0 to 65535; got "abc".'],
    ['PORT', '65536', 'PORT must be a whole number from 0 to 65535; got "65536".'],
    ['PORT', '-1', 'PORT must be a whole number from 0 to 65535; got "-1".'],
    ['PORT', '4e3', 'PORT must be a whole number from 0 to 65535; got "4e3".'],
    [
      'NODE_ENV',
      '"production"',
      /^NODE_ENV must be a string without quotes, .*; got "\\"production\\""\.$/,
    ],
    ['NO_PROXY', "'a.example'", /^NO_PROXY must be a string without quotes/],
    ['ADMIN_PORT', 'x', 'ADMIN_PORT must be a whole number from 0 to 65535; got "x".'],
    [
      'ADMIN_PORT',
      'tcp://10.0.0.1:80',
      /^ADMIN_PORT must be .*; got "tcp:.*"\. Kubernetes sets it for a Service named "admin"\. Set enableServiceLinks: false in the pod, or rename the Service\.$/,
    ],
    ['INTROSPECTION', 'yes', 'INTROSPECTION must be "on", "keys" or "off"; got "yes".'],
    ['EXPLAIN', 'yes', 'EXPLAIN must be "on", "keys" or "off"; got "yes".'],
    [
      'ALLOWED_HOSTS',
      'a.example:80',
      /^ALLOWED_HOSTS must be comma-separated host names in full, without ports/,
    ],
    [
      'ALLOWED_HOSTS',
      'http://a.example',
      /^ALLOWED_HOSTS must be comma-separated host names in full, without ports/,
    ],
    ['MAX_RESULT_VALUES', '1', /^MAX_RESULT_VALUES must be a whole number from 1000 to/],
    ['MAX_RESULT_BYTES', 'x', /^MAX_RESULT_BYTES must be a whole number from 10000 to/],
    ['DRAIN_DELAY_MS', '-1', /^DRAIN_DELAY_MS must be a whole number from 0 to/],
    [
      'FORWARD_HEADERS',
      'a b',
      /^FORWARD_HEADERS must be at most 16 comma-separated header names, such as/,
    ],
    [
      'FORWARD_HEADERS',
      'a,',
      /^FORWARD_HEADERS must be at most 16 comma-separated header names, such as/,
    ],
    ...Array.from(
      [
        ...['host', 'Content-Length', 'connection', 'transfer-encoding', 'X-API-Key', 'expect'],
        ...['accept', 'content-type', 'if-none-match', 'x-request-id', 'traceparent', 'te'],
      ],
      (name): [string, string, RegExp] => [
        'FORWARD_HEADERS',
        `authorization, ${name}`,
        new RegExp(`^FORWARD_HEADERS must not contain ${name.toLowerCase()}: .*\\. Remove it\\.$`),
      ],
    ),
    ...Array.from(
      [
        ...['Set-Cookie', 'connection', 'Transfer-Encoding', 'content-length', 'content-type'],
        ...['content-encoding', 'x-request-id', 'ETag', 'cache-control', 'vary', 'x-api-key'],
        ...['access-control-allow-origin', 'x-accel-redirect', 'server-timing', 'location'],
      ],
      (name): [string, string, RegExp] => [
        'EXPOSE_HEADERS',
        `x-region, ${name}`,
        new RegExp(`^EXPOSE_HEADERS must not contain ${name.toLowerCase()}: .*\\. Remove it\\.$`),
      ],
    ),
    [
      'BASE_PATH',
      'content',
      /^BASE_PATH must be a path such as \/content, which begins but does not end/,
    ],
    ['BASE_PATH', '/content/', /^BASE_PATH must be a path/],
    ['BASE_PATH', '/content/../graphs', /^BASE_PATH must be a path .* no "\." or "\.\." segments/],
    ['UNIX_SOCKET', 'gateway.sock', /^UNIX_SOCKET must be an absolute path/],
    ['UPSTREAM_UNIX_SOCKET', 'backend.sock', /^UPSTREAM_UNIX_SOCKET must be an absolute path/],
    ['UPSTREAM_UNIX_SOCKET', '/run/backend.sock', /^UPSTREAM_UNIX_SOCKET needs UPSTREAM_URL for/],
    ['HOST', 'a b', 'HOST must be a host name or an IP address, without brackets; got "a b".'],
    ['GRAPHIQL', 'yes', 'GRAPHIQL must be "on" or "off"; got "yes".'],
    [
      'UPSTREAM_ROUTES',
      'all',
      'UPSTREAM_ROUTES must be "auto", "document" or "extended"; got "all".',
    ],
    ['LOG_LEVEL', 'loud', /^LOG_LEVEL must be "trace", .* or "silent"; got "loud"\.$/],
    ['BACKEND_TIMESTAMPS', 'unix', 'BACKEND_TIMESTAMPS must be "document" or "iso"; got "unix".'],
    ['BACKEND_DATABASE_URL', 'backend.db', /^BACKEND_DATABASE_URL must be a libSQL URL: file:…/],
    ['CORS_ORIGINS', '*', /^CORS_ORIGINS must be comma-separated origins .*; got "\*"\.$/],
    ['CORS_ORIGINS', 'https://a.example/', /^CORS_ORIGINS must be comma-separated origins/],
    [
      'CORS_ORIGINS',
      'https://*.example.com',
      /^CORS_ORIGINS must be comma-separated origins in full, without "\*"/,
    ],
    ['CORS_ORIGINS', 'capacitor://localhost/app', /^CORS_ORIGINS must be comma-separated origins/],
    ['CORS_ORIGINS', 'a.example:3000', /^CORS_ORIGINS must be comma-separated origins/],
    ['CORS_ORIGINS', 'file://', /^CORS_ORIGINS must be comma-separated origins/],
    ['CORS_ORIGINS', 'null', /^CORS_ORIGINS must be comma-separated origins/],
    [
      'ALLOWED_HOSTS',
      '*.example.com',
      /^ALLOWED_HOSTS must be comma-separated host names in full, without ports/,
    ],
    [
      'HOST',
      '127.0.0.1:4000',
      'HOST must be a host name or an IP address, without brackets; got "127.0.0.1:4000".',
    ],
    ['HOST', '[::1]', 'HOST must be a host name or an IP address, without brackets; got "[::1]".'],
    ['UNIX_SOCKET', `/${'ü'.repeat(60)}`, /^UNIX_SOCKET must be an absolute path of at most 103 b/],
    ['UPSTREAM_URL', 'api.example.com', /^UPSTREAM_URL must be an absolute http or https URL/],
    ['UPSTREAM_URL', 'ftp://api.example.com', /^UPSTREAM_URL must be/],
    ['UPSTREAM_URL', 'https://api.example.com/v0', /an .* URL without "\/v0".*; got "https/],
    ['UPSTREAM_URL', 'https://api.example.com/v0/', /without "\/v0"/],
    ['UPSTREAM_URL', 'https://api.example.com/?a=b', /, user, query or fragment/],
  ])('reject %s=%s with one line that states the allowed values', (name, value, message) => {
    const read = () => readConfig({ [name]: value });

    expect(read).toThrow(ConfigError);
    expect(read).toThrow(message);
    expect(read).not.toThrow('\n');
  });

  it.each([
    [{ REQUEST_TIMEOUT_MS: '3000' }, '\\(3000\\), got 3000. Otherwise the circuit never opens'],
    [{ UPSTREAM_TIMEOUT_MS: '10000' }, '\\(10000\\), got 10000.'],
    [{ UPSTREAM_TIMEOUT_MS: '500', REQUEST_TIMEOUT_MS: '400' }, '\\(500\\), got 400.'],
  ])(
    'reject a request timeout that does not exceed the timeout of one attempt: %o',
    (env, message) => {
      expect(() => readConfig(env)).toThrow(ConfigError);
      expect(() => readConfig(env)).toThrow(
        new RegExp(`^REQUEST_TIMEOUT_MS must be greater than UPSTREAM_TIMEOUT_MS ${message}`),
      );
    },
  );

  it('reject a proxy that is not an http URL when UPSTREAM_URL is set, without exposing its secret', () => {
    for (const HTTPS_PROXY of [
      'socks5://me:hunter2@proxy',
      'http://me:hunter2%zz@proxy:3128',
      'http://me:hunter2@proxy:3128/x',
    ]) {
      const read = () => readConfig({ HTTPS_PROXY, UPSTREAM_URL: 'https://api.example.com' });

      expect(read).toThrow(
        /^HTTPS_PROXY must be an http or https URL without a path, such as http:\/\/proxy/,
      );
      expect(read).not.toThrow('hunter2');
      expect(readConfig({ HTTPS_PROXY }).backend.url).toBeUndefined();
    }
  });

  it('accept a request timeout one millisecond above the timeout of one attempt', () => {
    const config = readConfig({ UPSTREAM_TIMEOUT_MS: '500', REQUEST_TIMEOUT_MS: '501' });

    expect([config.backend.timeoutMs, config.limits.requestTimeoutMs]).toEqual([500, 501]);
  });

  it.each(['UPSTREAM_API_KEY', 'BACKEND_DATABASE_URL'])('read %s from a file', (name) => {
    const read = (value: string) => {
      const { backend, embedded } = readConfig({ [`${name}_FILE`]: fileWith(value) });
      return name === 'UPSTREAM_API_KEY' ? backend.apiKey : embedded.databaseUrl;
    };

    for (const end of ['', '\n', '\r\n', ' \n'])
      expect(read(`file:secret${end}`)).toBe('file:secret');
  });

  it.each<[what: string, env: Record<string, string>, message: RegExp]>([
    [
      'a key that is set twice',
      { UPSTREAM_API_KEY: 'hunter2', UPSTREAM_API_KEY_FILE: fileWith('hunter2') },
      /^UPSTREAM_API_KEY and UPSTREAM_API_KEY_FILE are both set\. Remove one/,
    ],
    [
      'a missing file',
      { UPSTREAM_API_KEY_FILE: '/nowhere/key' },
      /^UPSTREAM_API_KEY_FILE must be the path of a file that contains 1 to 1024 visible ASCII characters; "\/nowhere\/key" cannot be read \(ENOENT\)\.$/,
    ],
    [
      'a folder',
      { UPSTREAM_API_KEY_FILE: tmpdir() },
      /^UPSTREAM_API_KEY_FILE must be the path of a file .* cannot be read \(EISDIR\)\.$/,
    ],
    [
      'an empty file',
      { UPSTREAM_API_KEY_FILE: fileWith('\n') },
      /^UPSTREAM_API_KEY_FILE .* is empty\.$/,
    ],
    [
      'a file of two lines',
      { UPSTREAM_API_KEY_FILE: fileWith('hunter2\nhunter2\n') },
      /^UPSTREAM_API_KEY_FILE .* characters; its content is not shown\.$/,
    ],
    [
      'a file with a malformed value',
      { BACKEND_DATABASE_URL_FILE: fileWith('mysql://me:hunter2@db') },
      /^BACKEND_DATABASE_URL_FILE .* a libSQL URL: .*; its content is not shown\.$/,
    ],
    [
      'a key where the name of its file belongs',
      { UPSTREAM_API_KEY_FILE: 'hunter2' },
      /^UPSTREAM_API_KEY_FILE .*; its value, which is not shown, cannot be read \(ENOENT\)\.$/,
    ],
  ])('reject %s with one line, without exposing its secret', (_what, env, message) => {
    const read = () => readConfig(env);

    expect(read).toThrow(ConfigError);
    expect(read).toThrow(message);
    expect(read).not.toThrow('\n');
    expect(read).not.toThrow('hunter2');
  });

  it.each([
    ['UPSTREAM_API_KEY', 'hunter 2', 'hunter'],
    ['UPSTREAM_API_KEY', 'schlüssel', 'schl'],
    ['UPSTREAM_URL', 'https://me:hunter2@api.example.com', 'hunter2'],
    ['BACKEND_DATABASE_URL', 'mysql://me:hunter2@db/x?authToken=hunter2', 'hunter2'],
    ['UPSTREAM_KEY_FILE', '-----BEGIN PRIVATE KEY-----\nhunter2', 'hunter2'],
  ])('never expose the secret in an invalid %s', (name, value, secret) => {
    const read = () => readConfig({ [name]: value });

    expect(read).toThrow(ConfigError);
    expect(read).not.toThrow(secret);
  });
});
