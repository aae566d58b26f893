/**
 * Refusals: the errors that the backend answers.
 *
 * A handler throws a `Problem`; `app.ts` writes it as the flat error body. Anything else that is
 * thrown is a bug, and is answered as 500 without details.
 *
 * Assumed: statuses, codes and body, since the document shows none; the body is the public reference's.
 */

const CODE_BY_STATUS = {
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

type ProblemStatus = keyof typeof CODE_BY_STATUS;

/** Which part of the request is at fault, and why. */
interface ProblemDetails {
  readonly field?: string;
  readonly reason?: string;
}

export class Problem extends Error {
  override readonly name = 'Problem';
  readonly status: ProblemStatus;
  readonly details: ProblemDetails;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: ProblemStatus,
    message: string,
    details: ProblemDetails = {},
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
    this.status = status;
    this.details = details;
    this.headers = headers;
  }

  get code(): string {
    return CODE_BY_STATUS[this.status];
  }
}

/** An object that does not exist, or is another tenant's: callers cannot tell which. */
export const notFound = (noun: string, id: string) =>
  new Problem(404, `There is no ${noun} "${id}"`, {
    field: `${noun.replace(' ', '_')}_id`,
    reason: 'unknown id',
  });

/** The object exists, but its state forbids what was asked. */
export const conflict = (message: string, details: ProblemDetails) =>
  new Problem(409, message, details);

/** @param what the query or the body. */
export const invalid = (status: 400 | 422, what: string, field: string, reason: string) =>
  new Problem(status, `The ${what} is not valid: ${field}: ${reason}`, { field, reason });
