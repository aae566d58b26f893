/**
 * Keys as they are found on objects of the backend, where an error may stand for a part.
 */

/**
 * The key itself, fit to be asked for.
 *
 * @throws the error that stands where the backend broke a part: its text must not become an id.
 */
export function soundKey<Key extends object>(key: Key): Key {
  for (const part of Object.values(key)) if (part instanceof Error) throw part;
  return key;
}
