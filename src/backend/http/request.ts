/** Reads requests and validates them by the contract's schemas. */
import type { z } from 'zod';
import { invalid, Problem } from '../errors.ts';

/** Maximum length of a query parameter, in characters. Assumed: the API spec shows no limit. */
const MAX_PARAMETER_LENGTH = 2_000;

/**
 * Reads the ids of a path.
 *
 * @throws {Problem} 404 for strings that cannot be stored.
 */
export function readParams(params: Record<string, string>): Record<string, string> {
  const [field] = unstorableFields(params);
  if (field !== undefined) {
    throw new Problem(404, `No object has this ${field}`, { field, reason: UNSTORABLE });
  }
  return params;
}

/**
 * Parses a query string by its schema; unknown parameters are dropped.
 *
 * @param query all values of each parameter.
 *
 * @throws {Problem} 400 naming the parameter.
 */
export function readQuery(
  schema: z.ZodObject,
  query: Readonly<Record<string, readonly string[]>>,
): Record<string, unknown> {
  const given: Record<string, string> = {};
  for (const field of Object.keys(schema.shape)) {
    const [value, another] = query[field] ?? [];
    if (value === undefined) continue;
    if (another !== undefined) throw invalid(400, 'query', field, 'sent more than once');
    if (value.length > MAX_PARAMETER_LENGTH) {
      throw invalid(400, 'query', field, `longer than ${MAX_PARAMETER_LENGTH} characters`);
    }
    given[field] = value;
  }
  return accept(400, 'query', schema.safeParse(given));
}

/**
 * Parses a JSON body by its schema.
 *
 * @throws {Problem} 415 for another media type or a content coding, 400 for invalid UTF-8 or JSON, 422 naming the field.
 */
export async function readBody(
  schema: z.ZodType,
  request: { header(name: string): string | undefined; arrayBuffer(): Promise<ArrayBuffer> },
): Promise<unknown> {
  if (!/^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(request.header('content-type') ?? '')) {
    const message = 'Unsupported media type. Send the body as `application/json`';
    throw new Problem(415, message, { field: 'content-type', reason: 'not JSON' });
  }
  if (!/^(?:identity)?$/i.test(request.header('content-encoding') ?? '')) {
    const message = 'Unsupported content encoding. Send the body uncompressed';
    throw new Problem(415, message, { field: 'content-encoding', reason: 'not identity' });
  }
  return accept(422, 'body', schema.safeParse(parseJson(await request.arrayBuffer())));
}

/** Fatal, since lenient decoding would store other characters than those sent. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

function parseJson(body: ArrayBuffer): unknown {
  try {
    return JSON.parse(utf8.decode(body));
  } catch {
    const details = { field: 'body', reason: 'malformed JSON' };
    throw new Problem(400, 'The body is not valid JSON in UTF-8', details);
  }
}

function accept<Value>(
  status: 400 | 422,
  what: string,
  result: z.ZodSafeParseResult<Value>,
): Value {
  if (result.success) {
    const [field] = unstorableFields(result.data);
    if (field === undefined) return result.data;
    throw invalid(status, what, field, UNSTORABLE);
  }
  const [issue] = result.error.issues;
  const unknownKey = issue?.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [];
  const field = [...(issue?.path ?? []), ...unknownKey].join('.') || 'body';
  throw invalid(status, what, field, issue?.message ?? 'not valid');
}

const UNSTORABLE = 'contains a null character or an unpaired surrogate';

/**
 * Returns fields with strings that SQLite would truncate or change. Recursive, since values accepted by a schema are
 * shallow.
 */
function unstorableFields(value: unknown, path: readonly string[] = []): string[] {
  if (typeof value === 'string') return /[\0\p{Surrogate}]/u.test(value) ? [path.join('.')] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) => unstorableFields(part, [...path, name]));
}
