/**
 * User errors: mistakes that the user of a form can correct, found here or by the backend, as data.
 *
 * Messages are sentences for people. They are written here, because zod's are for developers and the
 * backend's text is never repeated.
 */
import type { z } from 'zod';
import { RestStatusError } from '../../rest/client/errors.ts';
import { codeOf } from '../errors.ts';
import { builder } from '../types/builder.ts';
import { nounOf } from '../types/typename.ts';

const USER_ERROR_CODES = {
  VALIDATION_FAILED: {
    description: 'A value breaks a limit or a format, or the backend answered 400 or 422.',
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

/** The object that a write acts on, and the input field that names it. */
interface Target {
  readonly field: string;
  readonly entity: { readonly name: string };
}

const UserErrorCodeRef = builder.enumType('UserErrorCode', {
  description: 'Why a write was not carried out, for programs to branch on.',
  values: USER_ERROR_CODES,
});

export const UserErrorRef = builder.objectRef<UserError>('UserError');
builder.objectType(UserErrorRef, {
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
  code: 'VALIDATION_FAILED',
  field,
  message: `${labelOf(field)} must not be empty.`,
});

/** Every limit of the REST document that a body breaks. */
export const brokenLimits = (error: z.ZodError, fieldOf: FieldOf): UserError[] =>
  error.issues.map((issue) => {
    const field = fieldOf(issue.path.map(String));
    return { code: 'VALIDATION_FAILED', field, message: `${labelOf(field)} ${wishOf(issue)}.` };
  });

function wishOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'too_small':
      if (issue.origin !== 'string') return `must be at least ${issue.minimum}`;
      return issue.minimum === 1
        ? 'must not be empty'
        : `must have at least ${issue.minimum} characters`;
    case 'too_big':
      return issue.origin === 'string'
        ? `must have at most ${issue.maximum} characters`
        : `must be at most ${issue.maximum}`;
    case 'invalid_format':
      if (issue.format === 'url') return 'must be a complete URL, such as https://example.com';
  }
  return 'must be valid';
}

/**
 * What the backend refused.
 *
 * @param target undefined when the write acts on no object that exists already.
 * @throws the error itself when the user can't mend it.
 */
export function refusal(error: unknown, target: Target | undefined, fieldOf: FieldOf): UserError {
  if (!(error instanceof RestStatusError)) throw error;
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
function fieldIn({ field, route }: RestStatusError, fieldOf: FieldOf): readonly string[] | null {
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
