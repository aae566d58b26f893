/** JSON in parts, so that a large answer need not be written in one turn of the event loop. */

/** Lists are opened until so many items have been written side by side: what is below them is a part each. */
const PARTS = 64;

/** The parts of `JSON.stringify(value)`. */
export function* jsonParts(value: unknown, among = 1): Generator<string> {
  if (among >= PARTS || typeof value !== 'object' || value === null || 'toJSON' in value) {
    yield JSON.stringify(value);
    return;
  }
  let separator = '';
  if (Array.isArray(value)) {
    yield '[';
    for (const item of value) {
      yield separator;
      yield* jsonParts(item ?? null, among * value.length);
      separator = ',';
    }
    yield ']';
    return;
  }
  yield '{';
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined) continue;
    yield `${separator}${JSON.stringify(key)}:`;
    yield* jsonParts(member, among);
    separator = ',';
  }
  yield '}';
}
