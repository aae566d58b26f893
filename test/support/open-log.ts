/** A logger whose lines can be read. Lines are found by their fields, since messages are for people. */
import { Writable } from 'node:stream';
import { pino, type Level } from 'pino';

export type LogLine = Readonly<Record<string, any>>;

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

/** The complete log lines of a process's output. */
export const linesOf = (output: string): LogLine[] =>
  output
    .split('\n')
    .filter((line) => /^\{.*\}$/.test(line))
    .map((line) => JSON.parse(line) as LogLine);

/** Whether it is the line of an operation. */
export const isOperation = (line: LogLine): boolean => 'outcome' in line && !('cause' in line);

/** Whether it is the line of a subscription that has ended. */
export const isSubscriptionEnd = (line: LogLine): boolean => 'outcome' in line && 'cause' in line;

/** Whether it is the line of an error that the caller saw masked. */
export const isMaskedError = ({ err, requestId }: LogLine): boolean =>
  err !== undefined && requestId !== undefined;
