/**
 * Client errors. Handlers throw a `Problem`, which `app.ts` writes as the flat error body; other errors are bugs, and
 * result in 500 without details.
 *
 * Assumed: statuses, codes and body, since the document shows none; the body is the public reference's.
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

/** The invalid part of the request, and the reason. */
interface ProblemDetails {
  readonly field?: string;
  readonly reason?: string;
}

export class Problem extends Error {
  override readonly name = 'Problem';
  readonly status: keyof typeof CODES;
  readonly details: ProblemDetails;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: keyof typeof CODES,
    message: string,
    details: ProblemDetails = {},
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
