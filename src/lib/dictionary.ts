/**
 * Objects whose keys come from callers: variables, aliases, input fields.
 *
 * Nothing is inherited, so `__proto__` and `constructor` are ordinary keys. A class, because V8 keeps
 * objects of `Object.create(null)` in a slower form.
 */
class Dictionary {
  static {
    Object.setPrototypeOf(this.prototype, null);
    Reflect.deleteProperty(this.prototype, 'constructor');
  }
  [name: string]: unknown;
}

/** An object without a prototype, with these entries. */
export function dictionary<Value>(
  entries?: Iterable<readonly [name: string, value: Value]>,
): Record<string, Value> {
  const made = new Dictionary() as Record<string, Value>;
  if (entries) for (const [name, value] of entries) made[name] = value;
  return made;
}
