/** An incremental result, assembled as clients do. */
import type { GraphQLError } from 'graphql';
import type { IncrementalResult } from '../../../src/execution/incremental/incremental-executor.ts';
import type {
  DeliveredPayload,
  PendingResult,
} from '../../../src/execution/incremental/delivery.ts';

type Keys = readonly (string | number)[];

export interface Assembled {
  readonly data: any;
  readonly errors: readonly GraphQLError[];
  /** The paths of parts that failed as a whole. */
  readonly failed: readonly Keys[];
  readonly payloads: readonly DeliveredPayload[];
  /** All parts that were announced. */
  readonly pending: readonly PendingResult[];
}

export async function assemble(result: IncrementalResult): Promise<Assembled> {
  const data = structuredClone(plain(result.data));
  const errors = [...(result.errors ?? [])];
  const failed: Keys[] = [];
  const payloads: DeliveredPayload[] = [];
  const open = new Map<string, PendingResult>();
  const all: PendingResult[] = [];
  const announce = (pending: readonly PendingResult[]) => {
    for (const one of pending) {
      if (open.has(one.id)) throw new Error(`"${one.id}" was announced twice.`);
      if (at(data, one.path) == null) throw new Error(`Nothing is at ${one.path.join('.')}.`);
      open.set(one.id, one);
      all.push(one);
    }
  };
  const openOf = (id: string): PendingResult => {
    const found = open.get(id);
    if (!found) throw new Error(`"${id}" was not announced, or is complete.`);
    return found;
  };
  announce(result.subsequent?.pending ?? []);
  for (
    let payload = await result.subsequent?.next();
    payload;
    payload = await result.subsequent?.next()
  ) {
    payloads.push(payload);
    // Nested fragments are announced together with their parents.
    const early = payload.pending.filter(({ path }) => at(data, path) != null);
    announce(early);
    for (const {
      id,
      subPath = [],
      data: fields,
      items,
      errors: more = [],
    } of payload.incremental) {
      const place = at(data, [...openOf(id).path, ...subPath]);
      if (items) place.push(...(plain(items) as unknown[]));
      else merge(place, plain(fields));
      errors.push(...more);
      announce(payload.pending.filter((one) => !all.includes(one) && at(data, one.path) != null));
    }
    announce(payload.pending.filter((one) => !all.includes(one)));
    for (const { id, errors: more } of payload.completed) {
      const { path } = openOf(id);
      if (more) {
        failed.push(path);
        errors.push(...more);
      }
      open.delete(id);
    }
    if (payload.hasNext !== open.size > 0) throw new Error('"hasNext" is wrong.');
  }
  if (open.size > 0) throw new Error('Something was announced that never came.');
  return { data, errors, failed, payloads, pending: all };
}

export const plain = (value: unknown): unknown =>
  value === undefined ? undefined : (JSON.parse(JSON.stringify(value)) as unknown);

export const at = (data: any, path: Keys): any =>
  path.reduce((value, key) => (value == null ? value : value[key]), data);

function merge(into: any, from: any): void {
  for (const [key, value] of Object.entries(from as object)) {
    const there = into[key];
    if (there !== null && typeof there === 'object' && value !== null) {
      throw new Error(`"${key}" was answered twice.`);
    }
    into[key] = value;
  }
}
