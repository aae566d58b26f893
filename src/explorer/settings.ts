/** The settings of the page. */
import type { PageSettings } from '../client/page-settings.ts';

/** Those of a page without any, as in development. */
const DEFAULTS: PageSettings = { introspection: 'on', explain: 'on', needsKey: true };

export function readSettings(): PageSettings {
  const text = document.getElementById('settings')?.textContent.trim();
  return { ...DEFAULTS, ...(text ? (JSON.parse(text) as Partial<PageSettings>) : {}) };
}
