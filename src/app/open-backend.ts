/** Opens the extensions, and the backend: a deployment, the embedded one, or the replacement of an extension. */
import { EXAMPLE_API_KEY } from '../backend/seed/example.ts';
import type { Config } from './config.ts';
import { EXTENSIONS, type Line } from './extensions.ts';
import { OperatorError } from '../lib/operator-error.ts';
import { splitUpstreamUrl } from '../rest/transport/dispatcher.ts';
import type { Extension, Host, StandIn } from '../gateway/extension.ts';
import type { Logger } from '../gateway/observe/logs/logger.ts';
import type { Settings, ValuesOf } from '../gateway/settings/setting.ts';

export type OpenedBackend = Awaited<ReturnType<typeof openBackend>>;

/**
 * Opens the extensions that are on, and the backend, unless one of them needs it earlier.
 *
 * @throws {OperatorError} for invalid settings of an extension, and for an unusable database.
 */
export async function openParts(config: Config, host: Omit<Host, 'opened' | 'backend'>) {
  const extensions: Extension[] = [];
  const standIn = () => extensions.find((one) => one.standIn)?.standIn;
  let opening: ReturnType<typeof openBackend> | undefined;
  const backend = () => (opening ??= openBackend(config, host.logger, standIn()));
  const values: Readonly<Record<string, ValuesOf<Settings>>> = config.extensions;
  for (const [name, { open }] of Object.entries<Line>(EXTENSIONS)) {
    const extension = await open(values[name]!, config, { ...host, backend, opened: extensions });
    if (extension) extensions.push(extension);
  }
  return { extensions, standIn: standIn(), backend: await backend() };
}

/** Opens a deployment, or the embedded backend of this process, unless an extension replaces it. */
async function openBackend(
  { backend, embedded }: Config,
  logger: Logger,
  standIn: StandIn | undefined,
) {
  const { url, apiKey, routeSet } = backend;
  const close = async () => {};
  if (standIn) {
    const known = routeSet === 'auto' ? standIn.routeSet : routeSet;
    const nowhere = { origin: '', pathPrefix: '', connections: {}, label: standIn.label };
    return { ...nowhere, apiKey, routeSet: known, isEmbedded: false, close };
  }
  if (url) {
    const there = splitUpstreamUrl(url);
    const label = there.origin + there.pathPrefix;
    return { ...there, connections: backend, label, apiKey, routeSet, isEmbedded: false, close };
  }
  // The routes of the embedded backend are known.
  const known = {
    apiKey: apiKey ?? EXAMPLE_API_KEY,
    publicKey: EXAMPLE_API_KEY,
    isEmbedded: true,
    connections: {},
    label: 'embedded, with sample data',
    routeSet: routeSet === 'document' ? routeSet : embedded.routes,
  };
  // Loaded on demand: its database and server take most of the start.
  const { openBackend: open } = await import('../backend/backend.ts').catch(explainMissingBackend);
  const onFailure = (failure: object) => logger.error(failure, 'Embedded backend failed');
  const opened = await open({ ...embedded, onFailure });
  return { ...splitUpstreamUrl(new URL(opened.url)), ...known, close: () => opened.close() };
}

/** Installations of the gateway only, such as the image, lack the packages of the embedded backend. */
function explainMissingBackend(error: NodeJS.ErrnoException): never {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
  throw new OperatorError(
    'UPSTREAM_URL is not set, and the packages of the embedded backend are not installed. Set UPSTREAM_URL to the base URL of a deployment.',
    { cause: error },
  );
}
