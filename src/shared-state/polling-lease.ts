/**
 * Which of several processes polls an object that all of them watch: the one that holds a lease in Redis. It shares
 * what it reads, and the others ask it to read.
 *
 * A holder is told apart from those before it by a fencing token, which is the server's time: what one shares that
 * has lost its lease is refused. Messages only hurry things up. Each process asks for the lease and for what was
 * shared last every second, so that a lost message costs time and never truth.
 */
import { randomUUID } from 'node:crypto';
import type { Connection } from './redis/connection.ts';
import { HOLD, RELEASE, SHARE } from './lease-scripts.ts';
import { PREFIX, type Store } from './redis/store.ts';

/** For how long a lease is held without being renewed, in milliseconds. */
const LEASE_MS = 3_000;

/** Between two renewals of a holder, and two looks of another process, in milliseconds. */
const BEAT_MS = LEASE_MS / 3;

/**
 * After how long without an answer a process takes itself for alone, by its own clock, in milliseconds: a holder
 * ends before another begins.
 */
const ALONE_MS = (2 * LEASE_MS) / 3;

/** How long what was shared last is kept, in milliseconds. */
const KEPT_MS = 60_000;

/** Processes whose asks a holder remembers. */
const MAX_ASKING = 100;

/** What a poller is told. */
interface LeaseListener {
  /** Whether this process polls may have changed, or what it was told before may be older than what it knows. */
  onTurn(): void;
  /** Another process asks for a reading that begins after now. */
  onAsk(): void;
  onShared(shared: Shared): void;
}

/** What another process has read. */
export interface Shared {
  readonly text: string;
  /** The highest `ask` of this process that the reading began after; 0 for none. */
  readonly answered: number;
  /** How often the holder has read by then. */
  readonly polls: number;
}

/** The highest ask of each process that has asked. */
export type Asked = ReadonlyMap<string, number>;

/** How many leases this process holds, knows to be another's, and has to do without. */
export type Role = 'undecided' | 'holder' | 'follower' | 'alone';

export class PollingLeases {
  readonly #store: Store;
  readonly #replica = randomUUID();
  readonly #leases = new Set<PollingLease>();
  #asks = 0;

  constructor(store: Store) {
    this.#store = store;
  }

  /** @param id of the object and of the key it is read with. */
  open(id: string, listener: LeaseListener): PollingLease {
    const { connection, hash } = this.#store;
    const lease = new PollingLease({
      // One slot of a cluster, should it ever be one.
      name: `${PREFIX}live:{${hash(id)}}`,
      ...{ connection, replica: this.#replica, listener },
      nextAsk: () => (this.#asks += 1),
      onEnd: () => this.#leases.delete(lease),
    });
    this.#leases.add(lease);
    return lease;
  }

  /** Gives all leases back: this process stops. */
  close(): void {
    for (const lease of this.#leases) lease.end();
  }

  count(role: Role): number {
    let count = 0;
    for (const lease of this.#leases) if (lease.role === role) count += 1;
    return count;
  }
}

interface LeaseOptions {
  readonly connection: Connection;
  readonly name: string;
  readonly replica: string;
  /** Grows over all leases of the process: a holder remembers asks for longer than a lease may live here. */
  readonly nextAsk: () => number;
  readonly listener: LeaseListener;
  readonly onEnd: () => void;
}

/** What this process has to do with an object. */
export class PollingLease {
  readonly #options: LeaseOptions;
  readonly #names: Readonly<Record<'lease' | 'shared' | 'channel', string>>;
  #role: Role = 'undecided';
  /** When the last request that was answered was sent, on `performance.now()`'s clock. */
  #answeredMs = -Infinity;
  #timer: NodeJS.Timeout | undefined;
  #isBeating = false;
  #isOver = false;
  /** Of this process' own lease. */
  #token = '';
  /** Token and number of what was heard last: what is lower came late. */
  #heard = { token: '', number: 0 };
  /** Of what this process has shared with its token. */
  #number = 0;
  /** What the others know of it. */
  #shared: string | undefined;
  /** The last ask of this process. */
  #asks = 0;
  /** The highest that was answered. */
  #answered = 0;
  readonly #asked = new Map<string, number>();

  constructor(options: LeaseOptions) {
    const { name } = options;
    this.#options = options;
    this.#names = { lease: `${name}:lease`, shared: `${name}:shared`, channel: `${name}:channel` };
    void this.#open();
  }

  get role(): Role {
    return this.#role;
  }

  /** Whether this process polls: it holds the lease, or it is alone. */
  get isMine(): boolean {
    if (this.#role === 'alone') return true;
    return this.#role === 'holder' && performance.now() < this.#answeredMs + ALONE_MS;
  }

  /** Asks the lease holder for a reading. @returns the number of the ask; each is higher than the last. */
  ask(): number {
    this.#asks = this.#options.nextAsk();
    this.#sendAsk();
    return this.#asks;
  }

  /** Who has asked so far, to be handed to `share` after a reading that begins now. */
  asked(): Asked {
    return new Map(this.#asked);
  }

  /** Tells the others; nothing where they know it, or where the lease is not held. */
  share(text: string, polls: number, asked: Asked): void {
    if (this.#role !== 'holder' || this.#isOver) return;
    const answers = [...asked];
    const known = JSON.stringify([text, answers]);
    if (this.#shared === known) return;
    this.#shared = known;
    this.#number += 1;
    this.#heard = { token: this.#token, number: this.#number };
    const entry = `${this.#token} ${this.#number} ${JSON.stringify({ answers, polls, text })}`;
    const { lease, shared, channel } = this.#names;
    void this.#options.connection
      .run(SHARE, [lease, shared], [this.#held(), entry, KEPT_MS, channel])
      .then((isShared) => {
        if (isShared === 1 || this.#isOver) return;
        this.#shared = undefined;
        // Refused: the lease is another's, or gone.
        if (isShared === 0) void this.#beat();
      });
  }

  /** Gives the lease back. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    const { lease, channel } = this.#names;
    this.#options.connection.unsubscribe(channel);
    if (this.#role === 'holder')
      void this.#options.connection.run(RELEASE, [lease], [this.#held(), channel]);
    this.#options.onEnd();
  }

  /** What the lease is while this process holds it. */
  #held(): string {
    return `${this.#token}:${this.#options.replica}`;
  }

  async #open(): Promise<void> {
    // Subscribes before the first beat, so that no ask and no shared reading is missed.
    await this.#options.connection.subscribe(this.#names.channel, {
      onMessage: (text) => this.#hear(text),
      onGap: () => void this.#beat(),
    });
    await this.#beat();
  }

  /** Asks for the lease, and for what was shared last. */
  async #beat(): Promise<void> {
    if (this.#isBeating || this.#isOver) return;
    this.#isBeating = true;
    clearTimeout(this.#timer);
    const sentMs = performance.now();
    const { lease, shared } = this.#names;
    const { token, number } = this.#heard;
    const known = token && `${token} ${number} `;
    const answer = (await this.#options.connection.run(
      HOLD,
      [lease, shared],
      [this.#options.replica, LEASE_MS, token || '0', known],
    )) as readonly [isMine: number, token: string, shared: string] | undefined; // as the script answers
    this.#isBeating = false;
    if (this.#isOver) return;
    if (answer) this.#answeredMs = sentMs;
    const leftMs = this.#answeredMs + ALONE_MS - performance.now();
    const waitMs = BEAT_MS * (0.9 + Math.random() * 0.2);
    this.#timer = setTimeout(
      () => void this.#beat(),
      leftMs > 0 ? Math.min(waitMs, leftMs) : waitMs,
    );
    if (!answer) {
      if (leftMs <= 0) this.#become('alone');
      return;
    }
    if (answer[2]) this.#hearShared(answer[2]);
    if (this.#isOver) return;
    if (answer[0] === 1) this.#take(answer[1]);
    else this.#follow(answer[1]);
  }

  #take(token: string): void {
    if (token !== this.#token) {
      this.#token = token;
      this.#heard = { token, number: 0 };
      this.#number = 0;
      this.#shared = undefined;
    }
    this.#become('holder');
  }

  #follow(token: string): void {
    const isOld = token < this.#heard.token;
    // Redis is empty and its clock is behind: what this process knows has no place in its order.
    if (isOld) this.#heard = { token: '', number: 0 };
    this.#become('follower', isOld);
    if (this.#answered < this.#asks) this.#sendAsk();
  }

  /** @param isNews whether listeners are told in any case. */
  #become(role: Role, isNews = false): void {
    if (role === this.#role && !isNews) return;
    this.#role = role;
    this.#options.listener.onTurn();
  }

  #sendAsk(): void {
    if (this.#role !== 'follower') return;
    this.#options.connection.publish(
      this.#names.channel,
      `ask ${this.#options.replica} ${this.#asks}`,
    );
  }

  #hear(message: string): void {
    const at = message.indexOf(' ');
    const kind = at < 0 ? message : message.slice(0, at);
    const text = message.slice(at + 1);
    if (kind === 'shared') this.#hearShared(text);
    else if (kind === 'ask') this.#hearAsk(text);
    else if (kind === 'free' && this.#role === 'follower') void this.#beat();
  }

  #hearAsk(text: string): void {
    const [replica = '', number] = text.split(' ');
    if (this.#role !== 'holder' || replica === this.#options.replica) return;
    if (this.#asked.size >= MAX_ASKING && !this.#asked.has(replica)) {
      this.#asked.delete(this.#asked.keys().next().value!); // it is not empty
    }
    this.#asked.set(replica, Number(number));
    this.#options.listener.onAsk();
  }

  #hearShared(entry: string): void {
    const [token = '', number = ''] = entry.split(' ', 2);
    const { token: heard, number: last } = this.#heard;
    if (token === this.#token) return;
    if (token < heard || (token === heard && Number(number) <= last)) return;
    const read = parse(entry.slice(token.length + number.length + 2));
    if (!read) return;
    this.#heard = { token, number: Number(number) };
    const { answers, polls, text } = read;
    const answered = answers.find(([replica]) => replica === this.#options.replica)?.[1] ?? 0;
    this.#answered = Math.max(this.#answered, answered);
    this.#options.listener.onShared({ text, answered, polls });
  }
}

interface Entry {
  readonly answers: readonly (readonly [replica: string, ask: number])[];
  readonly polls: number;
  readonly text: string;
}

/** @returns undefined for an entry that another program has written. */
function parse(text: string): Entry | undefined {
  try {
    const entry = JSON.parse(text) as Entry; // written by `share`, or dropped below
    return Array.isArray(entry.answers) && typeof entry.text === 'string' ? entry : undefined;
  } catch {
    return undefined;
  }
}
