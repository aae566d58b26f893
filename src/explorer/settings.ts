/**
 * The settings that the server writes into the page.
 */
export interface PageSettings {
  /** Who may ask for the schema; for others there are neither docs nor completion. */
  readonly introspection: 'on' | 'keys' | 'off';
  /** Who is answered with plans and journals. */
  readonly explain: 'on' | 'keys' | 'off';
  /** False: callers without a key are served with the gateway's own. */
  readonly needsKey: boolean;
  /** Changes with the schema. */
  readonly schemaId?: string | undefined;
  /** A key to begin with; absent over a deployment. */
  readonly apiKey?: string | undefined;
  /** A page that is there; absent over a deployment. */
  readonly pageId?: string | undefined;
  /** The names of the recordings that answer instead of a backend. */
  readonly replays?: readonly string[] | undefined;
}

/** Those of a page without any, as in development. */
const DEFAULTS: PageSettings = { introspection: 'on', explain: 'on', needsKey: true };

export function readSettings(): PageSettings {
  const text = document.getElementById('settings')?.textContent.trim();
  return { ...DEFAULTS, ...(text ? (JSON.parse(text) as Partial<PageSettings>) : {}) };
}
