/**
 * The field builder, for helpers that define fields of any parent type.
 *
 * Pothos types a field by its parent (query, object, interface) and by its literal options. A helper for
 * all of them cannot be typed that way; its own parameters are typed instead.
 */
import type { Route } from '../../v0/routes.ts';
import type { Types } from './builder.ts';

/** A field builder of any object type or of the query type. */
export type FieldBuilder<Parent> =
  | PothosSchemaTypes.ObjectFieldBuilder<Types, Parent>
  | PothosSchemaTypes.QueryFieldBuilder<Types, Parent>;

/** The half of a field builder that helpers use; its own type depends on where a field stands. */
interface AnyFieldBuilder {
  /** Of what it builds fields: `Query`, `Object`, … */
  readonly kind: string;
  readonly arg: PothosSchemaTypes.ObjectFieldBuilder<Types, object>['arg'];
  field(options: object): never;
  expose(name: string, options: object): never;
}

export const anyBuilder = (t: unknown): AnyFieldBuilder => t as AnyFieldBuilder;

/** `description`, and the route that the field costs. */
export const costing = (description: string, route: Route): string =>
  `${description} Costs \`${route.method} ${route.path}\`.`;
