/** Settings of recordings and of replays. */
import { z } from 'zod';
import { extensionSettings } from '../../gateway/extension.ts';
import { wholeNumber } from '../../gateway/settings/kinds.ts';
import { ConfigError, setting } from '../../gateway/settings/setting.ts';

/** Existence is checked on reading or writing. */
const FOLDER_PATH = z.string().min(1).describe('the path of a folder');

const FILE_NAME = z
  .string()
  .regex(/^[\w-]{1,64}$/)
  .describe('1 to 64 letters, digits, "_" or "-"');

export const settings = extensionSettings({
  title: 'Record and replay',
  settings: {
    record: setting(
      'RECORD',
      FOLDER_PATH,
      undefined,
      'a folder for what the backend says from this start to its end, in one file (HAR)',
    ),
    replay: setting(
      'REPLAY',
      FOLDER_PATH,
      undefined,
      'a folder of such files: they answer instead of a backend',
    ),
    name: setting(
      'SCENARIO',
      FILE_NAME,
      undefined,
      'name of the file to record, or of the only one to replay, without `.har`; unset: the time, or all',
    ),
    speed: setting(
      'REPLAY_SPEED',
      wholeNumber(1, 1_000),
      '1',
      'how many times as fast as it was the backend of a replay answers',
    ),
  },
  check({ record, replay }, { backend: { url }, headers: { forward } }) {
    if (record === undefined && replay === undefined) return [];
    const name = record === undefined ? 'REPLAY' : 'RECORD';
    if (record !== undefined && replay !== undefined) {
      throw new ConfigError('RECORD and REPLAY are both set: remove one of them.');
    }
    if (forward.length > 0) {
      throw new ConfigError(
        `${name} tells callers apart by their keys alone: remove FORWARD_HEADERS.`,
      );
    }
    if (replay !== undefined && url !== undefined) {
      throw new ConfigError('REPLAY answers instead of a backend: remove UPSTREAM_URL.');
    }
    return [];
  },
  options: (own) => (own.record === undefined && own.replay === undefined ? undefined : own),
});
