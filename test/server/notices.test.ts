/**
 * What is bundled comes with its licence.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { buildGateway } from '../support/gateway-build.ts';

it('names every bundled package in NOTICES.txt, with its licence and the text of it', async () => {
  const folder = dirname(await buildGateway());
  const notices = readFileSync(join(folder, 'NOTICES.txt'), 'utf8');

  const packages = notices.split(`\n\n${'-'.repeat(80)}\n\n`);

  for (const name of ['graphql', 'graphql-yoga', 'undici', 'zod', 'pino', 'hono', '@pothos/core']) {
    const own = packages.filter((text) => text.startsWith(`${name} `));
    expect(own, name).toHaveLength(1);
    expect(own[0]).toMatch(/^\S+ \d+\.\d+\.\d+\S* \((?:MIT|ISC)\)/);
  }
  // Some packages name their licence in package.json and ship no text of it.
  for (const text of packages) expect(text).toMatch(/^\S+ \d+\.\d+\.\d+\S* \((?!undefined)[^)]+\)/);
});
