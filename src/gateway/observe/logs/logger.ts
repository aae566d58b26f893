/**
 * The log: JSON lines for machines, readable lines on a terminal.
 *
 * Secrets (API keys, variables, queries) are never passed to a logger; redaction is a second safeguard.
 */
import { inspect } from 'node:util';
import { pino, stdTimeFunctions, type Logger } from 'pino';
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

/** Maximum number of errors in a line: the thrown one, its causes, and the errors of an `AggregateError`. */
const MAX_ERRORS = 5;

/** Maximum length of a string, in characters. */
const MAX_LENGTH = 8_000;

/**
 * Describes an error for a log line. Plugins may throw anything: frozen errors, proxies, long chains of causes, or errors
 * that contain requests with API keys. So a line has only strings and numbers of bounded length, and logging never fails.
 */
function describeError(thrown: unknown): unknown {
  try {
    return thrown instanceof Error ? describe(thrown) : truncate(toText(thrown));
  } catch {
    // Also for proxies, whose traps it does not call.
    return truncate(inspect(thrown, { depth: 0, getters: false }));
  }
}

function describe(thrown: Error): object {
  const errors = [thrown];
  for (let i = 0; i < errors.length && errors.length < MAX_ERRORS; i++) {
    const { cause, errors: parts = [] } = errors[i] as Partial<AggregateError>;
    for (const one of [cause, ...(parts as readonly unknown[])].slice(0, MAX_ERRORS)) {
      if (one instanceof Error && !errors.includes(one)) errors.push(one);
    }
  }
  const fields = Object.entries(thrown).filter(([, value]) => isPlain(value));
  return {
    type: thrown.constructor.name,
    message: truncate(errors.map(({ message }) => toText(message)).join(': ')),
    stack: truncate(errors.map(({ stack }) => toText(stack)).join('\ncaused by: ')),
    ...Object.fromEntries(fields.map(([name, value]) => [name, truncate(value)])),
  };
}

const isPlain = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value);

const toText = (value: unknown): string =>
  typeof value === 'string' ? value : inspect(value, { depth: 0, getters: false });

const truncate = <Value>(value: Value): Value | string =>
  typeof value === 'string' && value.length > MAX_LENGTH ? `${value.slice(0, MAX_LENGTH)}…` : value;
