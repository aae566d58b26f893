/**
 * The log: JSON lines for machines, readable lines on a terminal.
 *
 * What must never be logged (keys, variables, query texts) is never handed to a logger; redaction
 * is a second safeguard.
 */
import { pino, type Logger } from 'pino';

export type { Logger } from 'pino';

interface LoggerOptions {
  readonly level: string;
  /** True on a terminal. */
  readonly pretty: boolean;
}

/** Lines that may wait for who reads the log, in bytes; those that come then are dropped. */
const MAX_WAITING_BYTES = 4_000_000;

/** How long a process that ends waits until its last lines are read, in milliseconds. */
const LAST_LINES_MS = 500;

export async function createLogger({ level, pretty }: LoggerOptions): Promise<Logger> {
  const options = { level, base: null, redact: SECRETS };
  if (!pretty) return boundedLogger(options);
  // Loaded only for a terminal: machines start without it.
  const { PinoPretty } = await import('pino-pretty');
  return pino(options, PinoPretty({ ignore: 'pid,hostname', translateTime: 'HH:MM:ss.l' }));
}

/** A log on standard output that neither grows nor keeps the process alive when nobody reads it. */
function boundedLogger(options: pino.LoggerOptions): Logger {
  let givenUpMs = Infinity;
  const output = pino.destination({
    dest: process.stdout.fd,
    sync: false,
    maxLength: MAX_WAITING_BYTES,
    // Asked when a pipe is full.
    retryEAGAIN: () => performance.now() < givenUpMs,
  });
  // Before pino's own listener, which would wait without end.
  process.prependOnceListener('exit', () => {
    givenUpMs = performance.now() + LAST_LINES_MS;
    try {
      output.flushSync();
    } catch {
      output.destroy();
    }
  });
  const logger = pino(options, output);
  let dropped = 0;
  output.on('drop', () => (dropped += 1));
  output.on('drain', () => {
    if (dropped === 0) return;
    const lines = dropped;
    dropped = 0;
    logger.warn({ lines }, 'Lines of the log were dropped, because nobody read it');
  });
  return logger;
}

/** For lines whose fields are all named in the code: to look for secrets takes longer than to write them. */
export const withoutRedaction = (logger: Logger): Logger => logger.child({}, { redact: [] });

/** A log without output. */
export const silentLogger = (): Logger => pino({ level: 'silent' });

const SECRETS = [
  'apiKey',
  '*.apiKey',
  '["x-api-key"]',
  '*["x-api-key"]',
  '*.headers',
  '*.*.headers',
];
