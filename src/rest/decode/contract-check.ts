/**
 * Compiles a zod schema into a check that reports wrong values and copies nothing.
 *
 * zod collects every fault with its path and copies valid values: for a list of 5,000 empty objects that
 * takes 200 ms. This check visits each value once, and its caller can stop it. It knows only the kinds of
 * schema that `/v0` uses; a test compares its verdicts with zod's.
 */
import { z } from 'zod';

/** Receives each wrong value's holder and name; throws to stop the check. */
type OnFault = (holder: Record<PropertyKey, unknown>, name: PropertyKey) => void;

/** False when the value itself is wrong; faults inside it go to `onFault`. */
type Check = (value: unknown, onFault: OnFault) => boolean;

export function checkOf(schema: z.core.$ZodType): Check {
  let check = checks.get(schema);
  if (!check) {
    check = compile(schema);
    checks.set(schema, check);
  }
  return check;
}

/** Whether a schema lets values of any shape through. */
export function isOpen(schema: z.core.$ZodType): boolean {
  let open = openness.get(schema);
  if (open === undefined) {
    open = schema instanceof z.ZodUnknown || innerOf(schema).some(isOpen);
    openness.set(schema, open);
  }
  return open;
}

const checks = new WeakMap<z.core.$ZodType, Check>();
const openness = new WeakMap<z.core.$ZodType, boolean>();

function innerOf(schema: z.core.$ZodType): readonly z.core.$ZodType[] {
  if (schema instanceof z.ZodObject) return Object.values<z.core.$ZodType>(schema.shape);
  if (schema instanceof z.ZodArray) return [schema.element];
  if (schema instanceof z.ZodRecord) return [schema.valueType];
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional) return [schema.unwrap()];
  return [];
}

function compile(schema: z.core.$ZodType): Check {
  if (schema instanceof z.ZodObject) return checkObject(schema);
  if (schema instanceof z.ZodArray) return checkArray(checkOf(schema.element));
  if (schema instanceof z.ZodRecord) return checkRecord(schema);
  if (schema instanceof z.ZodNullable) {
    const inner = checkOf(schema.unwrap());
    return (value, onFault) => value === null || inner(value, onFault);
  }
  if (schema instanceof z.ZodOptional) {
    const inner = checkOf(schema.unwrap());
    return (value, onFault) => value === undefined || inner(value, onFault);
  }
  if (schema instanceof z.ZodNumber) return checkNumber(schema);
  if (schema instanceof z.ZodEnum) {
    const values = new Set<unknown>(schema.options);
    return (value) => values.has(value);
  }
  if (schema instanceof z.ZodString && schema.format === null && !schema.def.checks?.length) {
    return (value) => typeof value === 'string';
  }
  if (schema instanceof z.ZodBoolean) return (value) => typeof value === 'boolean';
  if (schema instanceof z.ZodUnknown) return () => true;
  throw new TypeError(
    `No check is known for "${schema._zod.def.type}": add it in contract-check.ts.`,
  );
}

function checkObject(schema: z.ZodObject): Check {
  const names = Object.keys(schema.shape);
  const checks = Object.values<z.core.$ZodType>(schema.shape).map(checkOf);
  const inherited = names.find((name) => name in Object.prototype);
  if (inherited) throw new TypeError(`"${inherited}" is a name that every object has.`);
  return (value, onFault) => {
    if (!isObject(value) || Array.isArray(value)) return false;
    for (let i = 0; i < names.length; i++) {
      const name = names[i]!;
      if (!checks[i]!(value[name], onFault)) onFault(value, name);
    }
    return true;
  };
}

function checkArray(check: Check): Check {
  return (value, onFault) => {
    if (!Array.isArray(value)) return false;
    for (let i = 0; i < value.length; i++) {
      // An array is held like any object; its indexes are names.
      if (!check(value[i], onFault)) onFault(value as unknown as Record<PropertyKey, unknown>, i);
    }
    return true;
  };
}

function checkRecord(schema: z.ZodRecord): Check {
  const check = checkOf(schema.valueType);
  const free = schema.valueType instanceof z.ZodUnknown;
  return (value, onFault) => {
    if (!isObject(value) || Array.isArray(value)) return false;
    if (free) return true;
    for (const name of Object.keys(value)) {
      if (!check(value[name], onFault)) onFault(value, name);
    }
    return true;
  };
}

function checkNumber(schema: z.ZodNumber): Check {
  // zod knows the range of an integer with several checks.
  const { minValue, maxValue } = schema;
  const whole = schema.isInt;
  const min = minValue ?? -Infinity;
  const max = maxValue ?? Infinity;
  return (value) =>
    typeof value === 'number' &&
    (whole ? Number.isSafeInteger(value) : Number.isFinite(value)) &&
    value >= min &&
    value <= max;
}

const isObject = (value: unknown): value is Record<PropertyKey, unknown> =>
  typeof value === 'object' && value !== null;
