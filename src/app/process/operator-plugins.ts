/**
 * Operators' plugins: a module whose default export is a list of Yoga or Envelop plugins, or a function that returns
 * one.
 */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { OperatorError } from '../../lib/operator-error.ts';
import type { GatewayPlugin } from '../../gateway/yoga/gateway-plugin.ts';

/**
 * @param path of the module, from the working directory; undefined for none.
 * @param config argument of an exported function.
 * @throws {OperatorError} if it cannot be loaded, or exports something else. Plugins that fail at start throw it too.
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
    throw new OperatorError(`PLUGINS: cannot load ${path}: ${firstLineOf(cause)}`, { cause });
  }
  if (!Array.isArray(exported) || !exported.every(isPlugin)) {
    throw new OperatorError(
      `PLUGINS: the default export of ${path} must be an array of plugins, or a function that returns one.`,
    );
  }
  return exported.map((plugin) => withNamedFailures(plugin, path));
}

/** Hooks that are called before there is an operation. */
const AT_START = ['onPluginInit', 'onYogaInit', 'onSchemaChange'] as const;

/** Wraps a plugin so that failures of its start hooks name the file. */
function withNamedFailures(plugin: GatewayPlugin, path: string): GatewayPlugin {
  if (!AT_START.some((name) => plugin[name])) return plugin;
  // Inherits other hooks, since a plugin may be an instance of a class.
  const own = Object.create(plugin) as Record<string, unknown>;
  for (const name of AT_START) {
    const hook = plugin[name] as ((payload: never) => unknown) | undefined;
    if (!hook) continue;
    own[name] = (payload: never): unknown => {
      try {
        return hook.call(own, payload);
      } catch (cause) {
        throw new OperatorError(`PLUGINS: ${path} failed in ${name}: ${firstLineOf(cause)}`, {
          cause,
        });
      }
    };
  }
  return own;
}

const firstLineOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n', 1)[0]!;

/** Any object: Yoga and Envelop check its hooks. */
const isPlugin = (value: unknown): value is GatewayPlugin =>
  typeof value === 'object' && value !== null;
