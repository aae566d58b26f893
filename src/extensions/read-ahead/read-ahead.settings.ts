/** Settings of prefetching. */
import { extensionSettings } from '../../gateway/extension.ts';
import { ON_OR_OFF } from '../../gateway/settings/kinds.ts';
import { ConfigError, setting } from '../../gateway/settings/setting.ts';

export const settings = extensionSettings({
  title: 'Speculative prefetch',
  settings: {
    isOn: setting(
      'READ_AHEAD',
      ON_OR_OFF,
      'Starts the later REST calls of a repeated query together with the first. Wrong predictions are wasted calls, which count against rate limits.',
      'off',
    ),
  },
  options({ isOn }, _core, opened) {
    if (!isOn) return undefined;
    // Wasted calls would be recorded, and would consume recorded responses.
    if (opened.some(({ standIn, calls }) => standIn ?? calls?.connections)) {
      throw new ConfigError(
        'READ_AHEAD=on cannot be combined with RECORD or REPLAY: unused prefetches would change the order of recorded calls. Remove READ_AHEAD, or RECORD and REPLAY.',
      );
    }
    return {};
  },
});
