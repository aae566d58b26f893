/** Settings of MCP. */
import { extensionSettings } from '../../gateway/extension.ts';
import { FOLDER } from '../../gateway/settings/kinds.ts';
import { ConfigError, setting } from '../../gateway/settings/setting.ts';

export const settings = extensionSettings({
  title: 'Agents',
  settings: {
    folder: setting(
      'MCP_DOCUMENTS',
      FOLDER,
      'Folder of manifests whose documents are MCP tools for agents at `/mcp`. If unset, there is no `/mcp`.',
    ),
  },
  // A page could point its own host name at this machine.
  checksHosts: ({ folder }) => folder !== undefined,
  check({ folder }, { http: { allowedHosts, socketPath } }) {
    if (folder !== undefined && allowedHosts === undefined && socketPath === undefined) {
      throw new ConfigError(
        'MCP_DOCUMENTS needs ALLOWED_HOSTS if other machines can reach the gateway. Set it to the host names that agents use.',
      );
    }
    return [];
  },
  options: ({ folder }) => (folder === undefined ? undefined : { folder }),
});
