/** Freezes a value deeply. Iterative, since recursion could overflow the stack. */
export function freeze(root: object): void {
  const open: object[] = [root];
  for (let value = open.pop(); value; value = open.pop()) {
    if (value instanceof Error || Object.isFrozen(value)) continue;
    Object.freeze(value);
    for (const inner of Object.values(value)) {
      if (typeof inner === 'object' && inner !== null) open.push(inner as object);
    }
  }
}
