/**
 * What the backend refuses for the caller's reasons, as data.
 *
 * Validation, a missing or a conflicting object: the caller can mend it, so it asked for it.
 */
import { RestStatusError } from '../../rest/client/errors.ts';
import { builder } from '../types/builder.ts';
import { codeOf } from '../errors.ts';

export interface UserError {
  readonly code: string;
  /** The input field at fault, outermost first; null when none is named. */
  readonly field: readonly string[] | null;
  readonly message: string;
}

/** A path of REST's body → the input's, where they differ. */
export type FieldOf = (path: readonly string[]) => readonly string[];

export const asItIs: FieldOf = (path) => path;

export const UserErrorRef = builder.objectRef<UserError>('UserError');
builder.objectType(UserErrorRef, {
  description: 'Why the backend refused a write, for a reason that its caller can mend.',
  fields: (t) => ({
    code: t.exposeString('code', {
      description: '`VALIDATION_FAILED`, `NOT_FOUND` or `CONFLICT`.',
    }),
    field: t.exposeStringList('field', {
      nullable: true,
      description: 'The input field at fault, outermost first; null when none is named.',
    }),
    message: t.exposeString('message', { description: 'What happened, for a person.' }),
  }),
});

/** @throws the error itself when it is no refusal. */
export function toUserError(error: unknown, fieldOf: FieldOf = asItIs): UserError {
  const code = error instanceof RestStatusError ? codeOf(error) : undefined;
  if (!(error instanceof RestStatusError) || !code || !(code in REFUSALS)) throw error;
  // A path without holes names no object that could be missing: the backend has no such route.
  if (code === 'NOT_FOUND' && !error.route.path.includes('{')) throw error;
  // A hole of the path is no field of the input: the object as a whole is meant.
  const named = error.route.path.includes(`{${error.field}}`) ? undefined : error.field;
  const field = named === undefined ? null : fieldOf(named.split('.'));
  return { code, field, message: REFUSALS[code]!(field?.join('.')) };
}

const REFUSALS: Readonly<Record<string, (field: string | undefined) => string>> = {
  VALIDATION_FAILED: (field) =>
    field ? `The backend does not accept "${field}".` : 'The backend does not accept this input.',
  NOT_FOUND: () => 'There is no such object.',
  CONFLICT: () => 'The object’s present state does not allow this.',
};
