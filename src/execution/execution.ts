/**
 * One execution: what is executed, for whom, and what resolvers are called with.
 */
import {
  isObjectType,
  type GraphQLAbstractType,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import { argumentValues, type Arguments } from './arguments.ts';
import type { Place } from './place.ts';
import { nameOf, type PreparedField } from './prepared.ts';
import type { Document } from './selection.ts';

export class Execution implements Document {
  readonly schema: GraphQLSchema;
  readonly fragments: Document['fragments'];
  readonly variableValues: Document['variableValues'];
  readonly operation: OperationDefinitionNode;
  readonly rootValue: unknown;
  readonly #context: unknown;
  /** Of fields whose arguments have variables. */
  #arguments: Map<PreparedField, Arguments> | undefined;

  constructor(
    { schema, fragments, variableValues }: Document,
    operation: OperationDefinitionNode,
    { rootValue, contextValue }: { readonly rootValue?: unknown; readonly contextValue?: unknown },
  ) {
    this.schema = schema;
    this.fragments = fragments;
    this.variableValues = variableValues;
    this.operation = operation;
    this.rootValue = rootValue;
    this.#context = contextValue;
  }

  /** What a field's resolver answers; what the source has, for a field without. */
  resolve(field: PreparedField, source: unknown, property: unknown, place: Place): unknown {
    if (!field.resolve) return property;
    const info = this.#info(field, place);
    return field.resolve(source, this.#argumentsOf(field), this.#context, info);
  }

  /** The type of an object that may be of several. */
  typeOf(
    value: unknown,
    type: GraphQLAbstractType,
    field: PreparedField,
    place: Place,
  ): GraphQLObjectType {
    const name = type.resolveType?.(value, this.#context, this.#info(field, place), type);
    const found = typeof name === 'string' ? this.schema.getType(name) : undefined;
    if (isObjectType(found) && this.schema.isSubType(type, found)) return found;
    throw new Error(`Nothing told which "${type.name}" stands at "${nameOf(field)}".`);
  }

  #argumentsOf(field: PreparedField): Arguments {
    if (field.fixedArguments) return field.fixedArguments;
    let found = this.#arguments?.get(field);
    if (!found) {
      found = argumentValues(field.definition, field.nodes[0]!, this.variableValues);
      (this.#arguments ??= new Map()).set(field, found);
    }
    return found;
  }

  #info(field: PreparedField, path: Place): GraphQLResolveInfo {
    return {
      fieldName: field.name,
      fieldNodes: field.nodes,
      returnType: field.definition.type,
      parentType: field.parentType,
      path,
      schema: this.schema,
      fragments: this.fragments,
      rootValue: this.rootValue,
      operation: this.operation,
      variableValues: this.variableValues,
    };
  }
}
