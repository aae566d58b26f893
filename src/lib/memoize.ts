/**
 * Creates an accessor of a value per owner, computed at first use and stored in a map of the owner.
 *
 * @param mapOf returns the owner's map of values by accessor.
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
