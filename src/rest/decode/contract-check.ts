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

/**
 * Generates a function for a schema, in which each property is read and tested in one place. With closures over lists
 * of names, the engine looks up each property by name: a list of audiences takes five times as long.
 *
 * @param path of the value: `items[].latestVersion`.
 */
function compile(schema: z.core.$ZodType, path: string): Check {
  const helpers: unknown[] = [];
  const use = (helper: unknown): string => `h${helpers.push(helper) - 1}`;
  const statements =
    schema instanceof z.ZodObject
      ? statementsOfObject(schema, path, use)
      : schema instanceof z.ZodArray
        ? statementsOfArray(schema, path, use)
        : `return ${testOf(schema, path, 'value', use)};`;
  const source = `return (value, onFault, isExact) => { ${statements} };`;
  // The source has names and kinds of the contract only. zod compiles its parsers like this.
  // eslint-disable-next-line @typescript-eslint/no-implied-eval
  const generate = new Function(...helpers.map((_, i) => `h${i}`), source) as Generated;
  return generate(...helpers);
}

type Generated = (...helpers: readonly unknown[]) => Check;

/** Adds a value to those that the generated source can use. @returns its name there. */
type Use = (helper: unknown) => string;

/** @returns the expression of the outcome for `value`, apart from faults inside it. */
function testOf(schema: z.core.$ZodType, path: string, value: string, use: Use): string {
  if (schema instanceof z.ZodObject || schema instanceof z.ZodArray) {
    return `${use(compile(schema, path))}(${value}, onFault, isExact)`;
  }
  if (schema instanceof z.ZodNullable) {
    return `(${value} === null || ${testOf(schema.unwrap(), path, value, use)})`;
  }
  if (schema instanceof z.ZodOptional) {
    return `(${value} === undefined || ${testOf(schema.unwrap(), path, value, use)})`;
  }
  if (schema instanceof z.ZodRecord && schema.valueType instanceof z.ZodUnknown) {
    return `${use(isFreeForm)}(${value}, isExact)`;
  }
  if (schema instanceof z.ZodNumber) return `${use(numberCheck(schema))}(${value}, isExact)`;
  if (schema instanceof z.ZodEnum) return `${use(new Set(schema.options))}.has(${value})`;
  if (isKeyId(schema)) return `(typeof ${value} === 'string' && ${value} !== '')`;
  if (schema instanceof z.ZodString && schema.format === null && !schema.def.checks?.length) {
    return `(typeof ${value} === 'string')`;
  }
  if (schema instanceof z.ZodBoolean) return `(typeof ${value} === 'boolean')`;
  throw new TypeError(
    `No check is known for "${schema._zod.def.type}": add it in contract-check.ts.`,
  );
}

function statementsOfObject({ shape }: z.ZodObject, path: string, use: Use): string {
  const within = path && `${path}.`;
  const statements = [
    'let outcome;',
    `if (!${use(isObject)}(value) || Array.isArray(value)) return false;`,
  ];
  for (const [name, schema] of Object.entries<z.core.$ZodType>(shape)) {
    if (name in Object.prototype) {
      throw new TypeError(`"${name}" is a name that every object has.`);
    }
    const quoted = JSON.stringify(name);
    const test = testOf(schema, within + name, `value[${quoted}]`, use);
    // An object without an id of its key is wrong as a whole, so the ids come first.
    if (isKeyId(schema)) {
      statements.splice(2, 0, `if (!${test}) return ${JSON.stringify(within + name)};`);
    } else {
      statements.push(`if ((outcome = ${test}) !== true) onFault(value, ${quoted}, outcome);`);
    }
  }
  return [...statements, 'return true;'].join('\n');
}

/** Arrays are treated as objects with indexes as names. */
const statementsOfArray = ({ element }: z.ZodArray, path: string, use: Use): string =>
  `if (!Array.isArray(value)) return false;
  for (let i = 0; i < value.length; i++) {
    const item = value[i];
    const outcome = ${testOf(element, `${path}[]`, 'item', use)};
    if (outcome !== true) onFault(value, i, outcome);
  }
  return true;`;

function numberCheck(schema: z.ZodNumber) {
  // zod combines the checks of an integer into a range.
  const { minValue, maxValue } = schema;
  const whole = schema.isInt;
  const min = minValue ?? -Infinity;
  const max = maxValue ?? Infinity;
  return (value: unknown, isExact: IsExact | undefined): boolean =>
    typeof value === 'number' &&
    (whole ? Number.isSafeInteger(value) : Number.isFinite(value)) &&
    isWritten(value, isExact) &&
    value >= min &&
    value <= max;
}

const isFreeForm = (value: unknown, isExact: IsExact | undefined): boolean =>
  isObject(value) && !Array.isArray(value) && canBePassedOn(value, MAX_DEPTH, isExact);

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
