/**
 * Arguments → query parameters of a list.
 */
import { soundKey } from '../entity/key.ts';

type Argument = string | number | boolean | null | undefined;

/** What becomes of an argument: a flag is the text `true` or `false`, an id is text. */
type Parameter<Value> = Value extends boolean ? `${Value}` : Value extends null ? never : string;

/**
 * The filters among a field's arguments and its parent's ids. What is omitted or null is not sent.
 *
 * @throws the error that stands where the backend broke an id.
 * Source: interface.md, "Endpoints": flags are strings. Assumed: `true` and `false`.
 */
export function filtersOf<Args extends Readonly<Record<string, Argument>>>(
  args: Args,
): { [Name in keyof Args]?: Parameter<NonNullable<Args[Name]>> } {
  const filters: Record<string, string> = {};
  for (const [name, value] of Object.entries(soundKey(args))) {
    // `String` writes a flag as REST wants it.
    if (value !== null && value !== undefined) filters[name] = String(value);
  }
  return filters as { [Name in keyof Args]?: Parameter<NonNullable<Args[Name]>> }; // their names
}
