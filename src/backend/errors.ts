/**
 * Handlers throw a `Problem` for errors of clients, which `app.ts` writes as the flat error body. All others are
 * failures, and result in 500 without details. Assumed: statuses, codes and body, since the API spec shows none.
 */
export const CODES = {
  400: 'bad_request',
  401: 'unauthorized',
  404: 'not_found',
  405: 'method_not_allowed',
  409: 'conflict',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
  422: 'validation_failed',
  500: 'internal_error',
} as const;

export class Problem extends Error {
  override readonly name = 'Problem';
  readonly status: keyof typeof CODES;
  /** The invalid part of the request, and the reason. */
  readonly details: { readonly field?: string; readonly reason?: string };
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: keyof typeof CODES,
    message: string,
    details: Problem['details'] = {},
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
    this.status = status;
    this.details = details;
    this.headers = headers;
  }
}

/** An object that does not exist, or belongs to another tenant, which callers cannot distinguish. */
export const notFound = (noun: string, id: string) =>
  new Problem(404, `No ${noun} has the ID "${id}"`, {
    field: `${noun.replace(' ', '_')}_id`,
    reason: 'unknown ID',
  });

/** The object exists, but its state does not allow the request. */
export const conflict = (message: string, field: string, reason: string) =>
  new Problem(409, message, { field, reason });

/** @param what the query or the body. */
export const invalid = (status: 400 | 422, what: string, field: string, reason: string) =>
  new Problem(status, `Invalid ${what}: ${field}: ${reason}`, { field, reason });

export interface Failure {
  /** `GET /v0/topics/:topic_id`, or the name of a background task. */
  readonly route: string;
  /** The driver's code, or the name of the error. */
  readonly code: string;
  /** The line of code that threw it. */
  readonly at: string | undefined;
}

/** Without the message: those of the driver contain statements with callers' values. */
export function failureOf(route: string, error: unknown): Failure {
  const root = rootOf(error);
  if (!(root instanceof Error)) return { route, code: typeof root, at: undefined };
  const code = 'code' in root && typeof root.code === 'string' ? root.code : root.name;
  return { route, code, at: /^ +at (.*)$/m.exec(root.stack ?? '')?.[1] };
}

/** Returns the innermost cause, since Drizzle and fetch wrap errors. */
export function rootOf(error: unknown): unknown {
  let root = error;
  while (root instanceof Error && root.cause instanceof Error) root = root.cause;
  return root;
}
