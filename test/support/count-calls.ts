/**
 * Work as a number that does not depend on other processes: the calls of JavaScript functions, by V8's coverage.
 * Node's own functions and native ones do not count.
 */
import { Session } from 'node:inspector/promises';
import { afterFile } from './after-file.ts';

let session: Session | undefined;

export async function countCalls(work: () => unknown): Promise<number> {
  session ??= await begin();
  await session.post('Profiler.takePreciseCoverage'); // resets the counters
  await work();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  let calls = 0;
  for (const { url, functions } of result) {
    if (url.startsWith('node:')) continue;
    for (const { ranges } of functions) calls += ranges[0]!.count;
  }
  return calls;
}

async function begin(): Promise<Session> {
  const begun = new Session();
  begun.connect();
  await begun.post('Profiler.enable');
  await begun.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  afterFile(async () => {
    session = undefined;
    await begun.post('Profiler.stopPreciseCoverage');
    begun.disconnect();
  });
  return begun;
}
