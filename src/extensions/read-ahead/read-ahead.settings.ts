/** Settings of reading ahead: a switch. */
import { extensionSettings } from '../../gateway/extension.ts';
import { ON_OR_OFF } from '../../gateway/settings/kinds.ts';
import { ConfigError, setting } from '../../gateway/settings/setting.ts';

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
  options({ isOn }, _core, opened) {
    if (!isOn) return undefined;
    // Calls in vain would be recorded, and would take the turns of answers.
    if (opened.some(({ standIn, calls }) => standIn ?? calls?.connections)) {
      throw new ConfigError(
        'READ_AHEAD=on makes calls in vain, which take turns in a recording: remove READ_AHEAD, or RECORD and REPLAY.',
      );
    }
    return {};
  },
});
