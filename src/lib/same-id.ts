/** Whether two ids name the same object. Backends with uuid columns read either case, and answer in one. */
export const isSameId = (one: unknown, other: string): boolean =>
  one === other || (typeof one === 'string' && one.toLowerCase() === other.toLowerCase());
