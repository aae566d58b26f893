/**
 * Impact of a missing route or field on the operations of apps.
 */
import {
  isObjectType,
  Kind,
  parse,
  validate,
  type DocumentNode,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import type { Context } from '../../graph/context.ts';
import { requirementOf, routeOf } from '../../graph/entity/requirement.ts';
import { lossesByRoute, lossesOfField, type Loss } from './losses.ts';

/** An operation of an app's version. */
export interface Shipped {
  readonly app: string;
  readonly version: string;
  /** Name of the operation. */
  readonly name: string;
  /** Id of its document. */
  readonly id: string;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
}

export interface Impact extends Shipped {
  readonly losses: readonly Loss[];
}

interface Texts {
  readonly app: string;
  readonly version: string;
  readonly texts: ReadonlyMap<string, string>;
}

/** Returns the operations that are valid against the schema. */
export const shippedIn = (schema: GraphQLSchema, manifests: readonly Texts[]): readonly Shipped[] =>
  manifests.flatMap(({ app, version, texts }) =>
    [...texts].flatMap(([id, text]) =>
      operationsOf(schema, text).map((one) => ({ app, version, id, ...one })),
    ),
  );

function operationsOf(schema: GraphQLSchema, text: string) {
  try {
    const document = parse(text);
    if (validate(schema, document).length > 0) return [];
    return document.definitions
      .filter((one) => one.kind === Kind.OPERATION_DEFINITION)
      .map((operation) => ({ document, operation, name: operation.name?.value ?? 'anonymous' }));
  } catch {
    return [];
  }
}

/** @param route `GET /v0/pages/{page_id}`. */
export const impactOfRoute = (
  schema: GraphQLSchema,
  shipped: readonly Shipped[],
  route: string,
  context: Context,
): readonly Impact[] =>
  shipped.flatMap((one) => {
    const losses = lossesByRoute({ schema, ...one }, context).get(route);
    return losses ? [{ ...one, losses }] : [];
  });

/** @param field `Page.name`. */
export const impactOfField = (
  schema: GraphQLSchema,
  shipped: readonly Shipped[],
  field: string,
): readonly Impact[] =>
  shipped.flatMap((one) => {
    const losses = lossesOfField({ schema, ...one }, field);
    return losses.length > 0 ? [{ ...one, losses }] : [];
  });

/** Returns the fields that call or poll a route. */
export const fieldsOfRoute = (
  schema: GraphQLSchema,
  route: string,
  { rest: { capabilities } }: Context,
): readonly string[] =>
  Object.values(schema.getTypeMap())
    .filter(isObjectType)
    .flatMap((type) =>
      Object.values(type.getFields())
        .filter((field) => {
          const requirement = requirementOf(field, capabilities);
          const own = requirement && routeOf(requirement);
          return own && `${own.method} ${own.path}` === route;
        })
        .map(({ name }) => `${type.name}.${name}`),
    )
    .sort();
