/** Documents as MCP tools, at `/mcp`. */
import type { Open } from '../../gateway/extension.ts';
import { createMcp } from './mcp.ts';

interface McpSettings {
  /** Folder of manifests. */
  readonly folder: string;
}

export const open: Open<McpSettings> = ({ folder }, { version }) => ({
  routes: (core) => ({ '/mcp': createMcp(folder, version, core) }),
});
