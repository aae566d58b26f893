/**
 * What a usage report says of an operation: its normalized text, and the schema coordinates that it uses, both by Hive's
 * own library, since Hive matches them by their text.
 *
 * Source: https://the-guild.dev/graphql/hive/docs/api-reference/usage-reports
 */
import { collectSchemaCoordinates, normalizeOperation } from '@graphql-hive/core';
import {
  TypeInfo,
  type DocumentNode,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import { separated } from '../coordinates.ts';

/** `OperationMapRecord` of Hive's reports. */
export interface HiveOperation {
  /** Without literals and aliases: callers may have written anything into them. */
  readonly operation: string;
  readonly operationName?: string;
  readonly fields: readonly string[];
}

/** Of a valid document. Introspection is left out: an operation of nothing else has no fields. */
export function hiveOperationOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): HiveOperation {
  const own = separated(document, operation);
  const coordinates = collectSchemaCoordinates({
    ...{ documentNode: own, schema, typeInfo: new TypeInfo(schema) },
    ...{ variables: null, processVariables: false },
  });
  const fields = [...coordinates].filter((one) => !/^__|\.__/.test(one));
  return {
    operation: normalizeOperation({ document: own, hideLiterals: true, removeAliases: true }),
    ...(operation.name && { operationName: operation.name.value }),
    fields: fields.some((one) => one.includes('.')) ? fields : [],
  };
}
