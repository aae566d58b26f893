/**
 * Whether a file is a HAR 1.2, by a JSON schema of the format that is not this project's.
 */
import { createRequire } from 'node:module';
import Ajv from 'ajv';

const require = createRequire(import.meta.url);
const SCHEMAS = require('har-schema') as Readonly<Record<string, object>>;
const DRAFT_06 = require('ajv/lib/refs/json-schema-draft-06.json') as object;

/** What is wrong with it; empty when nothing is. */
export function harFaults(har: unknown): readonly string[] {
  const ajv = new Ajv({ allErrors: true });
  ajv.addMetaSchema(DRAFT_06);
  for (const schema of Object.values(SCHEMAS)) ajv.addSchema(schema);
  ajv.validate('har.json#', har);
  return (ajv.errors ?? []).map(({ dataPath, message }) => `${dataPath} ${message}`);
}
