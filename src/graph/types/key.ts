/**
 * Keys of objects: as they are passed on, and as they are found on answers of the backend, where an
 * error may stand for a part.
 */

/** The parts of a key by their names. */
export type Key = Readonly<Record<string, string>>;

/** A node of which the backend gave the key only. It is read when more is selected. */
export class NodeReference {
  readonly key: Key;

  constructor(key: Key) {
    this.key = key;
  }
}

/**
 * Returns the key, which may be asked for.
 *
 * @throws the error that stands where the backend broke a part: its text must not become an id.
 */
export function soundKey<Key extends object>(key: Key): Key {
  for (const name in key) if (key[name] instanceof Error) throw key[name];
  return key;
}

/**
 * Named values as one text, for use as a map key: equal for equal values only, since each is preceded by
 * its length.
 *
 * @throws the error that stands where the backend broke a value.
 */
export function textOf(values: object, names?: readonly string[]): string {
  let text = '';
  if (names) for (const name of names) text += written(name, values);
  else for (const name in values) text += written(name, values);
  return text;
}

function written(name: string, values: object): string {
  const value = (values as Readonly<Record<string, unknown>>)[name];
  if (value instanceof Error) throw value;
  const text = String(value);
  return `${name}=${text.length}:${text}`;
}
