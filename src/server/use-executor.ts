/**
 * The gateway's own executor, in the place of Yoga's.
 */
import type { Plugin } from 'graphql-yoga';
import { createExecute, type Execute } from '../execution/execute.ts';
import type { ServerContext } from './request-record.ts';

/** Errors that are told of one answer: a few ids asked for by many names make thousands. */
const MAX_ERRORS = 1_000;

/** To whoever has left, one error tells enough: a hundred are as dear as an answer. */
const maxErrors = (context: unknown): number =>
  (context as ServerContext).record.leaving.cancelled ? 1 : MAX_ERRORS;

/** @param execute in its place; tests compare it with graphql-js's. */
export function useExecutor(execute: Execute = createExecute(maxErrors)): Plugin {
  return {
    onExecute: ({ setExecuteFn }) => {
      setExecuteFn(execute);
    },
  };
}
