/** Whether two ids are of the same object. Backends with uuid columns accept either case, and return one. */
export const isSameId = (one: unknown, other: string): boolean =>
  one === other || (typeof one === 'string' && one.toLowerCase() === other.toLowerCase());
