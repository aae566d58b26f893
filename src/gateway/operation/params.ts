/**
 * The parameters of a GraphQL request, as a transport has read them.
 *
 * Unknown properties are ignored, as GraphQL over HTTP demands. Variables are bounded
 * here, before anything walks them recursively.
 */
import type { ErrorBehavior } from '../../execution/core/executor.ts';
import { dictionary } from '../../lib/dictionary.ts';
import { clientError } from './client-error.ts';

/** A document's text, its id, or both. */
export interface OperationParams {
  /** Empty where there is an id alone. */
  readonly query: string;
  /** Whichever of the three forms it came in; hashes begin with `sha256:`. */
  readonly documentId: string | undefined;
  readonly operationName: string | null | undefined;
  readonly variables: Readonly<Record<string, unknown>> | null | undefined;
  readonly onError: ErrorBehavior;
}

/** Prefix of an id that is the SHA-256 of its text. Source: GraphQL over HTTP, "Persisted Documents". */
export const SHA256_PREFIX = 'sha256:';

export const SHA256_HEX = /^[\da-f]{64}$/;

/** As callers write it. `HALT` is what the specification's proposal calls `ABORT`. */
const ERROR_BEHAVIORS: Readonly<Record<string, ErrorBehavior>> = {
  PROPAGATE: 'PROPAGATE',
  NULL: 'NULL',
  ABORT: 'ABORT',
  HALT: 'ABORT',
};

/** Levels of objects and lists in `variables`. */
const MAX_VARIABLES_DEPTH = 32;

/** Values in `variables`, each list and object included. */
const MAX_VARIABLES_VALUES = 5_000;

/**
 * @param given parsed JSON, or what a query string held.
 * @throws BAD_REQUEST for what is no GraphQL request, BAD_USER_INPUT when `variables` is too deep or
 * too large.
 */
export function readParams(given: unknown): OperationParams {
  if (Array.isArray(given)) throw badRequest(ONE_OPERATION);
  // These values may have any type.
  const params = isObject(given) ? given : {};
  const { query, operationName, variables, extensions, onError } = params;
  const documentId = documentIdOf(params);
  if (query == null ? documentId === undefined : typeof query !== 'string') {
    throw badRequest('Send a JSON object with a text as "query" or as "documentId".');
  }
  if (operationName != null && typeof operationName !== 'string') {
    throw badRequest('Send a text as "operationName", or leave it out.');
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
    throw badRequest(`Send an object as "${name}", or leave it out.`);
  }
}

/** Of GraphQL over HTTP, of Apollo's and urql's clients, or of Relay's. */
function documentIdOf({
  documentId,
  extensions,
  doc_id,
}: Readonly<Record<string, unknown>>): string | undefined {
  if (documentId != null) {
    if (typeof documentId !== 'string') {
      throw badRequest('Send a text as "documentId", or leave it out.');
    }
    return documentId;
  }
  if (isObject(extensions) && isObject(extensions['persistedQuery'])) {
    const { sha256Hash } = extensions['persistedQuery'];
    if (typeof sha256Hash === 'string') {
      // Clients with ids of their own making send them where the hash belongs.
      return SHA256_HEX.test(sha256Hash) ? SHA256_PREFIX + sha256Hash : sha256Hash;
    }
  }
  return typeof doc_id === 'string' ? doc_id : undefined;
}

/**
 * @param what the text is.
 * @throws BAD_REQUEST
 */
export function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw badRequest(`Send ${what} as JSON.`);
  }
}

/** @throws BAD_REQUEST */
function errorBehaviorOf(given: unknown): ErrorBehavior {
  if (given == null) return 'PROPAGATE';
  if (typeof given !== 'string' || !Object.hasOwn(ERROR_BEHAVIORS, given)) {
    const names = Object.keys(ERROR_BEHAVIORS).join(', ');
    throw badRequest(`Send one of ${names} as "onError", or leave it out.`);
  }
  return ERROR_BEHAVIORS[given]!;
}

/**
 * The parameters of a query string or of a form; objects are written in JSON there.
 *
 * @throws BAD_REQUEST when they are not.
 */
export function readForm(form: string): Readonly<Record<string, unknown>> {
  const params = dictionary<unknown>();
  for (const [name, value] of new URLSearchParams(form)) {
    // An empty value counts as left out, and the first of two counts.
    if (value === '' || name in params) continue;
    params[name] = WRITTEN_IN_JSON.has(name) ? parseJson(value, `"${name}"`) : value;
  }
  return params;
}

const WRITTEN_IN_JSON = new Set(['variables', 'extensions']);

export const ONE_OPERATION = 'Send one operation a request: the gateway takes no batches.';

export const badRequest = (message: string) => clientError(400, 'BAD_REQUEST', message);

function checkVariables(variables: unknown): void {
  let level: object[] = isHolder(variables) ? [variables] : [];
  let count = 0;
  // Level by level: the stack stays flat however deep a caller nests.
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_VARIABLES_DEPTH) {
      throw clientError(
        400,
        'BAD_USER_INPUT',
        `"variables" may nest ${MAX_VARIABLES_DEPTH} levels: send flatter input.`,
      );
    }
    const next: object[] = [];
    for (const holder of level) {
      for (const value of Object.values(holder) as unknown[]) {
        count += 1;
        if (isHolder(value)) next.push(value);
      }
    }
    if (count > MAX_VARIABLES_VALUES) {
      throw clientError(
        400,
        'BAD_USER_INPUT',
        `"variables" may hold ${MAX_VARIABLES_VALUES} values: split the request.`,
      );
    }
    level = next;
  }
}

const isHolder = (value: unknown): value is object => typeof value === 'object' && value !== null;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  isHolder(value) && !Array.isArray(value);
