/** Settings of recordings and replays. */
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
      'Folder to record REST responses in: one HAR file per run of the process.',
    ),
    replay: setting('REPLAY', FOLDER_PATH, 'Folder of recordings to serve instead of a backend.'),
    name: setting(
      'SCENARIO',
      FILE_NAME,
      'Name of the file to record, or to replay exclusively, without `.har`. If unset, the current time, or all files.',
    ),
    speed: setting(
      'REPLAY_SPEED',
      wholeNumber(1, 1_000),
      'Speed factor of a replay: `2` responds twice as fast as the recorded backend.',
      '1',
    ),
  },
  check({ record, replay }, { backend: { url }, headers: { forward } }) {
    if (record === undefined && replay === undefined) return [];
    const name = record === undefined ? 'REPLAY' : 'RECORD';
    if (record !== undefined && replay !== undefined) {
      throw new ConfigError('RECORD and REPLAY are mutually exclusive: remove one of them.');
    }
    if (forward.length > 0) {
      throw new ConfigError(
        `${name} distinguishes callers only by API key: remove FORWARD_HEADERS.`,
      );
    }
    if (replay !== undefined && url !== undefined) {
      throw new ConfigError('REPLAY replaces the backend: remove UPSTREAM_URL.');
    }
    return [];
  },
  options: (own) => (own.record === undefined && own.replay === undefined ? undefined : own),
});
