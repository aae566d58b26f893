/**
 * Validates HAR 1.2 files by the JSON schema of the package har-schema.
 */
import { createRequire } from 'node:module';
import Ajv from 'ajv';

const require = createRequire(import.meta.url);
const SCHEMAS = require('har-schema') as Readonly<Record<string, object>>;
const DRAFT_06 = require('ajv/lib/refs/json-schema-draft-06.json') as object;

/** Violations of the schema; empty for a valid file. */
export function harFaults(har: unknown): readonly string[] {
  const ajv = new Ajv({ allErrors: true });
  ajv.addMetaSchema(DRAFT_06);
  for (const schema of Object.values(SCHEMAS)) ajv.addSchema(schema);
  ajv.validate('har.json#', har);
  return (ajv.errors ?? []).map(({ dataPath, message }) => `${dataPath} ${message}`);
}
