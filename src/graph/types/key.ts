/** Keys of objects, of callers and of backend responses, in which an error may replace a part. */

/** Parts of a key by name. */
export type Key = Readonly<Record<string, string>>;

/** A node with only its key, which is read if more is selected. */
export class NodeReference {
  readonly key: Key;

  constructor(key: Key) {
    this.key = key;
  }
}

/**
 * Checks a key before a call.
 *
 * @throws the error that replaces an invalid part and must not become an ID.
 */
export function requireKey<Key extends object>(key: Key): Key {
  for (const name in key) if (key[name] instanceof Error) throw key[name];
  return key;
}

/** Returns a value inside an object of a response, or the error that replaces it or an object around it. */
export function valueAt(object: unknown, ...path: readonly string[]): unknown {
  let value = object;
  for (const name of path) {
    if (value instanceof Error || value === null || value === undefined) return value;
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return value;
}

/**
 * Joins named values to an unambiguous map key: each is preceded by its length.
 *
 * @throws the error that replaces an invalid value.
 */
export function mapKeyOf(values: object, names?: readonly string[]): string {
  let text = '';
  if (names) for (const name of names) text += format(name, values);
  else for (const name in values) text += format(name, values);
  return text;
}

function format(name: string, values: object): string {
  const value = (values as Readonly<Record<string, unknown>>)[name];
  if (value instanceof Error) throw value;
  const text = String(value);
  return `${name}=${text.length}:${text}`;
}
