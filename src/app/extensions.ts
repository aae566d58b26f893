/**
 * The list of extensions, each a folder of `extensions/`.
 *
 * An extension is connected by two lines: its settings, which are read in every process, and its module, which is loaded
 * only if they switch it on.
 */
import { settings as cache } from '../extensions/cache/cache.settings.ts';
import { settings as federation } from '../extensions/federation/federation.settings.ts';
import { settings as mcp } from '../extensions/mcp/mcp.settings.ts';
import { settings as readAhead } from '../extensions/read-ahead/read-ahead.settings.ts';
import { settings as recording } from '../extensions/recording/recording.settings.ts';
import { settings as redis } from '../extensions/redis/redis.settings.ts';
import { settings as traces } from '../extensions/traces/traces.settings.ts';
import type {
  CoreSettings,
  Extension,
  ExtensionSettings,
  Host,
  Open,
} from '../gateway/extension.ts';
import type { Settings, ValuesOf } from '../gateway/settings/setting.ts';

export interface Line<Members extends Settings = Settings> {
  readonly settings: ExtensionSettings<Members>;
  /** Returns undefined if the extension is off. */
  open(own: ValuesOf<Members>, core: CoreSettings, host: Host): Promise<Extension | undefined>;
}

/** In the order of opening and nesting. */
export const EXTENSIONS = {
  recording: line(recording, () => import('../extensions/recording/recording.extension.ts')),
  redis: line(redis, () => import('../extensions/redis/redis.extension.ts')),
  cache: line(cache, () => import('../extensions/cache/cache.extension.ts')),
  readAhead: line(readAhead, () => import('../extensions/read-ahead/read-ahead.extension.ts')),
  federation: line(federation, () => import('../extensions/federation/federation.extension.ts')),
  traces: line(traces, () => import('../extensions/traces/traces.extension.ts')),
  mcp: line(mcp, () => import('../extensions/mcp/mcp.extension.ts')),
};

type Lines = typeof EXTENSIONS;

export type ExtensionValues = {
  readonly [Name in keyof Lines]: ValuesOf<Lines[Name]['settings']['settings']>;
};

function line<Members extends Settings, Options>(
  settings: ExtensionSettings<Members, Options>,
  load: () => Promise<{ readonly open: Open<Options> }>,
): Line<Members> {
  return {
    settings,
    async open(own, core, host) {
      const options = settings.options(own, core, host.opened);
      if (options === undefined) return undefined;
      const { open } = await load();
      return open(options, host);
    },
  };
}
