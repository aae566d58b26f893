/**
 * Which type an object of the abstract type `Node` is.
 *
 * REST objects carry no type name, and shared answers must not be written on: whoever answers an
 * abstract field notes the type beside the object.
 */
const typenames = new WeakMap<object, string>();

/** Notes the type and answers the object. */
export function withTypename<T extends object>(object: T, typename: string): T {
  typenames.set(object, typename);
  return object;
}

export const typenameOf = (object: object): string | undefined => typenames.get(object);
