/** The gateway's executor, compared with graphql-js as its oracle. */
import {
  execute as graphqlJs,
  type ExecutionArgs,
  type ExecutionResult,
  type GraphQLError,
} from 'graphql';
import { expect } from 'vitest';
import { createExecute, type Execute, type ExecutionOptions } from '../../src/execution/execute.ts';
import { createTranslate } from '../../src/gateway/operation/error-translation.ts';

export const UNLIMITED = {
  maxValues: Infinity,
  maxTextBytes: Infinity,
  maxErrors: () => Infinity,
  deadlineMs: Infinity,
};

export const executeWith = (options: Partial<ExecutionOptions> = {}): Execute =>
  createExecute({
    limits: () => UNLIMITED,
    ...options,
  });

/** Executes twice, since the first execution prepares the second, and expects the result of graphql-js both times. */
export async function executeAlike(args: ExecutionArgs): Promise<ExecutionResult> {
  const execute = executeWith();
  const expected = written(await byGraphqlJs(args));

  const first = await execute(args);
  const second = await execute(args);

  expect(written(first)).toEqual(expected);
  expect(written(second)).toEqual(expected);
  return second;
}

/** The result of graphql-js, which leaves some rejections unhandled when a list fails. */
export async function byGraphqlJs(args: ExecutionArgs): Promise<ExecutionResult> {
  const listeners = process.listeners('unhandledRejection');
  process.removeAllListeners('unhandledRejection').on('unhandledRejection', () => {});
  const result = await graphqlJs(args);
  await afterRejections();
  process.removeAllListeners('unhandledRejection');
  for (const listener of listeners) process.on('unhandledRejection', listener);
  return result;
}

/** Waits until pending work has ended and unhandled rejections have been reported. */
export async function afterRejections(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** Errors as the gateway returns them to callers. */
export const clientErrors = (
  errors: readonly GraphQLError[] | undefined,
): GraphQLError[] | undefined => errors?.map(createTranslate({ suggestions: true, routes: true }));

/** The paths that are null because of an error; which of several errors came first is up to chance. */
export const nulls = ({ data, errors = [] }: Pick<ExecutionResult, 'data' | 'errors'>) =>
  new Set(
    errors.map(({ path = [] }) => {
      let [value, depth]: [any, number] = [data, 0];
      for (; value != null && depth < path.length; depth++) value = value[path[depth]!];
      return JSON.stringify(path.slice(0, depth));
    }),
  );

/** A result as it is written: its data byte for byte. */
export function written({ data, errors, ...rest }: ExecutionResult): object {
  return {
    ...rest,
    data: data === undefined ? 'none' : JSON.stringify(data),
    errors: errors?.map((error) => error.toJSON()),
  };
}
