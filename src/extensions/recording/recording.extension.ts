/** Writes recordings of the backend, or replays them in its place. */
import type { Open } from '../../gateway/extension.ts';
import { openRecorder } from './recorder.ts';
import { openReplay } from './replayer.ts';

interface RecordingSettings {
  /** Folder of a new recording. */
  readonly record: string | undefined;
  /** Folder of recordings to replay. */
  readonly replay: string | undefined;
  readonly name: string | undefined;
  readonly speed: number;
}

export const open: Open<RecordingSettings> = (
  { record, replay: folder, name, speed },
  { logger },
) => {
  if (folder !== undefined) {
    const replay = openReplay({
      folder,
      name,
      speed,
      onMiss: (miss) => logger.warn(miss, 'Not recorded: a call has no answer'),
    });
    logger.info({ scenarios: replay.names }, 'Recordings are replayed: no backend is asked');
    return {
      standIn: {
        routeSet: replay.routeSet,
        connections: replay,
        label: `none, recordings of ${folder} answer`,
        apiKey: replay.names[0],
        note: noteOf(replay.names),
      },
    };
  }
  if (record === undefined) return {};
  return {
    calls: {
      connections(inner, { pathPrefix, routeSet, publicKey }) {
        const recorder = openRecorder(inner, {
          folder: record,
          name,
          pathPrefix,
          routeSet,
          publicKey,
          onLeftOut: (why) => logger.error(`Not recorded: an exchange is left out, since ${why}`),
        });
        logger.info({ file: recorder.file }, 'The backend is recorded');
        return recorder;
      },
    },
  };
};

/** Keys that begin with the name of a recording replay it from the start. */
const noteOf = ([first = '', ...others]: readonly string[]): string =>
  others.length === 0
    ? `The recording ${first} answers: no backend is asked.`
    : `Recordings answer, and the key names one: ${[first, ...others].join(', ')}.`;
