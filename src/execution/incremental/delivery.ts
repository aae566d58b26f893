/**
 * Delivery of deferred fragments and streamed items after the initial result.
 *
 * Their tasks run concurrently with the initial result. Results available when it is sent are inlined; other fragments
 * and lists are announced, and follow in payloads of the incremental delivery proposal.
 *
 * Source: https://github.com/graphql/graphql-spec/pull/1110
 */
import { setImmediate as afterInput } from 'node:timers/promises';
import { responsePathAsArray, type GraphQLError } from 'graphql';
import { dictionary } from '../../lib/dictionary.ts';
import type { NullBoundary, ResponsePosition } from '../core/response-position.ts';
import type { DeferUsage } from '../operation/collect-fields.ts';

type PathKeys = readonly (string | number)[];

/**
 * How fragments are delivered.
 *
 * - `inlined`: those available with the initial result are silently part of it, and each field is delivered once.
 * - `announced`: in addition, labelled ones are announced and completed, for clients that wait for each.
 * - `whole`: labelled ones are never inlined, and each fragment is delivered whole, with all of its fields, for clients
 *   that parse each on its own.
 */
export type FragmentDelivery = 'inlined' | 'announced' | 'whole';

/** An announced fragment or list. */
export interface PendingResult {
  readonly id: string;
  readonly path: PathKeys;
  readonly label?: string;
  /** Index of the first pending item of a list. */
  readonly start?: number;
}

/** Fields of an object, or items of a list. */
export interface Incremental {
  readonly id: string;
  /** Path from the pending fragment to the object. */
  readonly subPath?: PathKeys;
  readonly data?: unknown;
  readonly items?: readonly unknown[];
  readonly errors?: readonly GraphQLError[];
}

interface Completed {
  readonly id: string;
  /** Errors that nulled a non-null position, so nothing is delivered. */
  readonly errors?: readonly GraphQLError[];
}

export interface DeliveredPayload {
  readonly pending: readonly PendingResult[];
  readonly incremental: readonly Incremental[];
  readonly completed: readonly Completed[];
  readonly hasNext: boolean;
}

interface InitialResult {
  readonly data: object | null;
  readonly errors: GraphQLError[];
}

interface TaskResult {
  /** Undefined if an error nulled all of it. */
  readonly data: unknown;
  readonly errors: readonly GraphQLError[];
}

/** A streamed item, which is executed separately. */
interface StreamedItem {
  readonly stream: Stream;
  readonly index: number;
}

/** A separate execution of a group of fields of one object, or of a list item. */
export class Task {
  /** Position of the object or the list; undefined for the root. */
  readonly position: ResponsePosition | undefined;
  readonly boundary: NullBoundary;
  /** Fragments of its fields; none for an item. */
  readonly fragments: readonly Fragment[];
  readonly item: StreamedItem | undefined;
  result: TaskResult | undefined;
  isDelivered = false;
  /** Fragments and streams that begin in it. */
  readonly children: (Fragment | Stream)[] = [];

  constructor(
    position: ResponsePosition | undefined,
    boundary: NullBoundary,
    fragments: readonly Fragment[],
    item?: StreamedItem,
  ) {
    this.position = position;
    this.boundary = boundary;
    this.fragments = fragments;
    this.item = item;
    for (const fragment of fragments) fragment.tasks.push(this);
    item?.stream.tasks.push(this);
  }

  /** Whether it has ended or been nulled. */
  get isOver(): boolean {
    return this.result !== undefined || this.boundary.isBelowNull;
  }
}

/** Origin of a fragment or a stream. */
interface Origin {
  readonly label: string | undefined;
  readonly position: ResponsePosition | undefined;
  readonly boundary: NullBoundary;
  /** Task in which it begins; undefined for the initial result. */
  readonly creator: Task | undefined;
}

/** A fragment or a stream, and the state of its delivery. */
class Deliverable {
  readonly origin: Origin;
  readonly tasks: Task[] = [];
  /** `dropped`: its position was nulled. */
  state: 'hidden' | 'announced' | 'done' | 'dropped' = 'hidden';
  id = '';

  constructor(origin: Origin) {
    this.origin = origin;
  }
}

/** A `@defer` at one object of the result. */
class Fragment extends Deliverable {
  readonly usage: DeferUsage;
  readonly parent: Fragment | undefined;
  readonly children: Fragment[] = [];

  constructor(origin: Origin, usage: DeferUsage, parent: Fragment | undefined) {
    super(origin);
    this.usage = usage;
    this.parent = parent;
    parent?.children.push(this);
  }
}

/** A streamed list; each pending item is a task. */
class Stream extends Deliverable {
  readonly list: unknown[];
  /** Number of delivered or inlined items. */
  #sent = 0;

  constructor(origin: Origin, list: unknown[]) {
    super(origin);
    this.list = list;
  }

  /** Next item to deliver; undefined after the last one. */
  get next(): Task | undefined {
    return this.tasks[this.#sent];
  }

  /** Returns the available items in order, and marks them as delivered. */
  take(): readonly Task[] {
    const from = this.#sent;
    for (let task = this.next; task?.result?.data !== undefined; task = this.next) {
      task.isDelivered = true;
      this.#sent += 1;
    }
    return this.tasks.slice(from, this.#sent);
  }
}

export class Delivery {
  /** Fragments of each `@defer`, by the paths of their objects. */
  readonly #fragments = new Map<DeferUsage, Map<string, Fragment>>();
  /** Fragments and streams that begin in the initial result. */
  readonly #roots: (Fragment | Stream)[] = [];
  readonly #onCancel: () => void;
  readonly #fragmentDelivery: FragmentDelivery;
  /** Announced, not yet completed. */
  readonly #open = new Set<Fragment | Stream>();
  #ids = 0;
  /** Undefined until it is sent. */
  #initial: InitialResult | undefined;
  #isOver = false;
  #pending: PendingResult[] = [];
  /** Made when they are read: the initial result, into which `whole` fragments merge theirs, is written before. */
  #incremental: (() => Incremental)[] = [];
  #completed: Completed[] = [];
  #wake: (() => void) | undefined;

  /** @param onCancel called once if the reader disconnects. */
  constructor(onCancel: () => void, fragmentDelivery: FragmentDelivery) {
    this.#onCancel = onCancel;
    this.#fragmentDelivery = fragmentDelivery;
  }

  /** Begins the fragments of `@defer`s at an object. */
  begin(usages: readonly DeferUsage[], at: Omit<Origin, 'label'>): void {
    const { position } = at;
    for (const usage of usages) {
      const parent = usage.parent && this.fragmentOf(usage.parent, position);
      const fragment = new Fragment({ label: usage.label, ...at }, usage, parent);
      let known = this.#fragments.get(usage);
      if (!known) this.#fragments.set(usage, (known = new Map<string, Fragment>()));
      known.set(textOf(position), fragment);
      this.#add(fragment);
    }
  }

  beginStream(origin: Origin, list: unknown[]): Stream {
    const stream = new Stream(origin, list);
    this.#add(stream);
    return stream;
  }

  #add(record: Fragment | Stream): void {
    const { creator } = record.origin;
    (creator ? creator.children : this.#roots).push(record);
  }

  /** Returns the fragment of a `@defer` that contains a position. */
  fragmentOf(usage: DeferUsage, position: ResponsePosition | undefined): Fragment {
    const known = this.#fragments.get(usage)!;
    let at = position;
    for (;;) {
      const found = known.get(textOf(at));
      if (found) return found;
      if (!at) throw new Error('A task belongs to a fragment that has not begun.');
      at = at.prev;
    }
  }

  /** Records the result of a task, and delivers completed fragments and items. */
  end(task: Task, result: TaskResult): void {
    if (task.result || this.#isOver) return;
    task.result = result;
    if (!this.#initial) return;
    for (const fragment of task.fragments) this.#settle(fragment);
    if (task.item) this.#flush(task.item.stream);
    this.#wakeReader();
  }

  /**
   * Inlines available results into the initial result, and announces other fragments and streams.
   *
   * @param data data of the initial result; modified, like its errors.
   * @returns announced fragments and streams; empty if no data follows.
   */
  sendInitial(data: object | null, errors: GraphQLError[]): readonly PendingResult[] {
    this.#initial = { data, errors };
    for (const record of this.#roots) this.#inline(record);
    for (const record of this.#roots) this.#announce(record);
    const pending = this.#pending;
    this.#pending = [];
    if (this.#open.size === 0 && pending.length === 0) this.#isOver = true;
    return pending;
  }

  /** Returns the next payload; undefined after the last one. */
  async next(): Promise<DeliveredPayload | undefined> {
    for (;;) {
      if (this.#incremental.length + this.#completed.length + this.#pending.length > 0) {
        const payload = {
          pending: this.#pending,
          incremental: this.#incremental.map((make) => make()),
          completed: this.#completed,
          hasNext: this.#open.size > 0,
        };
        [this.#pending, this.#incremental, this.#completed] = [[], [], []];
        return payload;
      }
      if (this.#open.size === 0) return undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      // Batches tasks that end with the same backend responses.
      await afterInput();
    }
  }

  /** Called if the reader disconnects. */
  cancel(): void {
    if (this.#isOver) return;
    this.#stop();
    this.#onCancel();
  }

  /** Ends the delivery with an error. */
  abort(error: GraphQLError): void {
    if (this.#isOver) return;
    for (const { id } of this.#open) this.#completed.push({ id, errors: [error] });
    this.#stop();
  }

  #stop(): void {
    this.#isOver = true;
    this.#open.clear();
    this.#wakeReader();
  }

  #wakeReader(): void {
    this.#wake?.();
    this.#wake = undefined;
  }

  /** Inlines a fragment or items if their results are available. */
  #inline(record: Fragment | Stream): void {
    if (record.state !== 'hidden' || record.origin.boundary.isBelowNull) return;
    if (record instanceof Stream) this.#inlineItems(record);
    else if (!record.parent || record.parent.state === 'done') this.#inlineFragment(record);
  }

  #inlineFragment(fragment: Fragment): void {
    const { tasks, origin } = fragment;
    const { position, label } = origin;
    if (label !== undefined && this.#fragmentDelivery === 'whole') return;
    if (!tasks.every((task) => task.isOver && !isFailed(task))) return;
    fragment.state = 'done';
    if (label !== undefined && this.#fragmentDelivery === 'announced') {
      const id = String(this.#ids++);
      this.#pending.push({ id, path: keysOf(position), label });
      this.#completed.push({ id });
    }
    for (const task of tasks) {
      const data = this.#take(task);
      if (!data) continue;
      Object.assign(this.#objectAt(task.position), data);
      this.#initial!.errors.push(...task.result!.errors);
    }
    for (const task of tasks) if (task.isDelivered) this.#adopt(task.children);
    this.#adopt(fragment.children);
  }

  #inlineItems(stream: Stream): void {
    for (const { result, children } of stream.take()) {
      stream.list.push(result!.data);
      this.#initial!.errors.push(...result!.errors);
      this.#adopt(children);
    }
    if (!stream.next) stream.state = 'done';
  }

  /** Moves fragments and streams of an inlined task to the initial result. */
  #adopt(records: readonly (Fragment | Stream)[]): void {
    for (const record of records) {
      this.#roots.push(record);
      this.#inline(record);
    }
  }

  #announce(record: Fragment | Stream): void {
    if (record.state !== 'hidden') return;
    const { label, position, boundary, creator } = record.origin;
    if (creator && !creator.isDelivered) return;
    if (record instanceof Fragment && record.parent && record.parent.state !== 'done') return;
    if (boundary.isBelowNull) {
      record.state = 'dropped';
      return;
    }
    if (
      record instanceof Fragment &&
      (label === undefined || this.#fragmentDelivery === 'inlined') &&
      record.tasks.every(({ isDelivered }) => isDelivered)
    ) {
      // The fragment has no pending fields, but nested `@defer`s may be announced.
      record.state = 'done';
      for (const child of record.children) this.#announce(child);
      return;
    }
    record.state = 'announced';
    record.id = String(this.#ids++);
    this.#open.add(record);
    this.#pending.push({
      id: record.id,
      path: keysOf(position),
      ...(label !== undefined && { label }),
      ...(record instanceof Stream && { start: record.list.length }),
    });
    if (record instanceof Stream) this.#flush(record);
    else this.#settle(record);
  }

  /** Delivers a fragment if all its tasks have ended. */
  #settle(fragment: Fragment): void {
    if (fragment.state !== 'announced' || !fragment.tasks.every((task) => task.isOver)) return;
    const failures = fragment.tasks.filter(isFailed).flatMap(({ result }) => result!.errors);
    if (failures.length > 0) {
      this.#complete(fragment, failures);
      fragment.state = 'dropped';
      return;
    }
    if (this.#fragmentDelivery === 'whole') this.#deliverWhole(fragment);
    else for (const task of fragment.tasks) this.#deliver(task);
    this.#complete(fragment);
    for (const task of fragment.tasks) {
      if (task.isDelivered) for (const child of task.children) this.#announce(child);
    }
    for (const child of fragment.children) this.#announce(child);
  }

  /** Marks a task as delivered. @returns its data; undefined if it was delivered before. */
  #take(task: Task): object | undefined {
    if (!task.result || task.isDelivered || task.boundary.isBelowNull) return undefined;
    task.isDelivered = true;
    return task.result.data as object; // not null, since it has not failed
  }

  #objectAt(position: ResponsePosition | undefined): Record<string, unknown> {
    return (position ? position.value : this.#initial!.data) as Record<string, unknown>; // not below null
  }

  #deliverWhole({ id, usage, origin, tasks }: Fragment): void {
    const taken = tasks.filter((task) => this.#take(task));
    const errors = taken.flatMap(({ result }) => result!.errors);
    this.#incremental.push(() => {
      for (const { position, result } of taken) {
        Object.assign(this.#objectAt(position), result!.data);
      }
      const object = this.#objectAt(origin.position);
      const data = dictionary<unknown>(usage.keys().map((key) => [key, object[key]] as const));
      return { id, data, ...(errors.length > 0 && { errors }) };
    });
  }

  #deliver(task: Task): void {
    const data = this.#take(task);
    if (!data) return;
    const { position, fragments } = task;
    const { errors } = task.result!;
    const keys = keysOf(position);
    // Delivered with the id of the fragment with the longest path, which is not repeated.
    const { id, path: from } = fragments
      .filter(({ state }) => state === 'announced')
      .map(({ id, origin }) => ({ id, path: keysOf(origin.position) }))
      .reduce((a, b) => (b.path.length > a.path.length ? b : a));
    const subPath = keys.slice(from.length);
    this.#incremental.push(() => ({
      id,
      ...(subPath.length > 0 && { subPath }),
      data,
      ...(errors.length > 0 && { errors }),
    }));
  }

  /** Delivers available items in order. */
  #flush(stream: Stream): void {
    if (stream.state !== 'announced') return;
    const ready = stream.take();
    const failure = stream.next?.result?.errors;
    if (ready.length > 0) {
      const { id, list } = stream;
      const errors = ready.flatMap(({ result }) => result!.errors);
      const items = ready.map(({ result }) => result!.data);
      this.#incremental.push(() => {
        if (this.#fragmentDelivery === 'whole') list.push(...items);
        return { id, items, ...(errors.length > 0 && { errors }) };
      });
    }
    if (failure || !stream.next) this.#complete(stream, failure);
    for (const task of ready) for (const child of task.children) this.#announce(child);
  }

  #complete(record: Fragment | Stream, errors?: readonly GraphQLError[]): void {
    record.state = errors ? 'dropped' : 'done';
    this.#open.delete(record);
    this.#completed.push({ id: record.id, ...(errors && { errors }) });
  }
}

const isFailed = ({ result, boundary }: Task): boolean =>
  result !== undefined && result.data === undefined && !boundary.isBelowNull;

const keysOf = (position: ResponsePosition | undefined): PathKeys => responsePathAsArray(position);

const textOf = (position: ResponsePosition | undefined): string => JSON.stringify(keysOf(position));
