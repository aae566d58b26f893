/**
 * Objects whose keys come from callers: variables, aliases, input fields.
 *
 * Nothing is inherited, so `__proto__` and `constructor` are ordinary keys.
 */
export function dictionary<Value>(
  entries: Iterable<readonly [name: string, value: Value]> = [],
): Record<string, Value> {
  const made = Object.create(null) as Record<string, Value>;
  for (const [name, value] of entries) made[name] = value;
  return made;
}
