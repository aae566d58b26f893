/**
 * Which hooks operators' plugins have, so that nothing is made that none of them sees.
 *
 * Decided once at start, when Yoga has loaded all plugins, those added by others included.
 */
import type { GatewayPlugin } from './gateway-plugin.ts';

/** Hooks of requests and responses of the Fetch API. */
const HTTP_HOOKS = ['onRequest', 'onRequestParse', 'onResultProcess', 'onResponse'] as const;

/** Phases of Yoga that instrumentation may wrap, apart from those of Envelop. */
const WRAPPED_BY_YOGA = ['request', 'requestParse', 'operation', 'resultProcess'] as const;

/** Hooks that Yoga calls around the phases of Envelop. */
const PARAMS_HOOKS = ['onParams', 'onExecutionResult'] as const;

/** Hooks that see the result of an execution. */
const RESULT_HOOKS = ['onExecute', 'onExecutionResult', 'onResultProcess', 'onParams'] as const;

export class PluginHooks {
  readonly #given: ReadonlySet<unknown>;
  #all: readonly unknown[] = [];
  #yogas: ReadonlySet<unknown> = new Set();
  /** Whether there are plugins. */
  any = false;
  /** Whether one sees a document before its validation. */
  parse = false;
  /** Whether one sees or adds validation rules. */
  rules = false;
  /** Whether one sees the results of executions. */
  results = false;
  /** Whether one has a hook around the phases of Envelop. */
  params = false;
  /** Whether one has a hook of HTTP. */
  http = false;

  /** @param given operators' plugins. */
  constructor(given: readonly GatewayPlugin[]) {
    this.#given = new Set(given);
  }

  /** Called with the list of Yoga's and operators' plugins, which grows until `onYogaInit`. */
  onPluginInit(plugins: readonly unknown[]): void {
    this.#all = plugins;
    this.#yogas = new Set(plugins.filter((plugin) => !this.#given.has(plugin)));
  }

  /** Called when all plugins are loaded. */
  onYogaInit(): void {
    const loaded = this.#all.filter((one) => !this.#yogas.has(one)) as readonly GatewayPlugin[];
    const has = (...hooks: readonly (keyof GatewayPlugin)[]): boolean =>
      loaded.some((plugin) => hooks.some((hook) => plugin[hook] !== undefined));
    this.any = loaded.length > 0;
    this.parse = has('onParse');
    this.rules = has('onValidate');
    this.results = has(...RESULT_HOOKS);
    this.params = has(...PARAMS_HOOKS);
    this.http =
      has(...HTTP_HOOKS) ||
      loaded.some(({ instrumentation }) =>
        WRAPPED_BY_YOGA.some((phase) => instrumentation?.[phase] !== undefined),
      );
  }
}
