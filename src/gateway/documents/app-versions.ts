/**
 * Apps and versions named by manifests: `ios-4.2.json` holds the documents of version 4.2 of `ios`.
 *
 * Each name is a series in metrics, so names that no manifest has are `other`.
 */
import { OTHER_APP, type AppVersion } from '../operation/app-version.ts';
import type { Operation } from '../operation/operation.ts';

/** An app's name, then a version that begins with a digit, such as `1.4.0` or `2.0-beta.1`. */
const APP_AND_VERSION = /^(.+)[-_@]v?(\d[\w.+]*(?:-[a-z][\w.]*)*)$/i;

/** The app and version that a caller names. */
export type ClientNames = Pick<Operation, 'clientName' | 'clientVersion'>;

export class AppVersions {
  /** By app, then by version. */
  readonly #apps = new Map<string, Map<string, AppVersion>>();

  /** The app and version of a manifest; the same object for the same pair. */
  ofManifest(file: string): AppVersion {
    const name = file.slice(0, -'.json'.length);
    const [, app = name, version = OTHER_APP.version] = APP_AND_VERSION.exec(name) ?? [];
    let versions = this.#apps.get(app);
    if (!versions) {
      versions = new Map();
      // The version of callers who send one without a manifest.
      versions.set(OTHER_APP.version, { app, version: OTHER_APP.version });
      this.#apps.set(app, versions);
    }
    let known = versions.get(version);
    if (!known) versions.set(version, (known = { app, version }));
    return known;
  }

  /**
   * The app and version that a caller sends, if a manifest has them; without these headers, those of its document.
   *
   * @param found manifests that contain the document.
   */
  of({ clientName, clientVersion }: ClientNames, found: readonly AppVersion[]): AppVersion {
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
