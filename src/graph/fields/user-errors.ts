/**
 * User errors: mistakes that the user of a form can correct, found here or by the backend, as data.
 *
 * Messages are sentences for people. They are written here, because zod's are for developers and the
 * backend's text is never repeated.
 */
import type { z } from 'zod';
import { hasKind, type RestError } from '../../rest/call/errors.ts';
import { codeOf } from '../errors.ts';
import { builder } from '../schema/builder.ts';
import { nounOf } from '../types/typename.ts';

const USER_ERROR_CODES = {
  BLANK: { description: 'The value is empty and must not be.' },
  TOO_SHORT: { description: 'The text has fewer characters than it must have.' },
  TOO_LONG: { description: 'The text has more characters than it may have.' },
  TOO_SMALL: { description: 'The number is below the least one allowed.' },
  TOO_LARGE: { description: 'The number is above the largest one allowed.' },
  NOT_AN_INTEGER: { description: 'The number is not a whole one.' },
  INVALID_URL: { description: 'The text is not a complete URL.' },
  TAKEN: {
    description:
      'The value is in use already: the backend answered 409 and named the field that holds it.',
  },
  VALIDATION_FAILED: {
    description: 'The backend answered 400 or 422, or a value is wrong in another way.',
  },
  NOT_FOUND: { description: 'The object to write to does not exist: the backend answered 404.' },
  CONFLICT: {
    description:
      'The current state of the object does not allow the write: the backend answered 409.',
  },
} as const;

type UserErrorCode = keyof typeof USER_ERROR_CODES;

export interface UserError {
  readonly code: UserErrorCode;
  /** The input field at fault, outermost first; null when none is named. */
  readonly field: readonly string[] | null;
  readonly message: string;
}

/** A path of REST's body → the input's, where they differ. */
export type FieldOf = (path: readonly string[]) => readonly string[];

/** The form that a write was sent from. */
interface Form {
  /** What the write acts on, and the input field that names it; undefined for what exists only after it. */
  readonly target:
    { readonly field: string; readonly entity: { readonly name: string } } | undefined;
  /** The fields of the route's body. */
  readonly inputs: readonly string[];
  readonly fieldOf: FieldOf;
}

const UserErrorCodeRef = builder.enumType('UserErrorCode', {
  description: 'Why a write was not carried out, for programs to branch on.',
  values: USER_ERROR_CODES,
});

export const UserErrorRef = builder.objectType(builder.objectRef<UserError>('UserError'), {
  description:
    'Something that the user of a form can correct: the write was not carried out because of it.',
  fields: (t) => ({
    code: t.expose('code', {
      type: UserErrorCodeRef,
      description: 'The kind of problem, for programs to branch on.',
    }),
    field: t.exposeStringList('field', {
      nullable: true,
      description:
        'Path of the input field, outermost name first and list indexes as strings: `["actions", "0", "url"]`. Null when the problem is not one of a single field.',
    }),
    message: t.exposeString('message', {
      description: 'Sentence to show to the user, for example: Title must not be empty.',
    }),
  }),
});

/** A value that must not be empty. */
export const emptyValue = (field: readonly string[]): UserError => ({
  code: 'BLANK',
  field,
  message: `${labelOf(field)} must not be empty.`,
});

/** Every limit of the REST document that a body breaks. */
export const brokenLimits = (error: z.ZodError, fieldOf: FieldOf): UserError[] =>
  error.issues.map((issue) => {
    const field = fieldOf(issue.path.map(String));
    const [code, wish] = limitOf(issue);
    return { code, field, message: `${labelOf(field)} ${wish}.` };
  });

/** Which limit is broken, and what a value has to be instead. */
function limitOf(issue: z.core.$ZodIssue): readonly [code: UserErrorCode, wish: string] {
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
      // An infinite number is one of the wrong type to zod.
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
 * What the backend refused.
 *
 * @throws the error itself when the user can't mend it.
 */
export function refusal(error: unknown, { target, inputs, fieldOf }: Form): UserError {
  if (!hasKind(error, 'status')) throw error;
  const field = fieldIn(error, fieldOf);
  const code = codeOf(error);
  switch (code) {
    case 'VALIDATION_FAILED':
      return {
        code,
        field,
        message: field ? `${labelOf(field)} must be valid.` : 'Some of the values are not valid.',
      };
    case 'NOT_FOUND':
      // Without a target there is nothing that could be missing: the backend has no such route.
      if (!target) throw error;
      return {
        code,
        field: [target.field],
        message: `The ${nounOf(target.entity.name)} does not exist.`,
      };
    case 'CONFLICT':
      if (field && inputs.includes(field[0]!)) {
        return { code: 'TAKEN', field, message: `${labelOf(field)} is taken already.` };
      }
      return {
        code,
        field,
        message: target
          ? `The current state of the ${nounOf(target.entity.name)} does not allow this.`
          : 'This conflicts with something that exists already.',
      };
    default:
      throw error;
  }
}

/** The input field that the backend names; null when it names none, or an id of the path. */
function fieldIn({ field, route }: RestError, fieldOf: FieldOf): readonly string[] | null {
  if (field === undefined || route.path.includes(`{${field}}`)) return null;
  const path = field.split(/[.[\]]+/).filter((name) => name !== '');
  return path.length > 0 ? fieldOf(path) : null;
}

/** Words that labels write in capitals. */
const ACRONYMS: ReadonlySet<string> = new Set(['id', 'og', 'url']);

/** How forms call a field: `customName` is `Custom name`, and what is in a list has its own name. */
function labelOf(field: readonly string[]): string {
  const name = field.findLast((part) => !/^\d+$/.test(part)) ?? 'value';
  const words = name.split(/(?=[A-Z])/).map((word) => word.toLowerCase());
  const label = words.map((word) => (ACRONYMS.has(word) ? word.toUpperCase() : word)).join(' ');
  return label.charAt(0).toUpperCase() + label.slice(1);
}
