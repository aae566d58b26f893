/** Documents as tools of agents, at `/mcp`. */
import type { Open } from '../../gateway/extension.ts';
import { createMcp } from './mcp.ts';

interface McpSettings {
  /** Where the manifests are. */
  readonly folder: string;
}

export const open: Open<McpSettings> = ({ folder }, { version }) => ({
  routes: (core) => ({ '/mcp': createMcp(folder, version, core) }),
});
