/**
 * Replays recordings instead of calling a backend (`REPLAY`).
 *
 * Each key plays a scenario from its beginning, independent of other keys. The key selects the scenario: by name, or by
 * name, a dot and any text, such as `publish.worker-3`. A single scenario is played by any key. `publish.K2` plays the
 * part of the recording's second key.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { distance } from 'fastest-levenshtein';
import { LRUCache } from 'lru-cache';
import type { Dispatcher } from 'undici';
import { OperatorError } from '../../lib/operator-error.ts';
import { ROUTE_SETS, type RouteSet } from '../../v0/routes.ts';
import { CallRefusal } from '../../rest/transport/transport-fault.ts';
import { bodyOf, errorOf, keyOf, ORIGIN, recording, type RecordedExchange } from './har.ts';

interface ReplayOptions {
  readonly folder: string;
  /** The only scenario to replay. @default all of the folder */
  readonly name?: string | undefined;
  /** Speed relative to the recording, at least 1. */
  readonly speed: number;
  readonly onMiss: (miss: Miss) => void;
}

export interface Miss {
  readonly method: string;
  readonly path: string;
  /** Undefined if the key selects none. */
  readonly scenario: string | undefined;
  readonly nearest: readonly string[];
}

const MAX_PLAYERS = 10_000;

/** @throws {OperatorError} if there is nothing to replay. */
export function openReplay({ folder, name, speed, onMiss }: ReplayOptions) {
  const scenarios = scenariosIn(folder, name);
  const playerOf = castOf(scenarios);

  function answerTo(asked: ReplayedCall, key: string): RecordedExchange | CallRefusal {
    const player = playerOf(key);
    const found = player?.next(asked);
    if (found) return found;
    const { method, path } = asked;
    const nearest = player?.nearest(asked) ?? [];
    onMiss({ method, path, scenario: player?.scenario, nearest });
    if (!player) {
      return notRecorded(
        `The API key selects no recording. Use a key that begins with a name, such as "${scenarios[0]?.name}". Recordings: ${listed(scenarios.map((one) => one.name))}`,
      );
    }
    return notRecorded(
      `${method} ${path} is not in the recording "${player.scenario}" at this point. Most similar: ${listed(nearest)}`,
    );
  }

  return {
    names: scenarios.map((one) => one.name),
    routeSet: routeSetOf(scenarios),
    dispatch: (
      options: Dispatcher.DispatchOptions,
      handler: Dispatcher.DispatchHandler,
    ): boolean => {
      const { method, path, body } = options;
      const asked = { method, path, body: typeof body === 'string' ? body : '' };
      void respond(answerTo(asked, keyOf(options)), handler, speed);
      return true;
    },
    close: () => Promise.resolve(),
  };
}

const notRecorded = (message: string): CallRefusal =>
  new CallRefusal(message, { code: 'NOT_RECORDED', what: 'Not in the recording' });

const listed = (labels: readonly string[]): string => labels.join('; ') || 'none';

function scenariosIn(folder: string, name: string | undefined): Scenario[] {
  const files = namesIn(folder)
    .filter((file) => (name === undefined ? file.endsWith('.har') : file === `${name}.har`))
    .sort();
  if (files.length > 0) return files.map((file) => readScenario(join(folder, file)));
  throw new OperatorError(
    `REPLAY: ${folder} has no file ${name ?? '*'}.har. Record one with RECORD=${folder} npm start.`,
  );
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (cause) {
    throw new OperatorError(`REPLAY: ${folder} is not a readable folder.`, { cause });
  }
}

function routeSetOf(scenarios: readonly Scenario[]): RouteSet | 'auto' {
  const [first, ...others] = scenarios;
  const other = others.find(({ routeSet }) => routeSet !== first?.routeSet);
  if (other) {
    throw new OperatorError(
      `REPLAY: ${first?.name} was recorded with UPSTREAM_ROUTES=${first?.routeSet}, ${other.name} with ${other.routeSet}. Select one with SCENARIO, or record again.`,
    );
  }
  return ROUTE_SETS.find((set) => set === first?.routeSet) ?? 'auto';
}

const NOTHING: ScenarioPart = { reads: new Map(), writes: [] };

/** Returns a lookup from keys to players; undefined for a key that names no scenario. */
function castOf(scenarios: readonly Scenario[]): (key: string) => Player | undefined {
  const players = new LRUCache<string, Player>({ max: MAX_PLAYERS });
  /** Number of parts assigned to keys that do not name the only scenario. */
  let given = 0;

  return (key) => {
    const known = players.get(key);
    if (known) return known;
    const scenario = scenarioOf(key);
    if (!scenario) return undefined;
    const player = new Player(scenario.name, partOf(scenario, key));
    players.set(key, player);
    return player;
  };

  function scenarioOf(key: string): Scenario | undefined {
    const named = scenarios.filter(({ name }) => key === name || key.startsWith(`${name}.`));
    // A name may be a prefix of another; the longest match wins.
    const [longest] = named.sort((one, other) => other.name.length - one.name.length);
    return longest ?? (scenarios.length === 1 ? scenarios[0] : undefined);
  }

  function partOf({ name, parts }: Scenario, key: string): ScenarioPart {
    const alias = key.startsWith(`${name}.`) ? key.slice(name.length + 1).split('.')[0] : undefined;
    const named = alias === undefined ? undefined : parts.get(alias);
    if (named) return named;
    const all = [...parts.values()];
    // Keys without a name get parts in the order of the recording.
    const isNamed = alias !== undefined || key === name;
    return all[isNamed ? 0 : Math.min(given++, all.length - 1)] ?? NOTHING;
  }
}

/** Emits one response asynchronously, as undici does. Emits nothing more after an abort. */
async function respond(
  answer: RecordedExchange | CallRefusal,
  handler: Dispatcher.DispatchHandler,
  speed: number,
): Promise<void> {
  const controller = {
    aborted: false,
    paused: false,
    reason: null as Error | null,
    abort: (reason: Error) => {
      if (controller.aborted) return;
      Object.assign(controller, { aborted: true, reason });
      handler.onResponseError?.(controller, reason);
    },
    pause: () => {},
    resume: () => {},
  };
  const isGivenUp = () => controller.aborted;

  await nextTurn();
  if (answer instanceof CallRefusal) {
    handler.onResponseError?.(controller, answer);
    return;
  }
  const { timings, response, _gateway } = answer;
  if (_gateway.isConnected) handler.onRequestStart?.(controller, {});
  await sleep(timings.wait / speed);
  if (isGivenUp()) return;
  if (response.status > 0) {
    const headers = Object.fromEntries(response.headers.map(({ name, value }) => [name, value]));
    handler.onResponseStart?.(controller, response.status, headers, '');
  }
  await sleep(timings.receive / speed);
  if (isGivenUp()) return;
  const body = bodyOf(response.content);
  if (body.length > 0) handler.onResponseData?.(controller, body);
  if (isGivenUp()) return;
  if (_gateway.end === 'whole') handler.onResponseEnd?.(controller, {});
  else if (_gateway.fault) handler.onResponseError?.(controller, errorOf(_gateway.fault));
}

interface ReplayedCall {
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

interface ScenarioPart {
  /** By path, in the order of sending; `writes` is the number of writes sent before. */
  readonly reads: ReadonlyMap<string, readonly { writes: number; exchange: RecordedExchange }[]>;
  readonly writes: readonly RecordedExchange[];
}

/** A recording to replay: calls and responses by recorded key. */
interface Scenario {
  readonly name: string;
  readonly routeSet: string;
  /** By alias of the key, in the order of first calls. */
  readonly parts: ReadonlyMap<string, ScenarioPart>;
}

/** @throws {OperatorError} for an invalid recording. */
function readScenario(file: string): Scenario {
  const { log } = recordingIn(file);
  const sent = log.entries.toSorted((one, other) => one._gateway.number - other._gateway.number);
  const aliases = [...new Set(sent.map(({ _gateway }) => _gateway.key))];
  const parts = aliases.map((alias) => {
    return [alias, partOf(sent.filter(({ _gateway }) => _gateway.key === alias))] as const;
  });
  return { name: basename(file, '.har'), routeSet: log._gateway.routeSet, parts: new Map(parts) };
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

/**
 * Replays one part of a scenario. Reads depend on the number of writes replayed so far. Responses to a read that differ
 * between two writes, as while a version is published, are replayed in order, and the last one is repeated.
 */
class Player {
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
