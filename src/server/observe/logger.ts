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

export async function createLogger({ level, pretty }: LoggerOptions): Promise<Logger> {
  const options = { level, base: null, redact: SECRETS };
  if (!pretty) return pino(options);
  // Loaded only for a terminal: machines start without it.
  const { PinoPretty } = await import('pino-pretty');
  return pino(options, PinoPretty({ ignore: 'pid,hostname', translateTime: 'HH:MM:ss.l' }));
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
