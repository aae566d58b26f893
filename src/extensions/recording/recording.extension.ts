/** Writes recordings of the backend, or replays them in its place. */
import type { Open, OptionsOf } from '../../gateway/extension.ts';
import { openRecorder } from './recorder.ts';
import type { settings } from './recording.settings.ts';
import { openReplay } from './replayer.ts';

export const open: Open<OptionsOf<typeof settings>> = (
  { record, replay: folder, name, speed },
  { logger },
) => {
  if (folder !== undefined) {
    const replay = openReplay({
      folder,
      name,
      speed,
      onMiss: (miss) => logger.warn(miss, 'A call is not in the recording'),
    });
    logger.info({ scenarios: replay.names }, 'Replaying recordings; no backend is called');
    return {
      standIn: {
        routeSet: replay.routeSet,
        connections: replay,
        label: `none (replaying ${folder})`,
        apiKey: replay.names[0],
        note: noteOf(replay.names),
      },
    };
  }
  if (record === undefined) return {};
  return {
    calls: {
      connections(inner, backend) {
        const recorder = openRecorder(inner, {
          ...backend,
          folder: record,
          name,
          onLeftOut: (why) => logger.error(`An exchange was not recorded: ${why}`),
        });
        logger.info({ file: recorder.file }, 'Recording the backend');
        return recorder;
      },
    },
  };
};

/** Keys that begin with the name of a recording replay it from the start. */
const noteOf = ([first = '', ...others]: readonly string[]): string =>
  others.length === 0
    ? `Replaying the recording ${first}. No backend is called.`
    : `Replaying recordings. The API key selects one: ${[first, ...others].join(', ')}.`;
