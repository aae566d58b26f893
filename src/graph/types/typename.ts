/**
 * Names of types: which one an object of the abstract type `Node` has, and how sentences write it.
 *
 * REST objects carry no type name, and shared answers must not be written to: resolvers of abstract fields
 * record the type beside the object.
 */
const typenames = new WeakMap<object, string>();

/** Records the type and returns the object. */
export function withTypename<T extends object>(object: T, typename: string): T {
  typenames.set(object, typename);
  return object;
}

/** A type's name with its article: `a Page`, `an Account`. */
export const withArticle = (typename: string): string =>
  `${/^[AEIOU]/.test(typename) ? 'an' : 'a'} ${typename}`;

/** A type's name as a word of a sentence: `AudienceVersion` is an `audience version`. */
export const nounOf = (typename: string): string =>
  typename.replace(/(?!^)(?=[A-Z])/g, ' ').toLowerCase();

export const typenameOf = (object: object): string | undefined => typenames.get(object);
