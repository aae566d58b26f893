import { fileURLToPath } from 'node:url';

/**
 * A plugin of an operator's that does nothing; undefined where the project of the test runs gateways without one.
 */
export const EMPTY_PLUGIN =
  process.env['EMPTY_PLUGIN'] && fileURLToPath(new URL('empty-plugin.mjs', import.meta.url));
