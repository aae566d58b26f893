/**
 * User errors: errors that the user of a form can correct, found here or by the backend, as data.
 *
 * Messages are for users: zod's are for developers, and messages of the backend are never repeated.
 */
import type { z } from 'zod';
import { hasKind, type RestError } from '../../rest/call/errors.ts';
import { errorCodeOf } from '../errors.ts';
import { builder } from '../schema/builder.ts';
import { nounOf } from '../entity/entity.ts';

const USER_ERROR_CODES = {
  BLANK: { description: 'The value must not be empty.' },
  TOO_SHORT: { description: 'The string has too few characters.' },
  TOO_LONG: { description: 'The string has too many characters.' },
  TOO_SMALL: { description: 'The number is below the minimum.' },
  TOO_LARGE: { description: 'The number is above the maximum.' },
  NOT_AN_INTEGER: { description: 'The number is not an integer.' },
  INVALID_URL: { description: 'The string is not an absolute URL.' },
  TAKEN: {
    description: 'The value is already in use: the backend returned 409 and named the field.',
  },
  VALIDATION_FAILED: {
    description:
      'The backend returned 400, 413, 414, 422 or 431, or a value is invalid for another reason.',
  },
  NOT_FOUND: {
    description: 'The object to write to does not exist: the backend returned 404 or 410.',
  },
  CONFLICT: {
    description:
      'The current state of the object does not allow the write: the backend returned 409, 412 or 423.',
  },
} as const;

type UserErrorCode = keyof typeof USER_ERROR_CODES;

export interface UserError {
  readonly code: UserErrorCode;
  /** Path of the input field; null if it is unknown. */
  readonly field: readonly string[] | null;
  readonly message: string;
}

/** Maps a path of the REST body to the input. */
export type FieldOf = (path: readonly string[]) => readonly string[];

interface Form {
  /** The target of the write and its input field; undefined for a write that creates an object. */
  readonly target:
    { readonly field: string; readonly entity: { readonly name: string } } | undefined;
  readonly inputs: readonly string[];
  readonly fieldOf: FieldOf;
}

const UserErrorCodeRef = builder.enumType('UserErrorCode', {
  description: 'Machine-readable reason why a write was rejected.',
  values: USER_ERROR_CODES,
});

export const UserErrorRef = builder.objectType(builder.objectRef<UserError>('UserError'), {
  description: 'A problem that the user can correct, because of which nothing was written.',
  fields: (t) => ({
    code: t.expose('code', {
      type: UserErrorCodeRef,
      description: 'Machine-readable kind of the problem.',
    }),
    field: t.exposeStringList('field', {
      nullable: true,
      description:
        'Path of the input field, outermost name first, with list indexes as strings: `["actions", "0", "url"]`. Null if the problem does not concern a single field.',
    }),
    message: t.exposeString('message', {
      description: 'Message to show to the user, such as `Title must not be empty.`.',
    }),
  }),
});

export const emptyValue = (field: readonly string[]): UserError => ({
  code: 'BLANK',
  field,
  message: `${labelOf(field)} must not be empty.`,
});

export const brokenLimits = (error: z.ZodError | undefined, fieldOf: FieldOf): UserError[] =>
  (error?.issues ?? []).map((issue) => {
    const field = fieldOf(issue.path.map(String));
    const [code, demand] = limitOf(issue);
    return { code, field, message: `${labelOf(field)} ${demand}.` };
  });

/** Returns the code of a violated limit, and what is required. */
function limitOf(issue: z.core.$ZodIssue): readonly [code: UserErrorCode, demand: string] {
  switch (issue.code) {
    case 'too_small':
      if (issue.origin !== 'string') return ['TOO_SMALL', `must be at least ${issue.minimum}`];
      return issue.minimum === 1
        ? ['BLANK', 'must not be empty']
        : ['TOO_SHORT', `must have at least ${issue.minimum} characters`];
    case 'too_big':
      return issue.origin === 'string'
        ? ['TOO_LONG', `must have at most ${issue.maximum} characters`]
        : ['TOO_LARGE', `must be at most ${issue.maximum}`];
    case 'invalid_type':
      // zod reports infinite numbers as a wrong type.
      if (issue.expected === 'int' || issue.expected === 'number') {
        return ['NOT_AN_INTEGER', 'must be a whole number'];
      }
      break;
    case 'invalid_format':
      if (issue.format === 'url') {
        return ['INVALID_URL', 'must be a complete URL, such as https://example.com'];
      }
  }
  return ['VALIDATION_FAILED', 'must be valid'];
}

/**
 * Translates the backend's rejection of a write.
 *
 * @throws the error itself if the user cannot correct it.
 */
export function rejectionOf(error: unknown, form: Form): UserError {
  if (!hasKind(error, 'status') || isOfProxy(error)) throw error;
  const { target } = form;
  const field = fieldIn(error, form);
  const code = errorCodeOf(error);
  switch (code) {
    case 'VALIDATION_FAILED':
      return { code, field, message: invalidMessage(field, error.status) };
    case 'NOT_FOUND':
      // Without a target, a 404 means that the backend lacks the route.
      if (!target) throw error;
      return {
        code,
        field: [target.field],
        message: `The ${nounOf(target.entity.name)} does not exist.`,
      };
    case 'CONFLICT':
      if (error.status === 409 && field) {
        return { code: 'TAKEN', field, message: `${labelOf(field)} is already taken.` };
      }
      return {
        code,
        field,
        message: target
          ? `The current state of the ${nounOf(target.entity.name)} does not allow this.`
          : 'This conflicts with an existing object.',
      };
    default:
      throw error;
  }
}

/** Statuses of a request that is too large, for proxies and the backend alike. */
const TOO_LARGE: readonly unknown[] = [413, 414, 431];

/** Whether a rejection is HTML or plain text, which proxies write without knowing the object and the values. */
const isOfProxy = ({ body, status }: RestError): boolean =>
  body === 'foreign' && !TOO_LARGE.includes(status);

function invalidMessage(field: readonly string[] | null, status: number | undefined): string {
  const [one, all] = TOO_LARGE.includes(status)
    ? ['must be shorter', 'too long']
    : ['must be valid', 'invalid'];
  return field ? `${labelOf(field)} ${one}.` : `Some values are ${all}.`;
}

/** Returns the input field named by the backend; null if it names none, such as an id of the path. */
function fieldIn({ field = '' }: RestError, { inputs, fieldOf }: Form): readonly string[] | null {
  const path = field.split(/[.[\]]+/).filter((name) => name !== '');
  return inputs.includes(path[0] ?? '') ? fieldOf(path) : null;
}

const ACRONYMS: ReadonlySet<string> = new Set(['id', 'og', 'url']);

/** Label of a field in messages: `customName` is `Custom name`; list indexes are skipped. */
function labelOf(field: readonly string[]): string {
  const name = field.findLast((part) => !/^\d+$/.test(part)) ?? 'value';
  const words = name.split(/(?=[A-Z])/).map((word) => word.toLowerCase());
  const label = words.map((word) => (ACRONYMS.has(word) ? word.toUpperCase() : word)).join(' ');
  return label.charAt(0).toUpperCase() + label.slice(1);
}
