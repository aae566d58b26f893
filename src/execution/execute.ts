/**
 * `ExecuteRequest`: executes an operation of a document, with the interface of graphql-js's `execute`.
 *
 * Everything that does not change from one request to the next is prepared once; `Execution` is what
 * a request costs.
 *
 * Source: https://spec.graphql.org/October2021/#sec-Executing-Requests
 */
import {
  getOperationAST,
  Kind,
  type DocumentNode,
  type ExecutionArgs,
  type GraphQLError,
  type GraphQLSchema,
} from 'graphql';
import { assertExecutable } from './assert-executable.ts';
import {
  Execution,
  type ExecuteArgs,
  type ExecutionOptions,
  type IncrementalResult,
  type MaybePromise,
} from './execution.ts';
import { PreparedOperations } from './operation/prepared-operation.ts';
import { userInputError } from './operation/user-input-error.ts';
import { coerceVariableValues } from './operation/variables.ts';

export interface Execute {
  (args: ExecuteArgs): MaybePromise<IncrementalResult>;
  /** Prepares the operations of a valid document before they are executed. */
  prepare?(schema: GraphQLSchema, document: DocumentNode): void;
}

export function createExecute(
  options: ExecutionOptions,
): Execute & Required<Pick<Execute, 'prepare'>> {
  const schemas = new WeakMap<GraphQLSchema, PreparedOperations>();

  function operationsOf(schema: GraphQLSchema): PreparedOperations {
    let operations = schemas.get(schema);
    if (!operations) {
      assertExecutable(schema);
      operations = new PreparedOperations();
      schemas.set(schema, operations);
    }
    return operations;
  }

  const execute = (args: ExecuteArgs) => {
    const { schema, document, operationName, variableValues: sent, options: coercion } = args;
    assertArguments(args);
    const operations = operationsOf(schema);
    const operation = getOperationAST(document, operationName);
    if (!operation) return { errors: [noOperation(document, operationName)] };
    const { coerced: variableValues, errors } = coerceVariableValues(
      schema,
      operation,
      sent,
      args.hideSuggestions,
      coercion?.maxCoercionErrors,
    );
    if (!variableValues) return { errors: errors! };
    const known = operations.document(document);
    const context = { schema, fragments: known.fragments, variableValues };
    try {
      const selection = operations.root(known, operation, context, args.isIncremental ?? false);
      return new Execution(context, operation, selection, args, options).executeOperation();
    } catch (error) {
      // A condition is null, or the schema has no such operations: nothing was executed.
      return { errors: [error as GraphQLError], data: null };
    }
  };
  return Object.assign(execute, {
    prepare: (schema: GraphQLSchema, document: DocumentNode) =>
      operationsOf(schema).prepare(schema, document),
  });
}

/** What TypeScript can't hold of a caller in JavaScript; in the words of graphql-js. */
function assertArguments({ document, variableValues }: ExecutionArgs): void {
  if (!(document as unknown)) throw new Error('Must provide document.');
  if (variableValues != null && typeof variableValues !== 'object') {
    throw new Error(
      'Variables must be provided as an Object where each property is a variable value. Perhaps look to see if an unparsed JSON string was provided.',
    );
  }
}

function noOperation(
  { definitions }: DocumentNode,
  operationName: string | null | undefined,
): GraphQLError {
  if (operationName != null) return userInputError(`Unknown operation named "${operationName}".`);
  return userInputError(
    definitions.some(({ kind }) => kind === Kind.OPERATION_DEFINITION)
      ? 'Must provide operation name if query contains multiple operations.'
      : 'Must provide an operation.',
  );
}
