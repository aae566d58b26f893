/** Settings of reading ahead: a switch. */
import { extensionSettings } from '../../gateway/extension.ts';
import { ON_OR_OFF } from '../../gateway/settings/kinds.ts';
import { setting } from '../../gateway/settings/setting.ts';

export const settings = extensionSettings({
  title: 'Reading ahead',
  settings: {
    isOn: setting(
      'READ_AHEAD',
      ON_OR_OFF,
      'off',
      '`on`: a query that its key has asked before begins the calls of its later rounds beside the first; wrong guesses are calls in vain, which count for rate limits',
    ),
  },
  options: ({ isOn }) => (isOn ? {} : undefined),
});
