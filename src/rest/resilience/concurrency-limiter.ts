/**
 * How many calls are under way, and whose turn is next.
 *
 * Keys take turns, and a key may hold at most seven times what is free: one busy key gets seven
 * eighths of the connections, two get seven fifteenths each, and a newcomer always finds some.
 * A call that could not be answered in time behind those already waiting is refused at once.
 */
import type { End } from '../client/cancel.ts';
import { RestOverloadedError, type RouteLabel } from '../client/errors.ts';
import type { Outcome, Outgoing } from '../client/send.ts';
import type { Proceed, Stage } from '../client/stage.ts';
import { Throughput } from './throughput.ts';
import { QueuedCall, type Lane } from './queued-call.ts';

export interface GateOptions {
  /** Calls under way at once, of all keys. */
  readonly connections: number;
  /** Calls that may wait before any answer has told how fast the backend is. */
  readonly maxQueue: number;
  readonly onShed: (route: RouteLabel) => void;
}

/** How much more than what is free a key may hold. */
const MAX_HOLD = 7;

/** Once the backend's pace is known the queue may be this many times longer, and never more. */
const KNOWN_PACE_FACTOR = 16;

/** How much slower than at its best a backend is taken to be after a pause. */
const CALM_FACTOR = 4;

/** How fast its best is forgotten, an answer. */
const FORGETTING = 1.001;

/** The weight of the newest answer in the pace. */
const NEWEST = 0.2;

/** When no call of a key ends for so long, its pace is no more; less may be our own doing. */
const SILENCE_MS = 2_500;

export class Gate implements Stage {
  readonly #options: GateOptions;
  readonly #lanes = new Map<string, Lane>();
  /** Lanes with waiting calls; the first is next. */
  readonly #waitingLanes = new Set<Lane>();
  #active = 0;
  #waiting = 0;
  #paceMs: number | undefined;
  /** Milliseconds of the quickest exchange, lately. */
  #quickestMs = Infinity;
  readonly #throughput = new Throughput();

  constructor(options: GateOptions) {
    this.#options = options;
  }

  begin(outgoing: Outgoing, proceed: Proceed): boolean {
    if (this.#active === 0) this.#calmDown();
    const lane = this.#laneOf(outgoing);
    if (lane.waiting.size > 0 || !this.#mayStart(lane)) {
      this.#wait(lane, outgoing, proceed);
      return false;
    }
    outgoing.sentMs = outgoing.startMs;
    this.#start(lane, outgoing);
    return true;
  }

  end({ apiKey, sentMs, endMs }: Outgoing, outcome: Outcome): void {
    const lane = this.#lanes.get(apiKey)!; // it has this call
    lane.movedMs = endMs;
    const tookMs = endMs - sentMs;
    const answered = !(outcome instanceof Error);
    // Given up, it says only that an answer takes at least as long: who had waited in the queue
    // has little time left, and would make a slow backend look quick.
    if (answered || tookMs > (lane.paceMs ?? 0)) lane.paceMs = blend(lane.paceMs, tookMs);
    if (answered || tookMs > (this.#paceMs ?? 0)) this.#paceMs = blend(this.#paceMs, tookMs);
    if (answered) {
      this.#throughput.note(endMs);
      this.#quickestMs = Math.min(this.#quickestMs * FORGETTING, tookMs);
    }
    lane.active -= 1;
    this.#active -= 1;
    this.#forgetIdle(apiKey, lane);
    this.#startWaiting();
  }

  /** Sends away all who wait. */
  refuseAll(refusal: End): void {
    for (const lane of [...this.#waitingLanes]) {
      for (const call of [...lane.waiting]) call.giveUp(refusal);
    }
  }

  /** Nothing is under way: how slow a busy time was says little about the next one. */
  #calmDown(): void {
    if (this.#paceMs === undefined) return;
    this.#paceMs = Math.min(this.#paceMs, CALM_FACTOR * this.#quickestMs);
  }

  #laneOf({ apiKey, startMs }: Outgoing): Lane {
    let lane = this.#lanes.get(apiKey);
    if (!lane) {
      lane = { active: 0, waiting: new Set(), paceMs: this.#paceMs, movedMs: startMs };
      this.#lanes.set(apiKey, lane);
    }
    return lane;
  }

  #mayStart(lane: Lane): boolean {
    const free = this.#options.connections - this.#active;
    return free > 0 && lane.active < MAX_HOLD * free;
  }

  #start(lane: Lane, { sentMs }: Outgoing): void {
    if (lane.active === 0) lane.movedMs = sentMs;
    lane.active += 1;
    this.#active += 1;
  }

  #forgetIdle(apiKey: string, lane: Lane): void {
    if (lane.active === 0 && lane.waiting.size === 0) this.#lanes.delete(apiKey);
  }

  /** Lets waiting calls go, a lane after the other; those that may not start yet are passed over. */
  #startWaiting(): void {
    for (const lane of this.#waitingLanes) {
      if (this.#active >= this.#options.connections) return;
      if (!this.#mayStart(lane)) continue;
      const [next] = lane.waiting;
      this.#waitingLanes.delete(lane);
      if (next) this.#letGo(lane, next);
      // Visited again by this very loop, after the others.
      if (lane.waiting.size > 0) this.#waitingLanes.add(lane);
    }
  }

  #letGo(lane: Lane, call: QueuedCall): void {
    call.outgoing.sentMs = performance.now();
    this.#start(lane, call.outgoing);
    call.start();
  }

  #wait(lane: Lane, outgoing: Outgoing, proceed: Proceed): void {
    const { route, untilMs, apiKey } = outgoing;
    const shedMs = this.#shedMs(lane, untilMs);
    if (shedMs !== undefined) {
      this.#forgetIdle(apiKey, lane);
      this.#options.onShed(route);
      throw new RestOverloadedError(route, shedMs);
    }
    lane.waiting.add(new QueuedCall(outgoing, lane, this.#leave, proceed));
    this.#waiting += 1;
    this.#waitingLanes.add(lane);
  }

  readonly #leave = (call: QueuedCall): void => {
    const { lane, outgoing } = call;
    lane.waiting.delete(call);
    this.#waiting -= 1;
    if (lane.waiting.size > 0) return;
    this.#waitingLanes.delete(lane);
    this.#forgetIdle(outgoing.apiKey, lane);
  };

  /** When to come back instead of waiting, in milliseconds; undefined when there is room. */
  #shedMs(lane: Lane, untilMs: number): number | undefined {
    const { maxQueue } = this.#options;
    const now = performance.now();
    if (lane.paceMs === undefined) return this.#waiting >= maxQueue ? 0 : undefined;
    const silentMs = now - lane.movedMs;
    const paceMs = silentMs > SILENCE_MS ? Math.max(lane.paceMs, silentMs) : lane.paceMs;
    const waitMs = Math.min(this.#waitByPace(lane, paceMs), this.#waitByThroughput(lane, paceMs));
    // The longer the whole queue, the less of it one key may fill.
    const full = lane.waiting.size >= KNOWN_PACE_FACTOR * maxQueue - this.#waiting;
    return full || now + waitMs + lane.paceMs > untilMs ? waitMs : undefined;
  }

  /** How long a lane's calls take by its own pace, over the connections it holds or will have. */
  #waitByPace(lane: Lane, paceMs: number): number {
    const share = (MAX_HOLD / (MAX_HOLD + 1)) * (this.#options.connections / this.#lanes.size);
    return (lane.waiting.size * paceMs) / Math.max(1, lane.active, share);
  }

  /** The same by what ends, of all keys taking turns; says nothing of a key that is slow by itself. */
  #waitByThroughput(lane: Lane, paceMs: number): number {
    const perMs = paceMs > 2 * (this.#paceMs ?? 0) ? 0 : this.#throughput.perMs(performance.now());
    return perMs > 0 ? (lane.waiting.size * this.#lanes.size) / perMs : Infinity;
  }
}

const blend = (pace: number | undefined, newest: number): number =>
  pace === undefined ? newest : pace + NEWEST * (newest - pace);
