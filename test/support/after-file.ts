/**
 * Functions that are called when a file of tests has ended.
 *
 * A hook of a shared module would belong only to the first file that loads it, since Vitest keeps modules from
 * file to file here (`isolate: false`). `close-after-file.ts`, which it runs for each file, calls `closeAll`.
 */
const closing: (() => unknown)[] = [];

/** Calls it when the file has ended. */
export const afterFile = (close: () => unknown): void => void closing.push(close);

export const closeAll = (): Promise<unknown> =>
  Promise.all(closing.splice(0).map((close) => close()));
