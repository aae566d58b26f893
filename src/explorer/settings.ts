/**
 * The server's settings for the page, as JSON in the page itself.
 */
import type { ExplorerSettings } from '../server/http/explorer.ts';

const DEFAULTS: ExplorerSettings = { introspection: true, explain: 'on', needsKey: true };

/** The settings in the page; the defaults where it was served without any, as in development. */
export function readSettings(page: Document): ExplorerSettings {
  const text = page.getElementById('settings')?.textContent.trim();
  return { ...DEFAULTS, ...(text ? (JSON.parse(text) as Partial<ExplorerSettings>) : {}) };
}
