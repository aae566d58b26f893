/**
 * Type names: of objects behind the abstract type `Node`, and as nouns in messages.
 *
 * REST objects have no type name, and shared responses are immutable, so resolvers of abstract fields record types in a
 * WeakMap.
 */
const typenames = new WeakMap<object, string>();

/** Records the type and returns the object. */
export function withTypename<T extends object>(object: T, typename: string): T {
  typenames.set(object, typename);
  return object;
}

/** A type name with its article: `a Page`, `an Account`. */
export const withArticle = (typename: string): string =>
  `${/^[AEIOU]/.test(typename) ? 'an' : 'a'} ${typename}`;

/** A type name as a noun: `AudienceVersion` is an `audience version`. */
export const nounOf = (typename: string): string =>
  typename.replace(/(?!^)(?=[A-Z])/g, ' ').toLowerCase();

export const typenameOf = (object: object): string | undefined => typenames.get(object);
