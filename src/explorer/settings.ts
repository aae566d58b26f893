/**
 * The server's settings for the page, as JSON in the page itself.
 */
export interface Settings {
  /** False: the schema cannot be asked for, so there are neither docs nor completion. */
  readonly introspection: boolean;
  /** Who is answered with plans and journals. */
  readonly explain: 'on' | 'keys' | 'off';
  /** False: the gateway has a key of its own for callers without one. */
  readonly needsKey: boolean;
  /** Changes with the schema; absent where it cannot be asked for. */
  readonly schemaId?: string;
  /** The key of the sample data; absent over a deployment. */
  readonly apiKey?: string;
  /** A page of the sample data; absent over a deployment. */
  readonly pageId?: string;
}

const DEFAULTS: Settings = { introspection: true, explain: 'on', needsKey: true };

/** The settings in the page; the defaults where it was served without any, as in development. */
export function readSettings(page: Document): Settings {
  const text = page.getElementById('settings')?.textContent.trim();
  return { ...DEFAULTS, ...(text ? (JSON.parse(text) as Partial<Settings>) : {}) };
}
