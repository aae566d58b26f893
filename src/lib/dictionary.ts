/**
 * Objects whose keys are names that somebody else chose: a caller's variables, aliases, input.
 *
 * Nothing is inherited, so `__proto__` and `constructor` are keys like others. A class and not
 * `Object.create(null)`, which V8 keeps in a slower form.
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
