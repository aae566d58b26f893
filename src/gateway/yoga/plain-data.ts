/**
 * Converts the executor's objects to objects without a prototype, as graphql-js creates them: plugins do not descend
 * into others.
 */
import type { ExecutionResult } from 'graphql';
import type { ResultPart } from '../operation/result-parts.ts';

export const withPlainData = (result: ExecutionResult): ExecutionResult =>
  result.data ? { ...result, data: plain(result.data) as typeof result.data } : result;

export const plainPart = (part: ResultPart): ResultPart =>
  part.incremental
    ? {
        ...part,
        incremental: part.incremental.map((one) =>
          one.items ? { ...one, items: plain(one.items) } : { ...one, data: plain(one.data) },
        ),
      }
    : part;

function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  const prototype: unknown = Object.getPrototypeOf(value);
  const isOfExecutor =
    prototype === null ||
    (prototype !== Object.prototype && Object.getPrototypeOf(prototype) === null);
  // Scalars may have other prototypes.
  if (!isOfExecutor) return value;
  const copy = Object.create(null) as Record<string, unknown>;
  for (const key of Object.keys(value)) copy[key] = plain((value as typeof copy)[key]);
  return copy;
}
