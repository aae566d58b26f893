/**
 * Makes an accessor of one value an owner, made at its first use and kept in a map of the owner.
 *
 * @param mapOf the owner's map, in which each accessor has its own value under its own name.
 */
export function memoizeIn<Owner, Value>(
  mapOf: (owner: Owner) => Map<unknown, unknown>,
  make: (owner: Owner) => Value,
): (owner: Owner) => Value {
  const accessor = (owner: Owner): Value => {
    const values = mapOf(owner);
    let value = values.get(accessor) as Value | undefined;
    if (value === undefined) {
      value = make(owner);
      values.set(accessor, value);
    }
    return value;
  };
  return accessor;
}
