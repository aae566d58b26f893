/**
 * The log: JSON lines for machines, readable lines on a terminal.
 *
 * Secrets (keys, variables, query texts) are never passed to a logger; redaction is a second safeguard.
 */
import { pino, type Logger } from 'pino';

export type { Logger } from 'pino';

interface LoggerOptions {
  readonly level: string;
  /** True on a terminal. */
  readonly pretty: boolean;
}

/** Maximum bytes of buffered lines; further lines are dropped. */
export const MAX_WAITING_BYTES = 4_000_000;

/** Time to flush at exit, in milliseconds. */
const LAST_LINES_MS = 500;

export async function createLogger({ level, pretty }: LoggerOptions): Promise<Logger> {
  const options = { level, base: null, redact: SECRETS };
  if (!pretty) return boundedLogger(options);
  // Loaded only for a terminal.
  const { PinoPretty } = await import('pino-pretty');
  return pino(options, PinoPretty({ ignore: 'pid,hostname', translateTime: 'HH:MM:ss.l' }));
}

/**
 * A logger for standard output. If the output is not read, buffered lines are bounded and the process can still exit.
 */
function boundedLogger(options: pino.LoggerOptions): Logger {
  let givenUpMs = Infinity;
  const output = pino.destination({
    sync: false,
    maxLength: MAX_WAITING_BYTES,
    // Retries while the output is full.
    retryEAGAIN: () => performance.now() < givenUpMs,
  });
  // Runs before pino's listener, which retries forever.
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

/** For lines with fixed fields, where redaction takes longer than writing. */
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
