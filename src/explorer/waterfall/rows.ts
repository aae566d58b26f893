/** The calls of a request as rows and rounds of a waterfall. */
import type { Explained, ExplainedCall } from '../../plan/explain.ts';

export interface CallRow extends ExplainedCall {
  readonly endMs: number;
  /** The field that caused the call, as its response keys: `page.audiences.0.person`. */
  readonly field: string;
  readonly how:
    'sent' | 'retried' | 'shared' | 'primed' | 'cached' | 'rejected' | 'ahead' | 'unused';
  readonly isFailed: boolean;
}

/** A group of calls that ran side by side. */
export interface Round {
  readonly startMs: number;
  readonly endMs: number;
}

export function waterfallOf({ journal }: Explained) {
  const rows = journal.map((call): CallRow => ({
    ...call,
    endMs: call.startMs + (call.durationMs ?? 0),
    field: call.path.join('.'),
    how: howOf(call),
    isFailed: isFailed(call),
  }));
  return { rows, rounds: roundsOf(rows), endMs: Math.max(0, ...rows.map(({ endMs }) => endMs)) };
}

function howOf({ source, attempt, ahead }: ExplainedCall): CallRow['how'] {
  if (source === 'unsent') return 'rejected';
  if (ahead) return ahead === 'used' ? 'ahead' : 'unused';
  return source === 'sent' && attempt > 1 ? 'retried' : source;
}

const isFailed = ({ source, status, durationMs }: ExplainedCall): boolean =>
  status === null ? source === 'sent' && durationMs !== null : status >= 400;

const NOT_AWAITED: ReadonlySet<CallRow['how']> = new Set([
  'primed',
  'cached',
  'rejected',
  'unused',
]);

/** A round starts with the first call after the end of any call of the round before. */
function roundsOf(rows: readonly CallRow[]): Round[] {
  const waited = rows.filter(({ how }) => !NOT_AWAITED.has(how));
  const rounds: { startMs: number; endMs: number }[] = [];
  let firstEndMs = 0;
  for (const { startMs, endMs } of waited.sort((a, b) => a.startMs - b.startMs)) {
    const round = rounds.at(-1);
    if (!round || startMs >= firstEndMs) {
      rounds.push({ startMs, endMs });
      firstEndMs = endMs;
    } else {
      round.endMs = Math.max(round.endMs, endMs);
      firstEndMs = Math.min(firstEndMs, endMs);
    }
  }
  return rounds;
}

/** Relative width of a number of two digits on a phone. */
const LABEL_WIDTH = 0.08;

/** The number of each round; undefined where it would overlap the one before. */
export function labelsOf(rounds: readonly Round[], endMs: number): (number | undefined)[] {
  let takenTo = -Infinity;
  return rounds.map((round, index) => {
    const middle = (round.startMs + round.endMs) / 2 / Math.max(1, endMs);
    if (middle < takenTo) return undefined;
    takenTo = middle + LABEL_WIDTH;
    return index + 1;
  });
}
