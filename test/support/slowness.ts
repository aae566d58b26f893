/**
 * How much slower the machine is at this moment than the one that the tests' bounds of time were written on: 1 or
 * more. A bound that is multiplied by it is compared with work done beside it, not with the clock alone.
 */
export function slowness(): number {
  let least = Infinity;
  for (let i = 0; i < 3; i++) {
    const begun = performance.now();
    work();
    least = Math.min(least, performance.now() - begun);
  }
  return Math.max(1, least / QUICK_MS);
}

/** Milliseconds that the work takes on two idle cores. */
const QUICK_MS = 10;

/** What a gateway does most: text to objects, lookups by key, objects to text. */
function work(): number {
  let characters = 0;
  for (let i = 0; i < 20; i++) {
    const rows = JSON.parse(TEXT) as { id: string; tags: string[] }[];
    const byId = new Map(rows.map((row) => [row.id, row]));
    characters += JSON.stringify(rows.map(({ id }) => byId.get(id))).length;
  }
  return characters;
}

const TEXT = JSON.stringify(
  Array.from({ length: 1_000 }, (_, i) => ({ id: `row-${i}`, tags: ['a', `b${i}`] })),
);
