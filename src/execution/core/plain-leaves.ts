/**
 * Copies the leaves of an object that need no resolver, by a function that is generated for their selection: in one loop
 * for all selections, V8 would look up each property and each key of the result by its name.
 */
import { GraphQLBoolean, GraphQLFloat, GraphQLInt, type GraphQLLeafType } from 'graphql';
import type {
  CopyLeaves,
  Data,
  PreparedField,
  PreparedSelection,
} from '../operation/prepared-selection.ts';
import { serialize } from './resolved-value.ts';
import { MARKS, SHORT } from './result-bounds.ts';

/** Objects of a selection before its function is generated, which takes as long as some fifty of them. */
export const COMPILED_AFTER = 50;

/** @returns the size of the strings in JSON, in bytes; -1 if all fields have to be executed, since a leaf is not plain. */
export function copyLeaves(selection: PreparedSelection, source: unknown, data: Data): number {
  if (selection.copyLeaves) return selection.copyLeaves(source, data);
  selection.executions += 1;
  if (selection.executions === COMPILED_AFTER) selection.copyLeaves = compile(selection.fields);
  return -1;
}

/** Expressions for values that are not strings. */
const TESTS = new Map<GraphQLLeafType, string>([
  [GraphQLBoolean, 'typeof v === "boolean"'],
  [GraphQLInt, 'typeof v === "number" && v === (v | 0)'],
  [GraphQLFloat, 'typeof v === "number" && Number.isFinite(v)'],
]);

/** All keys are written in their order: those of other fields with null. */
function compile(fields: readonly PreparedField[]): CopyLeaves {
  const serializers = fields.map(({ leaf }) => leaf && ((v: unknown) => serialize(leaf, v)));
  const statements = fields.map(({ key, name, leaf, typename }, i) => {
    const result = `data[${JSON.stringify(key)}]`;
    if (!leaf) return `${result} = ${JSON.stringify(typename ?? null)};`;
    const test = TESTS.get(leaf.type);
    const isText = `typeof v === "string"`;
    const text = `if (!(${isText})) return -1;
      ${leaf.isPlain ? '' : `v = serializers[${i}](v);`}
      if (!(${isText} && v.length < ${SHORT})) return -1;
      bytes += v.length + ${MARKS};`;
    return `v = source[${JSON.stringify(name)}];
      ${leaf.isNonNull ? '' : 'if (v === undefined || v === null) v = null; else'} {
        ${test ? `if (!(${test})) return -1;` : text}
      }
      ${result} = v;`;
  });
  const source = `return (source, data) => {
    if (typeof source !== "object") return -1;
    let v, bytes = 0;
    try { ${statements.join('\n')} } catch { return -1; }
    return bytes;
  };`;
  // Contains names of the schema and of the document only, as JSON.
  // eslint-disable-next-line @typescript-eslint/no-implied-eval
  const generate = new Function('serializers', source) as (given: unknown) => CopyLeaves;
  return generate(serializers);
}
