/**
 * Creates objects with keys from callers: variables, aliases, input fields.
 *
 * Without a prototype, so `__proto__` and `constructor` are ordinary keys.
 */
export function dictionary<Value>(
  entries: Iterable<readonly [name: string, value: Value]> = [],
): Record<string, Value> {
  const made = Object.create(null) as Record<string, Value>;
  for (const [name, value] of entries) made[name] = value;
  return made;
}
