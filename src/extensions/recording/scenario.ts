/**
 * A recording to replay: calls and responses by recorded key.
 *
 * Reads depend on the number of writes replayed so far. Responses to a read that differ between two writes, as while a
 * version is published, are replayed in order, and the last one is repeated.
 */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { distance } from 'fastest-levenshtein';
import { OperatorError } from '../../lib/operator-error.ts';
import { ORIGIN, recording, type RecordedExchange } from './har.ts';

export interface ReplayedCall {
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

export interface ScenarioPart {
  /** By path, in the order of sending; `writes` is the number of writes sent before. */
  readonly reads: ReadonlyMap<string, readonly { writes: number; exchange: RecordedExchange }[]>;
  readonly writes: readonly RecordedExchange[];
}

export interface Scenario {
  readonly name: string;
  readonly routeSet: string;
  /** By alias of the key, in the order of first calls. */
  readonly parts: ReadonlyMap<string, ScenarioPart>;
}

/** @throws {OperatorError} for an invalid recording. */
export function readScenario(file: string): Scenario {
  const { log } = recordingIn(file);
  const sent = log.entries.toSorted((one, other) => one._gateway.number - other._gateway.number);
  const aliases = [...new Set(sent.map(({ _gateway }) => _gateway.key))];
  const parts = aliases.map((alias) => {
    return [alias, partOf(sent.filter(({ _gateway }) => _gateway.key === alias))] as const;
  });
  return {
    name: basename(file, '.har'),
    routeSet: log._gateway.routeSet,
    parts: new Map(parts),
  };
}

function recordingIn(file: string) {
  let found: unknown;
  try {
    found = JSON.parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw new OperatorError(`REPLAY: ${file} is not JSON. Record it again.`, { cause });
  }
  const { data, error } = recording.safeParse(found);
  if (data) return data;
  const place = error.issues[0]?.path.join('.') ?? '';
  throw new OperatorError(
    `REPLAY: ${file} is not a recording of this gateway (at ${place}). Record it again, or remove the file.`,
  );
}

function partOf(sent: readonly RecordedExchange[]): ScenarioPart {
  const reads = new Map<string, { writes: number; exchange: RecordedExchange }[]>();
  const writes: RecordedExchange[] = [];
  for (const exchange of sent) {
    const { method, path } = askedOf(exchange);
    if (method !== 'GET') writes.push(exchange);
    else {
      const ofPath = reads.get(path) ?? [];
      ofPath.push({ writes: writes.length, exchange });
      reads.set(path, ofPath);
    }
  }
  return { reads, writes };
}

const askedOf = ({ request }: RecordedExchange): ReplayedCall => ({
  method: request.method,
  path: request.url.slice(ORIGIN.length),
  body: request.postData?.text ?? '',
});

const MAX_NEAREST = 3;

export class Player {
  readonly scenario: string;
  readonly #part: ScenarioPart;
  #writes = 0;
  /** Number of reads by path since the last write. */
  readonly #turns = new Map<string, number>();

  constructor(scenario: string, part: ScenarioPart) {
    this.scenario = scenario;
    this.#part = part;
  }

  /** Returns the next response; undefined if none was recorded. */
  next(asked: ReplayedCall): RecordedExchange | undefined {
    return asked.method === 'GET' ? this.#read(asked.path) : this.#write(asked);
  }

  /** Labels of the most similar recorded calls, at most three. */
  nearest(asked: ReplayedCall): string[] {
    const { reads, writes } = this.#part;
    if (asked.method === 'GET') {
      const paths = [...reads.keys()].map((path) => ({ method: 'GET', path, body: '' }));
      return byLikeness(paths, asked).map(labelOf);
    }
    const due = writes[this.#writes];
    return [
      due ? `next write, ${differenceOf(askedOf(due), asked)}` : 'no further writes',
      ...byLikeness(writes.slice(this.#writes + 1).map(askedOf), asked).map(
        (later) => `later, ${differenceOf(later, asked)}`,
      ),
    ].slice(0, MAX_NEAREST);
  }

  #read(path: string): RecordedExchange | undefined {
    const all = this.#part.reads.get(path);
    if (!all) return undefined;
    const now = all.filter(({ writes }) => writes === this.#writes);
    const turn = this.#turns.get(path) ?? 0;
    this.#turns.set(path, turn + 1);
    const found =
      now[Math.min(turn, now.length - 1)] ??
      all.findLast(({ writes }) => writes < this.#writes) ??
      all[0];
    return found?.exchange;
  }

  /** Writes are matched in their recorded order only; later reads depend on it. */
  #write(asked: ReplayedCall): RecordedExchange | undefined {
    const exchange = this.#part.writes[this.#writes];
    if (!exchange || !isSame(askedOf(exchange), asked)) return undefined;
    this.#writes += 1;
    this.#turns.clear();
    return exchange;
  }
}

const isSame = (one: ReplayedCall, other: ReplayedCall): boolean =>
  one.method === other.method && one.path === other.path && one.body === other.body;

function byLikeness(known: readonly ReplayedCall[], asked: ReplayedCall): ReplayedCall[] {
  const distanceOf = (one: ReplayedCall): number => distance(labelOf(one), labelOf(asked));
  return known.toSorted((one, other) => distanceOf(one) - distanceOf(other)).slice(0, MAX_NEAREST);
}

const labelOf = ({ method, path }: ReplayedCall): string => `${method} ${path}`;

/** Label of a recorded write, with the differing fields if only the body differs. */
function differenceOf(one: ReplayedCall, asked: ReplayedCall): string {
  if (labelOf(one) !== labelOf(asked) || isSame(one, asked)) return labelOf(one);
  const names = differing(one.body, asked.body);
  return `${labelOf(one)} with another ${names.length > 0 ? names.join(', ') : 'body'}`;
}

function differing(one: string, other: string): string[] {
  const [fields, others] = [one, other].map((body) => JSON.parse(body || '{}') as Fields);
  return Object.keys({ ...fields, ...others }).filter(
    (name) => JSON.stringify(fields?.[name]) !== JSON.stringify(others?.[name]),
  );
}

type Fields = Readonly<Record<string, unknown>>;
