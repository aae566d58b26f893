/**
 * Parses JSON, and refuses shapes that cost far more than their bytes.
 *
 * Parsing blocks the process: five megabytes of empty objects take a third of a second. Deeply nested
 * values overflow the stack later, since JSON.stringify recurses.
 */

/** The deepest nesting that is read. The deepest of the document is 7. */
export const MAX_DEPTH = 64;

/** The most values of one answer. A page of 100 audiences has 6,000. */
const MAX_VALUES = 150_000;

/** Smaller bodies, in bytes, cannot hold enough values to matter. */
const SMALL = 256 * 1024;

/** The parsed value; undefined when it is no JSON, or over 256 KB and nests too deep or holds too many values. */
export function parseJson(body: Buffer): unknown {
  if (body.length > SMALL && !isModest(body)) return undefined;
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;

function isModest(body: Buffer): boolean {
  let depth = 0;
  let values = 0;
  for (let i = 0; i < body.length; i++) {
    switch (body[i]) {
      case QUOTE:
        for (i++; i < body.length && body[i] !== QUOTE; i++) if (body[i] === BACKSLASH) i++;
        break;
      case COMMA:
        if (++values > MAX_VALUES) return false;
        break;
      case 0x5b: // [
      case 0x7b: // {
        if (++depth > MAX_DEPTH || ++values > MAX_VALUES) return false;
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth -= 1;
        break;
    }
  }
  return true;
}
