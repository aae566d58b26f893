/**
 * Loaded into a measured server before its own code: SIGWINCH begins a profile, the next one writes it to
 * `PROFILE_FOLDER`. `PROFILE` says of what: `cpu`, `heap` for all bytes that are allocated, collected or not, or `promoted`
 * for those that scavenges did not collect.
 *
 * Of the signals that Node hands to a process, no server listens to this one.
 */
import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import process from 'node:process';

const { PROFILE: what, PROFILE_FOLDER: folder } = process.env;
const session = new Session();
session.connect();

const start = {
  cpu: async () => {
    await session.post('Profiler.enable');
    await session.post('Profiler.setSamplingInterval', { interval: 500 });
    await session.post('Profiler.start');
  },
  heap: () => startSampling(8_192, true),
  promoted: () => startSampling(2_048, false),
};
const stopSampling = () => session.post('HeapProfiler.stopSampling');
const stop = {
  cpu: () => session.post('Profiler.stop'),
  heap: stopSampling,
  promoted: stopSampling,
};

const startSampling = (samplingInterval, includeObjectsCollectedByMinorGC) =>
  session.post('HeapProfiler.startSampling', {
    samplingInterval,
    includeObjectsCollectedByMajorGC: true,
    includeObjectsCollectedByMinorGC,
  });

process.once('SIGWINCH', async () => {
  await start[what]();
  process.once('SIGWINCH', async () => {
    const { profile } = await stop[what]();
    writeFileSync(join(folder, 'profile.json'), JSON.stringify(profile));
  });
});
