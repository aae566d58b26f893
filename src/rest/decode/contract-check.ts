/**
 * Compiles a zod schema into a check that reports wrong values and copies nothing.
 *
 * zod collects every fault with its path and copies valid values, which takes 200 ms for a list of 5,000 empty objects.
 * A check here is one stoppable visit of each value, for the kinds of schema that `/v0` uses; a test compares its
 * results with zod's.
 */
import { z } from 'zod';
import { isKeyId } from '../../v0/schemas/primitive.ts';
import { MAX_DEPTH } from './json.ts';

/** Called with the parent and the property name of each wrong value; may throw to stop the check. */
type OnFault = (
  holder: Record<PropertyKey, unknown>,
  name: PropertyKey,
  fault: Exclude<Outcome, true>,
) => void;

/** True for a sound value; for an object without an id of its key, the path of the id: `items[].personId`. */
type Outcome = boolean | string;

/** Whether a number beyond ±(2^53 - 1), or zero, equals its JSON text. */
type IsExact = (value: number) => boolean;

/** Returns whether the value itself is sound; faults inside it are passed to `onFault`. */
type Check = (value: unknown, onFault: OnFault, isExact?: IsExact) => Outcome;

export function checkOf(schema: z.core.$ZodType): Check {
  let check = checks.get(schema);
  if (!check) {
    check = compile(schema, '');
    checks.set(schema, check);
  }
  return check;
}

const checks = new WeakMap<z.core.$ZodType, Check>();

/** @param path of the value: `items[].latestVersion`. */
function compile(schema: z.core.$ZodType, path: string): Check {
  if (schema instanceof z.ZodObject) return checkObject(schema, path);
  if (schema instanceof z.ZodArray) return checkArray(compile(schema.element, `${path}[]`));
  if (schema instanceof z.ZodRecord && schema.valueType instanceof z.ZodUnknown) {
    return (value, _onFault, isExact) =>
      isObject(value) && !Array.isArray(value) && canBePassedOn(value, MAX_DEPTH, isExact);
  }
  if (schema instanceof z.ZodNullable) {
    const inner = compile(schema.unwrap(), path);
    return (value, onFault, isExact) => value === null || inner(value, onFault, isExact);
  }
  if (schema instanceof z.ZodOptional) {
    const inner = compile(schema.unwrap(), path);
    return (value, onFault, isExact) => value === undefined || inner(value, onFault, isExact);
  }
  if (schema instanceof z.ZodNumber) return checkNumber(schema);
  if (schema instanceof z.ZodEnum) {
    const values = new Set<unknown>(schema.options);
    return (value) => values.has(value);
  }
  if (isKeyId(schema)) return isId;
  if (schema instanceof z.ZodString && schema.format === null && !schema.def.checks?.length) {
    return (value) => typeof value === 'string';
  }
  if (schema instanceof z.ZodBoolean) return (value) => typeof value === 'boolean';
  throw new TypeError(
    `No check is known for "${schema._zod.def.type}": add it in contract-check.ts.`,
  );
}

function checkObject(schema: z.ZodObject, path: string): Check {
  const names = Object.keys(schema.shape);
  const schemas = Object.values<z.core.$ZodType>(schema.shape);
  const within = path && `${path}.`;
  const checks = schemas.map((inner, i) => compile(inner, within + names[i]!));
  // An object without an id of its key is wrong as a whole.
  const keys = names.filter((_name, i) => isKeyId(schemas[i]!));
  const inherited = names.find((name) => name in Object.prototype);
  if (inherited) throw new TypeError(`"${inherited}" is a name that every object has.`);
  return (value, onFault, isExact) => {
    if (!isObject(value) || Array.isArray(value)) return false;
    for (const key of keys) if (!isId(value[key])) return within + key;
    for (let i = 0; i < names.length; i++) {
      const name = names[i]!;
      const outcome = checks[i]!(value[name], onFault, isExact);
      if (outcome !== true) onFault(value, name, outcome);
    }
    return true;
  };
}

function checkArray(check: Check): Check {
  return (value, onFault, isExact) => {
    if (!Array.isArray(value)) return false;
    for (let i = 0; i < value.length; i++) {
      const outcome = check(value[i], onFault, isExact);
      if (outcome === true) continue;
      // Arrays are treated as objects with indexes as names.
      onFault(value as unknown as Record<PropertyKey, unknown>, i, outcome);
    }
    return true;
  };
}

function checkNumber(schema: z.ZodNumber): Check {
  // zod combines the checks of an integer into a range.
  const { minValue, maxValue } = schema;
  const whole = schema.isInt;
  const min = minValue ?? -Infinity;
  const max = maxValue ?? Infinity;
  return (value, _onFault, isExact) =>
    typeof value === 'number' &&
    (whole ? Number.isSafeInteger(value) : Number.isFinite(value)) &&
    isWritten(value, isExact) &&
    value >= min &&
    value <= max;
}

const isId = (value: unknown): boolean => typeof value === 'string' && value !== '';

const isObject = (value: unknown): value is Record<PropertyKey, unknown> =>
  typeof value === 'object' && value !== null;

const isWritten = (value: number, isExact: IsExact | undefined): boolean =>
  (value !== 0 && Math.abs(value) <= Number.MAX_SAFE_INTEGER) || isExact?.(value) !== false;

/**
 * Whether a free-form value can be serialised unchanged: exact numbers, and a bounded depth, since JSON.stringify
 * recurses.
 */
function canBePassedOn(value: unknown, levels: number, isExact: IsExact | undefined): boolean {
  if (typeof value === 'number') return isWritten(value, isExact);
  if (!isObject(value)) return true;
  if (levels === 0) return false;
  return Object.values(value).every((inner) => canBePassedOn(inner, levels - 1, isExact));
}
