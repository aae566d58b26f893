/**
 * The operator's own plugins: a module whose default export is a list of Yoga or Envelop plugins, or a
 * function that answers one.
 */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { OperatorError } from '../lib/operator-error.ts';
import type { GatewayPlugin } from '../gateway/yoga/gateway-plugin.ts';

/** The module cannot be used. */
export class PluginsError extends OperatorError {
  override readonly name = 'PluginsError';
}

/**
 * @param path of the module, from the working directory; undefined for none.
 * @param config argument of an exported function.
 * @throws {PluginsError} when it cannot be loaded, or exports something else.
 */
export async function loadPlugins(
  path: string | undefined,
  config: unknown,
): Promise<GatewayPlugin[]> {
  if (path === undefined) return [];
  let exported: unknown;
  try {
    ({ default: exported } = (await import(pathToFileURL(resolve(path)).href)) as {
      readonly default?: unknown;
    });
    if (typeof exported === 'function') {
      exported = await (exported as (config: unknown) => unknown)(config);
    }
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new PluginsError(`PLUGINS: ${path} cannot be loaded: ${why.split('\n')[0]}`, { cause });
  }
  if (!Array.isArray(exported) || !exported.every(isPlugin)) {
    throw new PluginsError(
      `PLUGINS: the default export of ${path} must be a list of plugins, or a function that answers one.`,
    );
  }
  return exported;
}

/** Any object: Yoga and Envelop check its hooks. */
const isPlugin = (value: unknown): value is GatewayPlugin =>
  typeof value === 'object' && value !== null;
