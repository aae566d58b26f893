/** `npm run schema:check`: a changelog of the schema since a commit. */
import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openFolder } from '../support/folder.ts';
import { buildScript } from '../support/gateway-build.ts';

const DOCUMENT = 'query A { name }';
const ID = createHash('sha256').update(DOCUMENT).digest('hex');

/** A repository with one schema on `main` and another on the branch `work`. */
function openRepository(old: string, now: string) {
  const folder = openFolder();
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, stdio: 'pipe' });
  const write = (schema: string) => writeFileSync(join(folder, 'schema.graphql'), schema);
  const commit = () =>
    git('-c', 'user.name=t', '-c', 'user.email=t@localhost', 'commit', '-qam', 'change');
  write(old);
  writeFileSync(join(folder, 'shop-1.0.json'), JSON.stringify({ [ID]: DOCUMENT }));
  git('init', '-q', '-b', 'main');
  git('add', '.');
  commit();
  git('checkout', '-q', '-b', 'work');
  write(now);
  commit();
  const check = async (...args: string[]) => {
    const script = await buildScript('check-schema');
    return new Promise<{ code: number; text: string }>((resolve) => {
      execFile(process.execPath, [script, '.', ...args], { cwd: folder }, (error, out, err) =>
        resolve({ code: typeof error?.code === 'number' ? error.code : 0, text: out + err }),
      );
    });
  };
  return { git, check };
}

describe('schema:check', { timeout: 60_000 }, () => {
  it('prints changes by the criticality of GraphQL Inspector, names the documents that are no longer served, and fails', async () => {
    const { check, git } = openRepository(
      'type Query { name: String other: Int }',
      'type Query { title: String other: Int }',
    );

    const { code, text } = await check();

    expect(code).toBe(1);
    expect(text).toBe(
      [
        'schema.graphql since main:',
        ...['', 'Breaking:', "- Field 'name' was removed from object type 'Query'"],
        ...['', 'Safe:', "- Field 'title' was added to object type 'Query'"],
        ...['', 'No longer served:'],
        ...[`- shop-1.0: A (${ID.slice(0, 12)}): Cannot query field "name" on type "Query".`, ''],
      ].join('\n'),
    );

    // On main itself it compares with the commit before.
    git('checkout', '-q', '-B', 'main');
    expect((await check()).text).toContain('schema.graphql since main^ (main is checked out):\n');
  });

  it('passes when no document uses a breaking change', async () => {
    const { check } = openRepository(
      'type Query { name: String other: Int }',
      'type Query { name: String }',
    );

    const { code, text } = await check('--base=main');

    expect([code, text]).toEqual([0, expect.stringContaining("- Field 'other' was removed")]);
  });

  it('does not count documents that were not served before', async () => {
    const { check } = openRepository('type Query { other: Int }', 'type Query { other: Float }');

    const { code, text } = await check();

    expect(code).toBe(0);
    expect(text).toContain("- Field 'Query.other' changed type from 'Int' to 'Float'");
  });

  it('explains an unknown base commit', async () => {
    const { check } = openRepository('type Query { name: String }', 'type Query { id: ID }');

    expect(await check('--base=nowhere')).toEqual({
      code: 1,
      text: expect.stringMatching(/\bnowhere\b.*--base=.*\n$/),
    });
  });
});
