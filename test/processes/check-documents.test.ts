/** `npm run documents:check`: the check of an app's pipeline before a schema or a document is shipped. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { openFolder } from '../support/folder.ts';
import { buildScript } from '../support/gateway-build.ts';
import { ROOT } from '../support/pages.ts';

const run = promisify(execFile);

const PAGE =
  'query Screen($id: ID!, $first: Int = 3) { page(pageId: $id) { audiences(first: $first) { nodes { person { name } } } } }';
const ID = createHash('sha256').update(PAGE).digest('hex');

/** The exit code of the command, and its lines. */
async function check(...args: string[]): Promise<{ code: number; lines: readonly string[] }> {
  const command = [await buildScript('check-documents'), ...args];
  try {
    const { stdout } = await run(process.execPath, command, { cwd: ROOT });
    return { code: 0, lines: stdout.trim().split('\n') };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, lines: `${stdout}${stderr}`.trim().split('\n') };
  }
}

describe('documents:check', { timeout: 60_000 }, () => {
  it('prints one call in one round trip in the singular', async () => {
    const { lines } = await check(
      openFolder({ 'ios-4.2.json': { one: '{ topics { totalCount } }' } }),
    );

    expect(lines[0]).toMatch(/: 1 call in 1 round trip, [0-9]/);
  });

  it('writes costs with --accept, and names the app, document and field when a cost rises', async () => {
    const folder = openFolder({ 'ios-4.2.json': { [ID]: PAGE } });
    const pricesFile = join(folder, 'ios-4.2.prices.json');
    const short = ID.slice(0, 12);

    expect(await check(folder)).toEqual({
      code: 1,
      lines: [
        `ios-4.2: Screen (${short}): 1 to 4 calls in 2 round trips, 1 to 12 values`,
        expect.stringMatching(/^ios-4\.2: Screen .*: cost: .*--accept/),
      ],
    });
    expect((await check(folder, '--accept')).code).toBe(0);
    expect((await check(folder)).code).toBe(0);
    const prices = JSON.parse(await readFile(pricesFile, 'utf8'));
    expect(prices[`Screen ${ID}`]).toEqual({
      document: 'Screen',
      calls: { least: 1, most: 4 },
      rounds: 2,
      values: { least: 1, most: 12 },
      routes: {
        'GET /v0/pages/{page_id}/audiences': 1,
        'GET /v0/persons/{person_id}': 3,
      },
    });

    prices[`Screen ${ID}`].routes['GET /v0/persons/{person_id}'] = 1;
    prices[`Screen ${ID}`].calls.most = 2;
    await writeFile(pricesFile, JSON.stringify(prices));

    const { code, lines } = await check(folder);
    expect(code).toBe(1);
    expect(lines).toContain(
      `ios-4.2: Screen (${short}): page.audiences.person: Calls of GET /v0/persons/{person_id} rose from 1 to 3.`,
    );
  });

  it('names a document that costs more than in the previous version of its app, in version order', async () => {
    const dearer = PAGE.replace('= 3', '= 5');
    const folder = openFolder({
      'ios-4.10.json': { dearer },
      'ios-4.9.json': { before: PAGE },
      'web-5.json': { other: PAGE },
    });

    const { lines } = await check(folder, '--accept');

    const rise =
      'ios-4.10: Screen (dearer): more expensive than in ios-4.9: page.audiences.person: Calls of';
    expect(lines).toContain(`${rise} GET /v0/persons/{person_id} rose from 3 to 5.`);
    expect(lines.filter((line) => /^(?:ios-4\.9|web-5):.*more expensive/.test(line))).toEqual([]);
    expect(lines).toContain('web-5: Screen (other): 1 to 4 calls in 2 round trips, 1 to 12 values');
  });

  it('names the app, document and field that the schema does not serve, and a document that does not parse', async () => {
    const folder = openFolder({
      'ios-4.2.json': {
        old: 'query Old($id: ID!) { page(pageId: $id) { audiences { nodes { colour } } } }',
        torn: 'query Torn {',
      },
    });

    const { code, lines } = await check(folder);

    expect(code).toBe(1);
    expect(lines).toEqual([
      'ios-4.2: Old (old): Audience.colour: Cannot query field "colour" on type "Audience".',
      'ios-4.2: document (torn): syntax: It cannot be parsed.',
    ]);
  });

  it('passes for the documents of this project', async () => {
    expect((await check('src/client/generated')).lines.at(-1)).toBe(
      '1 manifest: all documents are served.',
    );
  });
});
