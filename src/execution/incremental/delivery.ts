/**
 * What comes after the initial answer: fragments that `@defer` puts off and items that `@stream` does.
 *
 * All of it is executed beside the initial answer. What has ended when that one does is put into it;
 * only the rest is announced, and follows in payloads as the incremental delivery proposal has them.
 *
 * Source: https://github.com/graphql/graphql-spec/pull/1110
 */
import { setImmediate as afterInput } from 'node:timers/promises';
import { responsePathAsArray, type GraphQLError } from 'graphql';
import type { NullBoundary, Path } from '../result/path.ts';
import type { DeferUsage } from '../operation/collect-deferred.ts';

type PathKeys = readonly (string | number)[];

/** A fragment or a list of which parts are still to come. */
export interface Pending {
  readonly id: string;
  readonly path: PathKeys;
  readonly label?: string;
  /** Of a list: the index of the first item that is still to come. */
  readonly start?: number;
}

/** Fields of an object, or items of a list. */
export interface Incremental {
  readonly id: string;
  /** From the path of what is pending to the object. */
  readonly subPath?: PathKeys;
  readonly data?: unknown;
  readonly items?: readonly unknown[];
  readonly errors?: readonly GraphQLError[];
}

interface Completed {
  readonly id: string;
  /** Why there is nothing: it would have to be null, and must not be. */
  readonly errors?: readonly GraphQLError[];
}

export interface Payload {
  readonly pending: readonly Pending[];
  readonly incremental: readonly Incremental[];
  readonly completed: readonly Completed[];
  readonly hasNext: boolean;
}

interface PartResult {
  /** Undefined where an error has left nothing. */
  readonly data: unknown;
  readonly isFailed: boolean;
  readonly errors: readonly GraphQLError[];
}

/** What waits for a part. */
interface Waiting {
  readonly fragments?: readonly Fragment[];
  readonly stream?: Stream;
  readonly index?: number;
}

/** Something executed beside the answer: a group of fields of one object, or an item of a list. */
export class Part {
  /** Of the object; undefined for the root. */
  readonly path: Path | undefined;
  readonly place: NullBoundary;
  /** Those that wait for it; none for an item. */
  readonly fragments: readonly Fragment[];
  readonly stream: Stream | undefined;
  /** Of an item. */
  readonly index: number | undefined;
  /** Where its fields go when they are there in time. */
  readonly target: object;
  result: PartResult | undefined;
  isDelivered = false;
  /** What began in it. */
  readonly children: (Fragment | Stream)[] = [];

  constructor(
    path: Path | undefined,
    place: NullBoundary,
    target: object,
    { fragments = [], stream, index }: Waiting,
  ) {
    this.index = index;
    stream?.items.push(this);
    this.path = path;
    this.place = place;
    this.target = target;
    this.fragments = fragments;
    this.stream = stream;
    for (const fragment of fragments) fragment.parts.push(this);
  }

  /** Nothing more follows, or is wanted. */
  get isOver(): boolean {
    return this.result !== undefined || this.place.isBelowNull;
  }
}

/** How far something is that comes later. `dropped`: what it stands in is null. */
type State = 'hidden' | 'announced' | 'done' | 'dropped';

/** Where something begins that comes later. */
interface Origin {
  readonly label: string | undefined;
  readonly path: Path | undefined;
  readonly place: NullBoundary;
  /** What it began in; undefined for the initial answer. */
  readonly creator: Part | undefined;
}

/** A `@defer` at one object of the answer. */
class Fragment {
  readonly origin: Origin;
  readonly parent: Fragment | undefined;
  readonly parts: Part[] = [];
  readonly children: Fragment[] = [];
  state: State = 'hidden';
  id = '';

  constructor(origin: Origin, parent: Fragment | undefined) {
    this.origin = origin;
    this.parent = parent;
    parent?.children.push(this);
    origin.creator?.children.push(this);
  }
}

/** A list whose items are still to come. */
export class Stream {
  readonly origin: Origin;
  readonly list: unknown[];
  readonly items: Part[] = [];
  /** How many items were delivered, or put into the answer. */
  sent = 0;
  state: State = 'hidden';
  id = '';

  constructor(origin: Origin, list: unknown[]) {
    this.origin = origin;
    this.list = list;
    origin.creator?.children.push(this);
  }
}

export class Delivery {
  /** Where each `@defer` has begun, by its object's path. */
  readonly #fragments = new Map<DeferUsage, Map<string, Fragment>>();
  /** What began in the initial answer. */
  readonly #roots: (Fragment | Stream)[] = [];
  readonly #onCancel: () => void;
  readonly #announcesAll: boolean;
  readonly #announced = new Set<string>();
  #ids = 0;
  #isInitialSent = false;
  #open = 0;
  #isOver = false;
  #pending: Pending[] = [];
  #incremental: Incremental[] = [];
  #completed: Completed[] = [];
  #wake: (() => void) | undefined;

  /**
   * @param onCancel called once when the reader has left.
   * @param announcesAll whether fragments with labels are announced that the initial answer has.
   */
  constructor(onCancel: () => void, announcesAll: boolean) {
    this.#onCancel = onCancel;
    this.#announcesAll = announcesAll;
  }

  /** The `@defer`s that begin at an object. */
  begin(usages: readonly DeferUsage[], at: Omit<Origin, 'label'>): void {
    const { path, creator } = at;
    for (const usage of usages) {
      const parent = usage.parent && this.fragmentOf(usage.parent, path);
      const fragment = new Fragment({ label: usage.label, ...at }, parent);
      let known = this.#fragments.get(usage);
      if (!known) this.#fragments.set(usage, (known = new Map<string, Fragment>()));
      known.set(textOf(path), fragment);
      if (!parent && !creator) this.#roots.push(fragment);
    }
  }

  /** Where a `@defer` has begun that a path is in. */
  fragmentOf(usage: DeferUsage, path: Path | undefined): Fragment {
    const known = this.#fragments.get(usage)!;
    let at = path;
    for (;;) {
      const found = known.get(textOf(at));
      if (found) return found;
      if (!at) throw new Error('A part belongs to a fragment that has not begun.');
      at = at.prev;
    }
  }

  beginStream(stream: Stream): void {
    if (!stream.origin.creator) this.#roots.push(stream);
  }

  /** A part has ended: what waits for it may go. */
  end(part: Part, result: PartResult): void {
    if (part.result || this.#isOver) return;
    part.result = result;
    if (!this.#isInitialSent) return;
    for (const fragment of part.fragments) this.#settle(fragment);
    if (part.stream) this.#flush(part.stream);
    this.#wakeLater();
  }

  /**
   * Puts into the initial answer what is there, and announces the rest.
   *
   * @param errors of the initial answer; grows.
   * @returns what is announced; nothing when the answer is whole.
   */
  sendInitial(errors: GraphQLError[]): readonly Pending[] {
    this.#isInitialSent = true;
    for (const record of this.#roots) this.#inline(record, errors);
    for (const record of this.#roots) this.#announce(record);
    const pending = this.#pending;
    this.#pending = [];
    if (this.#open === 0 && pending.length === 0) this.#isOver = true;
    return pending;
  }

  /** The next payload; undefined after the last one. */
  async next(): Promise<Payload | undefined> {
    for (;;) {
      if (this.#incremental.length + this.#completed.length + this.#pending.length > 0) {
        const payload = {
          pending: this.#pending,
          incremental: this.#incremental,
          completed: this.#completed,
          hasNext: this.#open > 0,
        };
        [this.#pending, this.#incremental, this.#completed] = [[], [], []];
        return payload;
      }
      if (this.#isOver || this.#open === 0) return undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      // Parts that end with the same answers of the backend go together.
      await afterInput();
    }
  }

  /** The reader has left. */
  cancel(): void {
    if (this.#isOver) return;
    this.#stop();
    this.#onCancel();
  }

  /** Nothing more is to come, because of an error. */
  abort(error: GraphQLError): void {
    if (this.#isOver) return;
    for (const id of this.#announced) this.#completed.push({ id, errors: [error] });
    this.#stop();
  }

  #stop(): void {
    this.#isOver = true;
    this.#open = 0;
    this.#announced.clear();
    this.#wakeLater();
  }

  #wakeLater(): void {
    this.#wake?.();
    this.#wake = undefined;
  }

  /** Puts into the initial answer what is there. */
  #inline(record: Fragment | Stream, errors: GraphQLError[]): void {
    if (record.state !== 'hidden' || record.origin.place.isBelowNull) return;
    if (record instanceof Stream) this.#inlineItems(record, errors);
    else if (!record.parent || record.parent.state === 'done') this.#inlineFragment(record, errors);
  }

  #inlineFragment(fragment: Fragment, errors: GraphQLError[]): void {
    const { parts, origin } = fragment;
    const { path, label } = origin;
    if (!parts.every((part) => part.isOver && !isFailed(part))) return;
    fragment.state = 'done';
    if (this.#announcesAll && label !== undefined) {
      const id = String(this.#ids++);
      this.#pending.push({ id, path: keysOf(path), label });
      this.#completed.push({ id });
    }
    for (const part of parts) {
      if (!part.result || part.isDelivered || part.place.isBelowNull) continue;
      part.isDelivered = true;
      Object.assign(part.target, part.result.data);
      errors.push(...part.result.errors);
    }
    for (const part of parts) if (part.isDelivered) this.#adopt(part.children, errors);
    this.#adopt(fragment.children, errors);
  }

  #inlineItems(stream: Stream, errors: GraphQLError[]): void {
    for (; stream.sent < stream.items.length; stream.sent++) {
      const part = stream.items[stream.sent]!;
      if (!part.result || part.result.isFailed) return;
      part.isDelivered = true;
      stream.list.push(part.result.data);
      errors.push(...part.result.errors);
      this.#adopt(part.children, errors);
    }
    stream.state = 'done';
  }

  /** What began in a part that is now in the initial answer began in that. */
  #adopt(records: readonly (Fragment | Stream)[], errors: GraphQLError[]): void {
    for (const record of records) {
      this.#roots.push(record);
      this.#inline(record, errors);
    }
  }

  #announce(record: Fragment | Stream): void {
    if (record.state !== 'hidden') return;
    const { label, path, place, creator } = record.origin;
    if (creator && !creator.isDelivered) return;
    if (record instanceof Fragment && record.parent && record.parent.state !== 'done') return;
    if (place.isBelowNull) {
      record.state = 'dropped';
      return;
    }
    if (record instanceof Fragment && record.parts.every(({ isDelivered }) => isDelivered)) {
      // It has no fields of its own, but `@defer`s inside it may be announced.
      record.state = 'done';
      for (const child of record.children) this.#announce(child);
      return;
    }
    record.state = 'announced';
    record.id = String(this.#ids++);
    this.#announced.add(record.id);
    this.#open += 1;
    this.#pending.push({
      id: record.id,
      path: keysOf(path),
      ...(label !== undefined && { label }),
      ...(record instanceof Stream && { start: record.list.length }),
    });
    if (record instanceof Stream) this.#flush(record);
    else this.#settle(record);
  }

  /** Delivers a fragment if all of it is there. */
  #settle(fragment: Fragment): void {
    if (fragment.state !== 'announced' || !fragment.parts.every((part) => part.isOver)) return;
    const failures = fragment.parts.filter(isFailed).flatMap(({ result }) => result!.errors);
    if (failures.length > 0) {
      this.#complete(fragment, failures);
      fragment.state = 'dropped';
      return;
    }
    for (const part of fragment.parts) this.#deliver(part);
    this.#complete(fragment);
    for (const part of fragment.parts) {
      if (part.isDelivered) for (const child of part.children) this.#announce(child);
    }
    for (const child of fragment.children) this.#announce(child);
  }

  #deliver(part: Part): void {
    const { result, path, fragments } = part;
    if (!result || part.isDelivered || part.place.isBelowNull) return;
    part.isDelivered = true;
    const keys = keysOf(path);
    // By the one that is nearest: its path is not repeated.
    const { id, path: from } = fragments
      .filter(({ state }) => state === 'announced')
      .map(({ id, origin }) => ({ id, path: keysOf(origin.path) }))
      .reduce((a, b) => (b.path.length > a.path.length ? b : a));
    const subPath = keys.slice(from.length);
    this.#incremental.push({
      id,
      ...(subPath.length > 0 && { subPath }),
      data: result.data,
      ...(result.errors.length > 0 && { errors: result.errors }),
    });
  }

  /** Delivers the items that are there, in their order. */
  #flush(stream: Stream): void {
    if (stream.state !== 'announced') return;
    const ready: Part[] = [];
    let failure: readonly GraphQLError[] | undefined;
    while (stream.sent < stream.items.length) {
      const part = stream.items[stream.sent]!;
      if (!part.result) break;
      if (part.result.isFailed) {
        failure = part.result.errors;
        break;
      }
      part.isDelivered = true;
      stream.sent += 1;
      ready.push(part);
    }
    if (ready.length > 0) {
      const errors = ready.flatMap(({ result }) => result!.errors);
      this.#incremental.push({
        id: stream.id,
        items: ready.map(({ result }) => result!.data),
        ...(errors.length > 0 && { errors }),
      });
    }
    if (failure || stream.sent === stream.items.length) this.#complete(stream, failure);
    for (const part of ready) for (const child of part.children) this.#announce(child);
  }

  #complete(record: Fragment | Stream, errors?: readonly GraphQLError[]): void {
    record.state = errors ? 'dropped' : 'done';
    this.#open -= 1;
    this.#announced.delete(record.id);
    this.#completed.push({ id: record.id, ...(errors && { errors }) });
  }
}

const isFailed = ({ result, place }: Part): boolean =>
  result !== undefined && result.isFailed && !place.isBelowNull;

const keysOf = (path: Path | undefined): PathKeys => responsePathAsArray(path);

const textOf = (path: Path | undefined): string => JSON.stringify(keysOf(path));
