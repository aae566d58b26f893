/**
 * `ExecuteRequest`: executes an operation, with the interface of graphql-js's `execute`.
 *
 * Selections are prepared once; each request creates only an executor.
 *
 * Source: https://spec.graphql.org/October2021/#sec-Executing-Requests
 */
import {
  assertValidSchema,
  getNamedType,
  getOperationAST,
  isAbstractType,
  isObjectType,
  isScalarType,
  Kind,
  type DocumentNode,
  type ExecutionArgs,
  OperationTypeNode,
  GraphQLError,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import { ResultBounds, type ExecutionLimits } from './core/result-bounds.ts';
import { Executor, type ExecutorArgs } from './core/executor.ts';
import type { MaybePromise } from './core/resolved-value.ts';
import type { FragmentDelivery } from './incremental/delivery.ts';
import {
  IncrementalExecutor,
  isDeferredAt,
  type IncrementalResult,
} from './incremental/incremental-executor.ts';
import { PreparedOperations } from './operation/prepared-operations.ts';
import type { OperationContext } from './operation/collect-fields.ts';
import { streamOf } from './operation/defer-and-stream.ts';
import type { PreparedField, PreparedSelection } from './operation/prepared-selection.ts';
import { coerceVariableValues } from './operation/variables.ts';

interface ExecuteArgs extends ExecutionArgs, ExecutorArgs {
  /** The operation of the document. @default by `operationName` */
  readonly operation?: OperationDefinitionNode | undefined;
  /** Whether deferred and streamed data may follow the result. @default false */
  readonly isIncremental?: boolean | undefined;
  /** @default inlined */
  readonly fragmentDelivery?: FragmentDelivery | undefined;
}

export interface ExecutionOptions {
  /** Whether errors of variables have no suggestions ("Did you mean"). @default false */
  readonly hideSuggestions?: boolean;
  /** Limits of an execution. */
  readonly limits: (contextValue: unknown) => ExecutionLimits;
  /** Called before an incremental execution, with a predicate for deferred positions. */
  readonly onIncremental?: (
    contextValue: unknown,
    isDeferred: (path: GraphQLResolveInfo['path']) => boolean,
  ) => void;
}

export type Execute = (args: ExecuteArgs) => MaybePromise<IncrementalResult>;

export function createExecute(options: ExecutionOptions): Execute {
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

  return (args) => {
    const { schema, document, operationName, isIncremental = false } = args;
    assertArguments(args);
    const operations = operationsOf(schema);
    const operation = args.operation ?? getOperationAST(document, operationName);
    if (!operation) return { errors: [noOperation(document, operationName)] };
    const { coerced: variableValues, errors } = coerceVariableValues(
      schema,
      operation,
      args.variableValues,
      options.hideSuggestions,
      args.options?.maxCoercionErrors,
    );
    if (!variableValues) return { errors: errors! };
    const known = operations.document(document);
    const { fragments } = known;
    const context = { schema, fragments, variableValues, isIncremental };
    const isMutation = operation.operation === OperationTypeNode.MUTATION;
    const type = schema.getRootType(operation.operation);
    if (!type) return { errors: [noRootType(operation)], data: null };
    let selection: PreparedSelection;
    try {
      selection = operations.root(known, operation, type, context);
      if (isMutation) {
        // Arguments of `@defer` and `@stream` are checked even if they are ignored.
        const all = isIncremental ? context : { ...context, isIncremental: true };
        checkValues(operations.root(known, operation, type, all), all);
      }
    } catch (error) {
      // A null condition or an invalid argument: nothing was executed.
      const errors = [error as GraphQLError];
      return isMutation ? { errors } : { errors, data: null };
    }
    const { contextValue } = args;
    const request = { context, operation, selection, args };
    const bounds = new ResultBounds(selection, options.limits(contextValue));
    if (!isIncremental) return new Executor(request, bounds).executeOperation();
    options.onIncremental?.(contextValue, (path) => isDeferredAt(selection, path, context));
    const { fragmentDelivery = 'inlined' } = args;
    return new IncrementalExecutor(request, bounds, fragmentDelivery).executeOperation();
  };
}

/**
 * Checks the conditions and arguments of a whole operation. Execution evaluates them as it reaches them, when a mutation
 * has already written.
 *
 * @throws {GraphQLError} for one that is null or invalid for the given variables.
 */
function checkValues({ fields, groups }: PreparedSelection, context: OperationContext): void {
  for (const field of fields) {
    field.arguments?.coerce(context.variableValues);
    if (field.stream) streamOf(field.stream, context.variableValues);
    for (const type of objectTypesOf(field, context))
      checkValues(field.below(type, context), context);
  }
  for (const group of groups) checkValues(group, context);
}

/** Returns the types of objects of a field. */
function objectTypesOf({ definition }: PreparedField, { schema }: OperationContext) {
  const type = getNamedType(definition.type);
  if (isObjectType(type)) return [type];
  return isAbstractType(type) ? schema.getPossibleTypes(type) : [];
}

/** @throws {Error} that says what has to change. */
export function assertExecutable(schema: GraphQLSchema): void {
  assertValidSchema(schema);
  for (const type of Object.values(schema.getTypeMap())) {
    if (isScalarType(type) && type.serialize.constructor.name === 'AsyncFunction') {
      throw new Error(
        `"${type.name}.serialize" is async and is not awaited. Load what it needs in resolvers.`,
      );
    }
  }
}

/** Checks of graphql-js for callers without TypeScript. */
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
  if (operationName != null) {
    return new GraphQLError(`Unknown operation named "${operationName}".`);
  }
  return new GraphQLError(
    definitions.some(({ kind }) => kind === Kind.OPERATION_DEFINITION)
      ? 'Must provide operation name if query contains multiple operations.'
      : 'Must provide an operation.',
  );
}

const noRootType = (operation: OperationDefinitionNode): GraphQLError =>
  new GraphQLError(`Schema is not configured to execute ${operation.operation} operation.`, {
    nodes: operation,
  });
