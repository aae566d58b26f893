/** The report of `/drift`: contract violations of the backend, each with the trusted documents that select the field. */
import { isInterfaceType, isObjectType, type GraphQLSchema } from 'graphql';
import { restFieldOf } from '../../graph/schema/rest-type.ts';
import type { AppVersion } from '../../gateway/operation/app-version.ts';
import type { Document } from '../../gateway/operation/document.ts';
import type { ContractViolation, Drift } from './drift.ts';

interface ReportOptions {
  readonly schema: GraphQLSchema;
  /** Served trusted documents with the versions of apps whose manifests contain them. */
  readonly trusted: ReadonlyMap<Document, readonly AppVersion[]>;
}

export function driftReport(drift: Drift, { schema, trusted }: ReportOptions) {
  const { departures, ...rest } = drift.report();
  const operations = departures.length === 0 ? [] : [...trusted].flatMap(operationsOf);
  return {
    ...rest,
    departures: departures.map((one) => {
      const { owner: _owner, ...shown } = one;
      const coordinates = coordinatesOf(schema, one);
      const documents = operations
        .filter((of) => {
          const used = of.operation.coordinatesIn(schema);
          return coordinates.some((coordinate) => used.has(coordinate));
        })
        .map(({ shown }) => shown);
      return { ...shown, fields: coordinates, documents };
    }),
  };
}

function operationsOf([{ hash, operations, errors }, apps]: [Document, readonly AppVersion[]]) {
  if (errors.length > 0) return [];
  return operations.map((operation) => ({
    operation,
    shown: { document: hash!, operation: operation.name ?? 'anonymous', apps }, // trusted documents have a hash
  }));
}

/** Fields of the graph that expose a REST field unchanged. */
function coordinatesOf(
  schema: GraphQLSchema,
  { owner, field }: ContractViolation,
): readonly string[] {
  if (!owner) return [];
  const name = field.slice(field.lastIndexOf('.') + 1);
  const answering = fieldsOf(schema).filter(
    ({ of }) => of.name === name && of.owner.shape[name] === owner.shape[name],
  );
  // Prefers the graph's type of the documented object to types with the same field.
  const own = answering.filter(({ of }) => of.owner === owner);
  return (own.length > 0 ? own : answering).flatMap(({ type, field: { name: as } }) =>
    // Documents may select the field on an interface.
    [type, ...type.getInterfaces()]
      .filter((one) => as in one.getFields())
      .map((one) => `${one.name}.${as}`),
  );
}

/** All fields that expose a REST field unchanged. */
const fieldsOf = (schema: GraphQLSchema) =>
  Object.values(schema.getTypeMap())
    .filter((type) => isObjectType(type) || isInterfaceType(type))
    .flatMap((type) => Object.values(type.getFields()).map((field) => ({ type, field })))
    .flatMap(({ type, field }) => {
      const of = restFieldOf(field);
      return of ? [{ type, field, of }] : [];
    });
