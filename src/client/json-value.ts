/** A value of the scalar `JSON`: any JSON value. */
export type JsonValue =
  string | number | boolean | null | JsonValue[] | { [name: string]: JsonValue };
