/**
 * The apps and versions that a folder of trusted documents names: `ios-4.2.json` holds what version 4.2 of `ios` was
 * built with.
 *
 * Callers choose what they call themselves, and each name would be a series in metrics. So only these are known.
 */
import { OTHER_APP, type AppVersion } from '../operation/app-version.ts';
import type { Operation } from '../operation/operation.ts';

/** Everything before a last part that begins with a digit, such as `1.4.0` or `2.0-beta.1`. */
const APP_AND_VERSION = /^(.+)[-_@]v?(\d[\w.+]*(?:-[a-z][\w.]*)*)$/i;

/** The app and version that a caller names. */
export type Caller = Pick<Operation, 'clientName' | 'clientVersion'>;

export class AppVersions {
  /** By app, then by version. */
  readonly #apps = new Map<string, Map<string, AppVersion>>();

  /** The app and version that a manifest is of: always the same object for the same two. */
  ofManifest(file: string): AppVersion {
    const name = file.slice(0, -'.json'.length);
    const [, app = name, version = OTHER_APP.version] = APP_AND_VERSION.exec(name) ?? [];
    let versions = this.#apps.get(app);
    if (!versions) {
      versions = new Map();
      // For callers who name a version that no manifest is of.
      versions.set(OTHER_APP.version, { app, version: OTHER_APP.version });
      this.#apps.set(app, versions);
    }
    let known = versions.get(version);
    if (!known) versions.set(version, (known = { app, version }));
    return known;
  }

  /**
   * What a caller says it is, where a manifest names it; for a caller who says nothing, what its document is of.
   *
   * @param found the manifests that hold the document.
   */
  of({ clientName, clientVersion }: Caller, found: readonly AppVersion[]): AppVersion {
    const [first = OTHER_APP] = found;
    if (typeof clientName !== 'string') {
      if (found.length < 2) return first;
      const isOneApp = found.every(({ app }) => app === first.app);
      return isOneApp ? this.#find(first.app, undefined) : OTHER_APP;
    }
    return this.#find(clientName, clientVersion);
  }

  #find(app: string, version = OTHER_APP.version): AppVersion {
    const versions = this.#apps.get(app);
    return versions?.get(version) ?? versions?.get(OTHER_APP.version) ?? OTHER_APP;
  }
}
