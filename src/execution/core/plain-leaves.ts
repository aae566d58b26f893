/**
 * Copies the leaves of an object that need no resolver, by a function that is generated for their selection: in one loop
 * for all selections, V8 would look up each property and each key of the result by its name.
 */
import type {
  CopyLeaves,
  Data,
  PreparedField,
  PreparedSelection,
} from '../operation/prepared-selection.ts';
import { isPrimitive, serialize } from './resolved-value.ts';
import { bytesOf } from './result-bounds.ts';

/** Objects of a selection before its function is generated, which takes as long as some fifty of them. */
export const COMPILED_AFTER = 50;

/** @returns the size of the strings in JSON, in bytes; -1 if all fields have to be executed, since a leaf is not plain. */
export function copyLeaves(selection: PreparedSelection, source: unknown, data: Data): number {
  if (selection.copyLeaves) return selection.copyLeaves(source, data);
  selection.executions += 1;
  if (selection.executions === COMPILED_AFTER) selection.copyLeaves = compile(selection.fields);
  return -1;
}

/** All keys are written in their order: those of other fields with null. */
function compile(fields: readonly PreparedField[]): CopyLeaves {
  const statements = fields.map(({ key, name, leaf, typename }, i) => {
    const result = `data[${JSON.stringify(key)}]`;
    if (!leaf) return `${result} = ${JSON.stringify(typename ?? null)};`;
    // Strings are most values of most types that need no serialization.
    const isPlain = leaf.isPlain?.('') ? 'typeof v === "string" ? v : ' : '';
    return `v = source[${JSON.stringify(name)}];
      if (isPrimitive(v)) {
        v = ${isPlain}serialize(fields[${i}].leaf, v);
        if (typeof v === "string") bytes += bytesOf(v);
        else if (typeof v === "object") return -1;
      } else if (${leaf.isNonNull} || (v !== undefined && v !== null)) return -1;
      else v = null;
      ${result} = v;`;
  });
  const helpers = { fields, isPrimitive, serialize, bytesOf };
  const source = `const { ${Object.keys(helpers).join()} } = helpers;
  return (source, data) => {
    if (typeof source !== "object") return -1;
    let v, bytes = 0;
    try { ${statements.join('\n')} } catch { return -1; }
    return bytes;
  };`;
  // Contains names of the schema and of the document only, as JSON.
  // eslint-disable-next-line @typescript-eslint/no-implied-eval
  const generate = new Function('helpers', source) as (given: typeof helpers) => CopyLeaves;
  return generate(helpers);
}
