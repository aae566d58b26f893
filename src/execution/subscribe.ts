/**
 * `CreateSourceEventStream`: the events that a subscription is executed for, each on its own.
 *
 * Unlike graphql-js's `subscribe` it does not execute them: an event is a request of its own, with
 * its own deadline, budget and loaders, and so needs a context of its own.
 *
 * Source: https://spec.graphql.org/October2021/#sec-Source-Stream
 */
import {
  getOperationAST,
  type GraphQLError,
  locatedError,
  type ExecutionArgs,
  type GraphQLResolveInfo,
} from 'graphql';
import { inspect } from 'graphql/jsutils/inspect.js';
import { isAsyncIterable } from 'graphql/jsutils/isAsyncIterable.js';
import { prepareArguments } from './operation/arguments.ts';
import { collectFields, fragmentsOf, type CollectedField } from './operation/collect-fields.ts';
import { userInputError } from './operation/user-input-error.ts';
import { coerceVariableValues } from './operation/variables.ts';

interface SourceEventStream {
  readonly events: AsyncIterator<unknown>;
  /** The subscription's only field. */
  readonly field: CollectedField;
}

/** @returns the errors of a subscription that could not be begun. */
export async function createSourceEventStream(
  args: ExecutionArgs,
): Promise<SourceEventStream | readonly GraphQLError[]> {
  const { schema, document, operationName, variableValues: sent, contextValue, rootValue } = args;
  const operation = getOperationAST(document, operationName);
  const type = schema.getSubscriptionType();
  if (!operation || !type) {
    return [userInputError('Schema is not configured to execute subscription operation.')];
  }
  const { coerced: variableValues, errors } = coerceVariableValues(
    schema,
    operation,
    sent,
    args.hideSuggestions,
  );
  if (!variableValues) return errors!;
  const fragments = fragmentsOf(document);
  let field: CollectedField | undefined;
  try {
    // The array is this outcome's own: what is collected is remembered by it.
    [field] = collectFields({ schema, fragments, variableValues }, type, [operation]);
    const definition = field && type.getFields()[field.name];
    if (!field || !definition) {
      const message = `The subscription field "${field?.name ?? ''}" is not defined.`;
      return [userInputError(message, field?.fieldNodes[0])];
    }
    const info: GraphQLResolveInfo = {
      fieldName: field.name,
      fieldNodes: field.fieldNodes,
      returnType: definition.type,
      parentType: type,
      path: { prev: undefined, key: field.key, typename: type.name },
      schema,
      fragments,
      rootValue,
      operation,
      variableValues,
    };
    const given = prepareArguments(definition, field.fieldNodes[0]!).coerce(variableValues);
    const events: unknown = await definition.subscribe?.(rootValue, given, contextValue, info);
    if (events instanceof Error) throw events;
    if (!isAsyncIterable(events)) {
      throw new Error(
        `Subscription field must return Async Iterable. Received: ${inspect(events)}.`,
      );
    }
    return { events: events[Symbol.asyncIterator](), field };
  } catch (error) {
    // A condition is null, an argument is wrong, or the source could not be made.
    return [field ? locatedError(error, field.fieldNodes, [field.key]) : (error as GraphQLError)];
  }
}
