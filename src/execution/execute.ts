/**
 * Executes operations in the place of graphql-js's `execute`, which is asked only where nothing can
 * be executed.
 */
import {
  execute as interpret,
  getOperationAST,
  OperationTypeNode,
  type ExecutionArgs,
  type ExecutionResult,
  type GraphQLError,
} from 'graphql';
import { Execution } from './execution.ts';
import { Executor } from './executor.ts';
import { FieldErrors } from './field-errors.ts';
import { PreparedOperations } from './prepared-operations.ts';
import type { Data } from './prepared.ts';
import { variablesOf } from './variables.ts';

type MaybePromise<T> = T | Promise<T>;

export type Execute = (args: ExecutionArgs) => MaybePromise<ExecutionResult>;

/** Each repeats the whole input. */
const MAX_VARIABLE_ERRORS = 10;

/** @param maxErrors how many errors are told, at most, of an answer in this context. */
export function createExecute(maxErrors: (contextValue: unknown) => number): Execute {
  const operations = new PreparedOperations();

  return (args) => {
    const { schema, document, operationName, contextValue } = args;
    const operation = getOperationAST(document, operationName);
    const type = operation && schema.getRootType(operation.operation);
    // graphql-js says why.
    if (!type) return interpret(args);
    const variableValues = variablesOf(schema, operation, args.variableValues);
    if (!variableValues) {
      return interpret({ ...args, options: { maxCoercionErrors: MAX_VARIABLE_ERRORS } });
    }
    const errors = new FieldErrors(() => maxErrors(contextValue));
    const known = operations.document(document);
    const read = { schema, fragments: known.fragments, variableValues };
    const execution = new Execution(read, operation, args);
    const executor = new Executor(execution, errors);
    const failed = (error: unknown): ExecutionResult => {
      errors.add(error as GraphQLError, undefined);
      return resultOf(null, errors);
    };
    try {
      const root = operations.root(known, operation, type, execution);
      const data =
        operation.operation === OperationTypeNode.MUTATION
          ? executor.oneByOne(root)
          : executor.together(root);
      return data instanceof Promise
        ? data.then((data) => resultOf(data, errors), failed)
        : resultOf(data, errors);
    } catch (error) {
      return failed(error);
    }
  };
}

const resultOf = (data: Data | null, { told }: FieldErrors): ExecutionResult =>
  told.length > 0 ? { errors: told, data } : { data };
