/** Differences between events of a subscription: the leaves of the data that have changed. */
import type { ExecutionResult } from 'graphql';
import { isNumberAsWritten } from '../exchange/json.ts';

export interface Change {
  /** The leaf's path below `data`, as its response keys: `audienceVersionProgress.audienceVersion.status`. */
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** In the order of the newer event; leaves that are gone come last. */
export function changesBetween(
  before: ExecutionResult | undefined,
  after: ExecutionResult,
): readonly Change[] {
  const old = leavesOf(before?.data);
  const now = leavesOf(after.data);
  return [...new Set([...now.keys(), ...old.keys()])].flatMap((path) => {
    const change = { path, before: old.get(path), after: now.get(path) };
    return change.before === change.after ? [] : [change];
  });
}

function leavesOf(
  value: unknown,
  path: readonly string[] = [],
  leaves = new Map<string, string>(),
): Map<string, string> {
  const isInner = typeof value === 'object' && value !== null && !isNumberAsWritten(value);
  const entries = isInner ? Object.entries(value) : [];
  if (entries.length === 0) {
    if (value !== undefined && path.length > 0) leaves.set(path.join('.'), JSON.stringify(value));
  }
  for (const [key, inner] of entries) leavesOf(inner, [...path, key], leaves);
  return leaves;
}
