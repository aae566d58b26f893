/**
 * `@restCost`: the route that a field costs, for programs; its description says the same to people.
 *
 * Read from the field's demand, so that both are what the plan counts.
 */
import {
  DirectiveLocation,
  GraphQLDirective,
  GraphQLInt,
  GraphQLNonNull,
  GraphQLString,
  type GraphQLField,
} from 'graphql';
import type { Route } from '../../v0/routes.ts';
import { usualDemandOf } from '../entity/demand.ts';

export const RestCostDirective = new GraphQLDirective({
  name: 'restCost',
  description:
    'The REST calls that the field costs at most for one object, without what is selected below it. Several fields may share a call, and a reference of which only ids are selected makes none.',
  locations: [DirectiveLocation.FIELD_DEFINITION],
  args: {
    route: {
      type: new GraphQLNonNull(GraphQLString),
      description: 'Method and path, such as `GET /v0/pages/{page_id}`.',
    },
    calls: {
      type: GraphQLInt,
      defaultValue: 1,
      description:
        'How many calls, for a list of a page of up to 100 items. Null where a list is read to its end, in as many calls as it has pages.',
    },
  },
});

export interface RestCost {
  /** Method and path. */
  readonly route: string;
  /** Null where a list is read to its end. */
  readonly calls: 1 | null;
}

/** What a field costs where the backend has all routes; undefined for fields that cost nothing, and for `node`. */
export function restCostOf(field: GraphQLField<unknown, unknown>): RestCost | undefined {
  const demand = usualDemandOf(field);
  switch (demand?.kind) {
    case 'lookup':
    case 'reference':
      return demand.entity && { route: labelOf(demand.entity.route), calls: 1 };
    case 'list':
      return demand.route && { route: labelOf(demand.route), calls: demand.walks ? null : 1 };
    case 'load':
      return { route: labelOf(demand.route), calls: demand.list ? null : 1 };
    case 'write':
      return { route: labelOf(demand.route), calls: 1 };
    case undefined:
      return undefined;
  }
}

const labelOf = ({ method, path }: Route): string => `${method} ${path}`;
