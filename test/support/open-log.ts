/** A logger whose lines can be read. */
import { Writable } from 'node:stream';
import { pino, type Level } from 'pino';

export function openLog(level: Level = 'trace') {
  const lines: Record<string, any>[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(JSON.parse(chunk.toString()));
      done();
    },
  });
  return { lines, logger: pino({ level }, stream) };
}
