/** What the scalar `JSON` holds: any value of JSON, as `JSON.parse` answers it. */
export type JsonValue =
  string | number | boolean | null | JsonValue[] | { [name: string]: JsonValue };
