/** A backend in its own process, for tests that kill it: takes a database URL, prints its address. */
import { openBackend } from '../../src/backend/backend.ts';
import { readConfig } from '../../src/app/config.ts';

const { url } = await openBackend({
  ...readConfig({}).embedded,
  ...{ databaseUrl: process.argv[2] ?? '', publishDelayMs: 20 },
});
console.log(url);
