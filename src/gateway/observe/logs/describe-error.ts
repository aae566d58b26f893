/**
 * Errors in log lines. Plugins may throw anything: frozen errors, proxies, long chains of causes, or errors that contain
 * requests with API keys. So a line has only strings and numbers of bounded length, and logging never fails.
 */
import { inspect } from 'node:util';

/** Maximum number of errors in a line: the thrown one, its causes, and the errors of an `AggregateError`. */
const MAX_ERRORS = 5;

/** Maximum length of a string, in characters. */
const MAX_LENGTH = 8_000;

export function describeError(thrown: unknown): unknown {
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
