/**
 * The command line of the benchmark.
 */
import { parseArgs } from 'node:util';

export interface Options {
  /** Correctness only: every answer compared, one short round. */
  readonly quick: boolean;
  readonly rounds: number;
  /** Length of one server's turn in a round. */
  readonly seconds: number;
  /** How many keys the 50 pages are asked with; only 1 lets a server share calls between requests. */
  readonly callers: number;
  /** Whether the upstream's answers have other bytes each time, and the same meaning. */
  readonly changing: boolean;
  /** Names of queries to ask; empty for all. */
  readonly queries: readonly string[];
  /** Kinds of servers to measure beside ours; empty for all, or for none beside variants. */
  readonly peers: readonly string[];
  /** Folders of other builds of ours, to be measured as well. */
  readonly against: readonly string[];
  /** Settings, as `NAME=value`, with which ours is measured as well. */
  readonly settings: readonly string[];
  /** Whether servers get every core, with a process for each, and share them with load and upstream. */
  readonly allCores: boolean;
  /** Another Tailcall program than the one npm has. */
  readonly tailcall: string | undefined;
  /** Whether the product is compiled first. */
  readonly build: boolean;
}

export const HELP = `npm run bench -- [--quick] [--rounds=5] [--seconds=2] [--callers=1] [--changing]
                 [--queries=q1,q2] [--peers=mercurius,apollo] [--all-cores]
                 [--against=../before/dist] [--with=NAME=value] [--tailcall=program] [--no-build]`;

/** The command line says what is not in HELP. */
export class OptionError extends Error {
  override readonly name = 'OptionError';
}

/** @throws {OptionError} */
export function readOptions(args: readonly string[]): Options {
  try {
    return checked(args);
  } catch (cause) {
    throw new OptionError(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

function checked(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    allowNegative: true,
    options: {
      quick: { type: 'boolean', default: false },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      callers: { type: 'string' },
      changing: { type: 'boolean', default: false },
      queries: { type: 'string', default: '' },
      peers: { type: 'string', default: '' },
      against: { type: 'string', multiple: true, default: [] },
      with: { type: 'string', multiple: true, default: [] },
      'all-cores': { type: 'boolean', default: false },
      tailcall: { type: 'string' },
      build: { type: 'boolean', default: true },
    },
  });
  const { quick, changing, tailcall, build, against } = values;
  const misfit = values.with.find((setting) => !/^[A-Z_]+=/.test(setting));
  if (misfit !== undefined) throw new Error(`--with takes NAME=value, got "${misfit}".`);
  return {
    quick,
    changing,
    tailcall,
    build,
    against,
    settings: values.with,
    allCores: values['all-cores'],
    rounds: positive('rounds', values.rounds, quick ? 1 : 5),
    seconds: positive('seconds', values.seconds, quick ? 0.3 : 2),
    callers: positive('callers', values.callers, 1),
    queries: names(values.queries),
    peers: names(values.peers),
  };
}

function positive(name: string, text: string | undefined, unset: number): number {
  const value = text === undefined ? unset : Number(text);
  if (value > 0 && value <= 1_000) return value;
  throw new Error(`--${name} takes a number above 0, at most 1000, got "${text}".`);
}

const names = (text: string): readonly string[] => text.split(',').filter((name) => name !== '');
