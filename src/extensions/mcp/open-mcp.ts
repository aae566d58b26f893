/**
 * Agents at `/mcp`: nothing is loaded for them where MCP_DOCUMENTS is not set.
 */
import type { Extension } from '../../gateway/extension.ts';

/** @param folder where the manifests are; undefined for no tools. */
export async function openMcp(folder: string | undefined, version: string): Promise<Extension> {
  if (folder === undefined) return {};
  const { createMcp } = await import('./mcp.ts');
  return { routes: (core) => ({ '/mcp': createMcp(folder, version, core) }) };
}
