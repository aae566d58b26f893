/** What `/drift` tells: departures of the backend, each with the trusted documents that select the field. */
import {
  isInterfaceType,
  isObjectType,
  Kind,
  type DocumentNode,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import type { TrustedDocument } from '../documents/trusted-documents.ts';
import { restFieldOf } from '../graph/schema/rest-type.ts';
import type { AppVersion } from '../operation/request/caller.ts';
import type { Departure, Drift } from './drift.ts';

interface ReportOptions {
  readonly schema: GraphQLSchema;
  /** Trusted documents that are served, each with the apps that were built with it. */
  readonly trusted: ReadonlyMap<TrustedDocument, readonly AppVersion[]>;
  /** The schema coordinates that an operation uses. */
  readonly usesOf: (
    document: DocumentNode,
    operation: OperationDefinitionNode,
  ) => ReadonlySet<string>;
}

export function driftReport(drift: Drift, { schema, trusted, usesOf }: ReportOptions) {
  const { departures, ...rest } = drift.report();
  const operations = departures.length === 0 ? [] : [...trusted].flatMap(operationsOf);
  return {
    ...rest,
    departures: departures.map((one) => {
      const { schema: _schema, ...shown } = one;
      const coordinates = coordinatesOf(schema, one);
      const documents = operations
        .filter((of) => {
          const used = usesOf(of.document, of.operation);
          return coordinates.some((coordinate) => used.has(coordinate));
        })
        .map(({ shown }) => shown);
      return { ...shown, fields: coordinates, documents };
    }),
  };
}

function operationsOf([{ hash, document, errors }, apps]: [
  TrustedDocument,
  readonly AppVersion[],
]) {
  if (errors.length > 0 || document instanceof Error) return [];
  return document.definitions
    .filter((one) => one.kind === Kind.OPERATION_DEFINITION)
    .map((operation) => ({
      ...{ document, operation },
      shown: { document: hash, operation: operation.name?.value ?? 'anonymous', apps },
    }));
}

/** The fields of the graph that answer a REST field as it is; none for what the graph makes something else of. */
function coordinatesOf(schema: GraphQLSchema, departure: Departure): readonly string[] {
  if (!departure.schema) return [];
  const name = departure.field.slice(departure.field.lastIndexOf('.') + 1);
  return Object.values(schema.getTypeMap()).flatMap((type) =>
    isObjectType(type) || isInterfaceType(type)
      ? Object.values(type.getFields())
          .filter((field) => {
            const of = restFieldOf(field);
            return of?.schema === departure.schema && of?.name === name;
          })
          .map((field) => `${type.name}.${field.name}`)
      : [],
  );
}
