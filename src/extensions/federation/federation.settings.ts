/** Settings of federation. */
import { extensionSettings } from '../../gateway/extension.ts';
import { ON_OR_OFF } from '../../gateway/settings/kinds.ts';
import { setting } from '../../gateway/settings/setting.ts';

export const settings = extensionSettings({
  title: 'Federation',
  settings: {
    isOn: setting(
      'FEDERATION',
      ON_OR_OFF,
      'Serves a subgraph: `_service` and `_entities` for a router.',
      'off',
    ),
  },
  options: ({ isOn }, { tools: { introspection } }) =>
    isOn ? { exposesSchema: introspection !== 'off' } : undefined,
});
