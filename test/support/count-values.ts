/**
 * The size of a response: its fields and list items, each counted once, as the plan bounds them.
 */
import { parse, visit } from 'graphql';

/** @param source the executed document. */
export function countValues(data: unknown, source: string): number {
  const scalars = scalarKeys(source);
  return count(data);

  function count(value: unknown): number {
    if (typeof value !== 'object' || value === null) return 0;
    let total = 0;
    for (const [key, inner] of Object.entries(value)) {
      total += 1 + (scalars.has(key) ? 0 : count(inner));
    }
    return total;
  }
}

/** Keys of JSON scalars, each of which counts as one value. */
function scalarKeys(source: string): ReadonlySet<string> {
  const keys = new Set<string>();
  visit(parse(source), {
    Field: ({ name, alias }) => {
      if (name.value === 'payload') keys.add(alias?.value ?? name.value);
    },
  });
  return keys;
}
