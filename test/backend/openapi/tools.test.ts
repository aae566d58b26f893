/**
 * The OpenAPI document in real tools: linters with their recommended rules, and a mock server behind the gateway. They
 * are installed by `npm ci` in this folder, apart from the product; otherwise these tests are skipped.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { BackendOptions } from '../../../src/backend/backend.ts';
import { afterFile } from '../../support/after-file.ts';
import { openFolder } from '../../support/folder.ts';
import { freePort } from '../../support/free-port.ts';
import { openGateway } from '../../support/open-gateway.ts';
import { packagesOf } from '../../support/packages.ts';
import { readPages } from '../../support/pages.ts';
import { until } from '../../support/until.ts';
import { openTestBackend } from '../support.ts';

const packages = packagesOf(import.meta.url);

/** The file of a package's command. */
const commandOf = (name: string, file: string): string =>
  join(dirname(packages!.resolve(`${name}/package.json`)), file);

/** Saves the document, as a user of the tools does. */
async function save(options: Partial<BackendOptions> = {}): Promise<string> {
  const { call } = await openTestBackend(options);
  const { body } = await call('/v0/openapi.json', { key: null });
  return openFolder({
    'openapi.json': JSON.stringify(body),
    '.spectral.yaml': 'extends: ["spectral:oas"]\n',
  });
}

const run = async (command: string, args: readonly string[], cwd: string): Promise<string> => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [command, ...args], {
    cwd,
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  });
  return stdout + stderr;
};

describe.runIf(packages)('the OpenAPI document', { timeout: 120_000 }, () => {
  it.each(['document', 'iso'] as const)(
    'passes the recommended rules of Redocly and Spectral without a warning, with %s timestamps',
    async (timestamps) => {
      const folder = await save({ timestamps });

      const [redocly, spectral] = await Promise.all([
        run(commandOf('@redocly/cli', 'bin/cli.js'), ['lint', 'openapi.json'], folder),
        run(
          commandOf('@stoplight/spectral-cli', 'dist/index.js'),
          ['lint', '--fail-severity=hint', 'openapi.json'],
          folder,
        ),
      ]);

      expect(redocly).toContain('Your API description is valid');
      expect(redocly).not.toMatch(/\d+ warning/);
      expect(spectral).toContain('No results with a severity');
    },
  );

  it('is mocked by Prism, whose responses the gateway accepts: README’s query, and a field of each list', async () => {
    const folder = await save();
    const port = await freePort();
    const prism = spawn(
      process.execPath,
      [
        commandOf('@stoplight/prism-cli', 'dist/index.js'),
        ...['mock', 'openapi.json', '--host', '127.0.0.1', '--port', String(port)],
      ],
      { cwd: folder, stdio: 'ignore' },
    );
    afterFile(async () => {
      const ended = prism.exitCode === null ? once(prism, 'exit') : undefined;
      prism.kill('SIGKILL');
      await ended;
    });
    const url = new URL(`http://127.0.0.1:${port}`);
    const isReady = () => fetch(new URL('/v0/topics', url)).then(({ status }) => status === 401);
    await until(isReady, 40_000);
    const gateway = await openGateway({ backend: url });

    const readme = await gateway.ask(queryOfReadme());
    const lists = await gateway.ask(`{
      topics { nodes { title createdAt entries { nodes { content { type content } } } } }
      persons { nodes { name email createdAt logs { nodes { source payload deletedAt } } } }
      accounts { nodes { domain latestActivityAt activity { nodes { type createdAt } } } }
      page(pageId: "page_northwind") {
        status archivedAt links { nodes { path createdAt target { targetType } } }
        audiences { nodes { status versions { nodes { status queuedAt publishedAt } } } }
      }
      searchPages(query: "n") { name pageType }
    }`);

    expect(readme.errors).toEqual([]);
    expect(readme.data).toEqual({
      page: {
        name: 'Northwind launch',
        audiences: {
          totalCount: 1,
          nodes: [
            {
              effectiveName: 'For Ada Lindqvistova',
              latestVersion: { versionNumber: 2, status: 'draft' },
              person: {
                name: 'Ada Lindqvistova',
                email: 'ada-lindqvistova@harborlight-logistics.example',
              },
            },
          ],
        },
      },
    });
    expect(lists.errors).toEqual([]);
    expect(lists.data.topics.nodes[0].createdAt).toBe('2026-09-21T14:13:20.000Z');
  });
});

/** The query of README's quick start. */
function queryOfReadme(): string {
  const readme = readPages().find(({ file }) => file === 'README.md')!;
  const [, text] = /"query": ("\{ page\(.*")$/m.exec(
    readme.blocks.map((block) => block.text).join('\n'),
  )!;
  return JSON.parse(text!) as string;
}
