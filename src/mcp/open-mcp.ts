/**
 * Agents at `/mcp`: nothing is loaded for them where MCP_DOCUMENTS is not set.
 */
import type { GatewayOptions } from '../server/gateway-options.ts';

/** @param folder where the manifests are; undefined for no tools. */
export async function openMcp(
  folder: string | undefined,
  version: string,
): Promise<GatewayOptions['carriers']> {
  if (folder === undefined) return undefined;
  const { createMcp } = await import('./mcp.ts');
  return { '/mcp': (door) => createMcp(folder, version, door) };
}
