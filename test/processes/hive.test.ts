/** Reports to GraphQL Hive of a gateway as it is started: nothing is loaded without a token, and a bad one is refused. */
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { openFolder } from '../support/folder.ts';
import { openHttp } from '../support/listen.ts';
import { buildGateway, loadedWith } from '../support/gateway-build.ts';
import { startGateway, startProcess } from '../support/gateway-process.ts';

it('loads nothing of them before there is a token', async () => {
  const main = await buildGateway();

  const loaded = [...loadedWith(main).values()].join('\n');
  const [, hive] = /import\("(\.\/hive[^"]*\.js)"\)/.exec(loaded)!;

  expect(loaded).not.toContain('x-usage-api-version');
  expect(await readFile(join(dirname(main), hive!), 'utf8')).toContain('x-usage-api-version');
});

it('sends the last one as it ends, with the token that a file holds', async () => {
  const got: string[] = [];
  const endpoint = await openHttp((request, response) => {
    void text(request).then((body) => {
      got.push(`${request.headers.authorization} ${request.url} ${body}`);
      response.end('{}');
    });
  });
  const folder = openFolder({ token: 'hvo1/secret-token\n' });
  const gateway = await startGateway({
    ...{ HIVE_TOKEN_FILE: join(folder, 'token'), HIVE_ENDPOINT: `${endpoint}/usage/org/api/live` },
    LOG_LEVEL: 'trace',
  });
  await gateway.ask('{ topics(first: 1) { nodes { title } } }', {
    headers: { 'x-api-key': 'demo' },
  });

  const code = await gateway.stop('SIGINT');

  expect(code).toBe(0);
  expect(got).toEqual([
    expect.stringMatching(/^Bearer hvo1\/secret-token \/usage\/org\/api\/live .*"Topic\.title"/),
  ]);
  expect(gateway.output).not.toContain('secret-token');
});

it.each([
  [{ HIVE_TOKEN: 'hvo1/secret-token' }, /HIVE_TOKEN is of several targets: set HIVE_ENDPOINT to /],
  [{ HIVE_TOKEN: 'secret token' }, /HIVE_TOKEN must be 1 to 4096 visible characters/],
  [
    { HIVE_TOKEN: 'a', HIVE_ENDPOINT: 'hive:80' },
    /HIVE_ENDPOINT must be an absolute http or https/,
  ],
])('does not start with %o, and says in one line what to write', async (env, line) => {
  const started = startProcess(env);

  expect(await started.exit()).toBe(1);
  expect(started.stderr.trim().split('\n')).toEqual([expect.stringMatching(line)]);
  expect(started.stderr).not.toContain('secret');
});
