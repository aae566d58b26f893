import { fileURLToPath } from 'node:url';

/**
 * The path of a plugin that does nothing; undefined in projects of tests that run gateways without a plugin.
 */
export const EMPTY_PLUGIN =
  process.env['EMPTY_PLUGIN'] && fileURLToPath(new URL('empty-plugin.mjs', import.meta.url));
