/** A task for when no continuation of a promise is left that can run without input, still in this turn. */
export const afterPromises = (task: () => void): void =>
  queueMicrotask(() => process.nextTick(task));
