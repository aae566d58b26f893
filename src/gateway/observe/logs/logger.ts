/**
 * The log: JSON lines for machines, readable lines on a terminal.
 *
 * Secrets (API keys, variables, queries) are never passed to a logger; redaction is a second safeguard.
 */
import { pino, stdTimeFunctions, type Logger } from 'pino';
import { describeError } from './describe-error.ts';
import { LogOutput } from './log-output.ts';

export type { Logger } from 'pino';

interface LoggerOptions {
  readonly level: string;
  readonly pretty: boolean;
}

export async function createLogger({ level, pretty }: LoggerOptions): Promise<Logger> {
  // As a property of `process.stdout`, since opening that makes pipes non-blocking.
  const output = new LogOutput(process.stdout.fd, (lines, failure) =>
    logger.warn({ lines, failure }, 'Log lines dropped: standard output was blocked or failed'),
  );
  const options = {
    level,
    base: null,
    redact: SECRETS,
    serializers: { err: describeError },
    // As log collectors expect both: "level":"warn","time":"2026-07-28T10:00:00.000Z".
    formatters: { level: (name: string) => ({ level: name }) },
    timestamp: stdTimeFunctions.isoTime,
  };
  const logger = pino(options, pretty ? await terminalOutput(output) : output);
  return logger;
}

async function terminalOutput(output: LogOutput) {
  const { prettyFactory } = await import('pino-pretty');
  const format = prettyFactory({ ignore: 'pid,hostname', translateTime: 'HH:MM:ss.l' });
  return { write: (line: string) => output.write(format(line)) };
}

/** For lines with fixed fields, where redaction takes longer than writing. */
export const withoutRedaction = (logger: Logger): Logger => logger.child({}, { redact: [] });

export const silentLogger = (): Logger => pino({ level: 'silent' });

const SECRETS = [
  'apiKey',
  '*.apiKey',
  '["x-api-key"]',
  '*["x-api-key"]',
  '*.headers',
  '*.*.headers',
];
