/**
 * Parameters of a GraphQL request: from a query string, a form, or JSON.
 *
 * Unknown properties are ignored, as GraphQL over HTTP requires. The depth and size of variables are limited before any
 * recursive function reads them.
 */
import type { ErrorBehavior } from '../../execution/core/executor.ts';
import { dictionary } from '../../lib/dictionary.ts';
import { clientError } from './client-error.ts';
import type { Operation } from './operation.ts';

/** A request has a document's text, its id, or both. */
export interface OperationParams {
  /** Empty if only an id was sent. */
  readonly query: string;
  /** Id from any of the three supported forms; hashes begin with `sha256:`. */
  readonly documentId: string | undefined;
  readonly operationName: string | null | undefined;
  readonly variables: Readonly<Record<string, unknown>> | null | undefined;
  readonly onError: ErrorBehavior;
}

/** Prefix of an id that is the SHA-256 of its text. Source: GraphQL over HTTP, "Persisted Documents". */
export const SHA256_PREFIX = 'sha256:';

export const SHA256_HEX = /^[\da-f]{64}$/;

/** By the values that callers send; `HALT` is the proposal's name for `ABORT`. */
const ERROR_BEHAVIORS: Readonly<Record<string, ErrorBehavior>> = {
  PROPAGATE: 'PROPAGATE',
  NULL: 'NULL',
  ABORT: 'ABORT',
  HALT: 'ABORT',
};

export const MAX_VARIABLES_DEPTH = 32;

export const MAX_VARIABLES_VALUES = 5_000;

/**
 * @param given parsed JSON, or a parsed query string.
 * @throws BAD_REQUEST if it is not a GraphQL request, BAD_USER_INPUT if `variables` is too deep or too large.
 */
export function readParams(given: unknown): OperationParams {
  // Values may have any type.
  const params = isObject(given) ? given : {};
  const { query, operationName, variables, extensions, onError } = params;
  const documentId = documentIdOf(params);
  if (query == null ? documentId === undefined : typeof query !== 'string') {
    throw badRequest('No document. Send a JSON object with a string as `query` or `documentId`.');
  }
  if (operationName != null && typeof operationName !== 'string') {
    throw badRequest('`operationName` must be a string, or omitted.');
  }
  checkObject('variables', variables);
  checkObject('extensions', extensions);
  checkVariables(variables);
  return {
    query: (query as string | null | undefined) ?? '',
    documentId,
    operationName,
    variables,
    onError: errorBehaviorOf(onError),
  };
}

/** @throws BAD_REQUEST */
function checkObject(name: string, value: unknown): asserts value is OperationParams['variables'] {
  if (value != null && !isObject(value)) {
    throw badRequest(`\`${name}\` must be an object, or omitted.`);
  }
}

/** Reads the id in the form of GraphQL over HTTP, of Apollo's and urql's clients, or of Relay's. */
function documentIdOf({
  documentId,
  extensions,
  doc_id,
}: Readonly<Record<string, unknown>>): string | undefined {
  if (documentId != null) {
    if (typeof documentId !== 'string') {
      throw badRequest('`documentId` must be a string, or omitted.');
    }
    return documentId;
  }
  if (isObject(extensions) && isObject(extensions['persistedQuery'])) {
    const { sha256Hash } = extensions['persistedQuery'];
    if (typeof sha256Hash === 'string') {
      // Clients with custom ids send them instead of the hash.
      return SHA256_HEX.test(sha256Hash) ? SHA256_PREFIX + sha256Hash : sha256Hash;
    }
  }
  return typeof doc_id === 'string' ? doc_id : undefined;
}

/**
 * @param what the name of the text in error messages.
 * @throws BAD_REQUEST
 */
function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw badRequest(`Invalid JSON in ${what}.`);
  }
}

/** @throws BAD_REQUEST */
function errorBehaviorOf(given: unknown): ErrorBehavior {
  if (given == null) return 'PROPAGATE';
  if (typeof given !== 'string' || !Object.hasOwn(ERROR_BEHAVIORS, given)) {
    const names = Object.keys(ERROR_BEHAVIORS).join(', ');
    throw badRequest(`\`onError\` must be one of ${names}, or omitted.`);
  }
  return ERROR_BEHAVIORS[given]!;
}

/**
 * Parses the parameters of a query string or a form, in which objects are JSON.
 *
 * @throws BAD_REQUEST for invalid JSON.
 */
function readForm(form: string): Readonly<Record<string, unknown>> {
  const params = dictionary<unknown>();
  for (const [name, value] of new URLSearchParams(form)) {
    // Empty values are ignored; the first of repeated parameters is used.
    if (value === '' || name in params) continue;
    params[name] = JSON_PARAMS.has(name) ? parseJson(value, `\`${name}\``) : value;
  }
  return params;
}

const JSON_PARAMS = new Set(['variables', 'extensions']);

export const badRequest = (message: string) => clientError(400, 'BAD_REQUEST', message);

function checkVariables(variables: unknown): void {
  let level: object[] = isContainer(variables) ? [variables] : [];
  let count = 0;
  // Iterates level by level, so deep nesting cannot overflow the stack.
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_VARIABLES_DEPTH) {
      throw clientError(
        400,
        'BAD_USER_INPUT',
        `\`variables\` has more than ${MAX_VARIABLES_DEPTH} levels. Send flatter input.`,
      );
    }
    const next: object[] = [];
    for (const container of level) {
      for (const value of Object.values(container) as unknown[]) {
        count += 1;
        if (isContainer(value)) next.push(value);
      }
    }
    if (count > MAX_VARIABLES_VALUES) {
      throw clientError(
        400,
        'BAD_USER_INPUT',
        `\`variables\` has more than ${MAX_VARIABLES_VALUES} values. Split the request.`,
      );
    }
    level = next;
  }
}

const isContainer = (value: unknown): value is object =>
  typeof value === 'object' && value !== null;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  isContainer(value) && !Array.isArray(value);

type RequestParts = Pick<Operation, 'method' | 'headers' | 'url'>;

const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';

export const hasJsonType = ({ headers }: RequestParts): boolean =>
  // Fast path for the usual form.
  headers['content-type'] === JSON_TYPE || mediaTypeOf(headers['content-type']) === JSON_TYPE;

const hasFormType = ({ headers }: RequestParts): boolean =>
  mediaTypeOf(headers['content-type']) === FORM_TYPE;

/**
 * Media types that forms can send; empty without a header. Source: Fetch standard, "CORS-safelisted request-header".
 */
const TYPES_OF_FORMS = new Set([FORM_TYPE, 'multipart/form-data', 'text/plain', '']);

/** Whether a form can send a body of its media type. */
export const isOfForms = ({ headers }: RequestParts): boolean =>
  TYPES_OF_FORMS.has(mediaTypeOf(headers['content-type']));

/** Whether parameters can be read from its media type. */
export const isReadable = (request: RequestParts): boolean =>
  request.method === 'GET' || hasJsonType(request) || hasFormType(request);

/**
 * Reads the parameters of a request for which `isReadable` is true.
 *
 * @throws BAD_REQUEST
 */
export function readRequest(request: RequestParts, body: string): unknown {
  const { method, url } = request;
  if (method !== 'GET') return hasJsonType(request) ? parseJson(body, 'the body') : readForm(body);
  const start = url.indexOf('?');
  return readForm(start === -1 ? '' : url.slice(start + 1));
}

function mediaTypeOf(type: string | string[] | undefined): string {
  if (typeof type !== 'string') return '';
  const end = type.indexOf(';');
  return (end === -1 ? type : type.slice(0, end)).trim().toLowerCase();
}
