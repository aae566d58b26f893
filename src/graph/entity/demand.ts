/**
 * What a field asks of the backend, declared beside the field.
 *
 * Look-ahead, the plan and the field's resolver read the same declaration: a resource module says once
 * which route a field needs and with which key.
 */
import type { GraphQLField } from 'graphql';
import type { ArgumentValues } from '../../execution/operation/arguments.ts';
import type { Dialect, Reading } from '../../rest/client/dialect.ts';
import type { Route } from '../../v0/routes.ts';
import type { List } from '../connection/list.ts';
import type { Context } from '../context.ts';
import type { AnyEntity } from './entity.ts';
import type { Key } from './key.ts';
import type { Loader } from './loader.ts';

/** `key`: the parent's key is enough. `object`: the parent has to be there first. */
export type DemandSource = 'key' | 'object';

/** Objects that the caller names by their ids. Only root fields demand them. */
export interface LookupDemand {
  readonly kind: 'lookup';
  readonly from: 'object';
  /** What they are, where they are all of one type. */
  readonly entity?: AnyEntity;
  /** @throws BAD_USER_INPUT for what is no id. */
  readonly wanted: (args: ArgumentValues) => readonly Wanted[];
}

/** An object and the key it is read by. */
export interface Wanted {
  readonly entity: AnyEntity;
  readonly key: Key;
}

/** The object that the parent refers to. The plan takes the parts of its key by their names. */
export interface ReferenceDemand {
  readonly kind: 'reference';
  readonly from: DemandSource;
  readonly entity: AnyEntity;
  /**
   * Null when the reference is empty.
   *
   * @throws the error that stands where the backend broke a part of the key.
   */
  readonly key: (parent: object) => Key | null;
}

/** What lists and loads have in common: objects that one call brings. */
interface ItemsDemand {
  readonly from: DemandSource;
  /** What the items are, and prime; absent when they are no entities. */
  readonly items?: AnyEntity | undefined;
  /** Fields that every item has from its parent, beside the parts of its key. */
  readonly shares?: readonly string[];
  /** True when the items are keys, each read only if more is selected. */
  readonly references?: boolean;
}

/** A list of the backend, a page at a time. */
export interface ListDemand extends ItemsDemand {
  readonly kind: 'list';
  /** Undefined when the list came with its parent and costs nothing. */
  readonly route: Route | undefined;
  /** True when a whole list is read, in as many pages as it has. */
  readonly walks?: boolean;
  /** True when the route has the parent in its path: a 404 then means that there is no parent. */
  readonly proves?: boolean;
  /** @throws BAD_USER_INPUT for arguments that would not be sent. */
  readonly list: (parent: object, args: ArgumentValues, context: Context) => List;
}

/** Something that arrives with one call, and is not a list with cursors. */
export interface LoadDemand extends ItemsDemand {
  readonly kind: 'load';
  readonly route: Route;
  readonly loader: (context: Context) => Loader<Key, unknown>;
  /** The list that is read to its end for it, in as many pages as it has. */
  readonly list?: (key: Key, context: Context) => List;
  /** The parent's fields that the key is made of; its own key when absent. */
  readonly parts?: readonly string[];
  /**
   * Null when nothing has to be asked for.
   *
   * @throws BAD_USER_INPUT for arguments that would not be sent.
   */
  readonly key: (parent: object, args: ArgumentValues, context: Context) => Key | null;
}

/** A write: sent when its field's turn comes, never ahead. */
export interface WriteDemand {
  readonly kind: 'write';
  readonly from: 'object';
  readonly route: Route;
  /** @throws BAD_USER_INPUT for an input that would not be sent. */
  readonly check: (args: ArgumentValues) => void;
}

/** What fields of objects demand. */
export type ObjectDemand = ReferenceDemand | ListDemand | LoadDemand;

export type Demand = ObjectDemand | LookupDemand | WriteDemand;

/** A demand that is the same in every dialect, or one for each. */
export type InDialects<Any extends Demand> = Any | Reading<Any>;

export const isReading = <Any extends Demand>(demand: InDialects<Any>): demand is Reading<Any> =>
  'extended' in demand;

export const demandIn = <Any extends Demand>(dialect: Dialect, demand: InDialects<Any>): Any =>
  isReading(demand) ? dialect.wayOf(demand) : demand;

/** The demand of a backend that has all routes: the one that a field's description names. */
export const usualDemand = <Any extends Demand>(demand: InDialects<Any>): Any =>
  isReading(demand) ? demand.extended : demand;

export const mapDemand = <Any extends Demand>(
  demand: InDialects<Any>,
  map: (one: Any) => Any,
): InDialects<Any> =>
  isReading(demand)
    ? { ...demand, extended: map(demand.extended), document: map(demand.document) }
    : map(demand);

const DEMAND = 'demand';

/** The `extensions` that carry a demand on a field. */
export const demanding = (demand: InDialects<Demand>) => ({ [DEMAND]: demand });

/** What a field demands of a backend that has all routes; undefined when it costs nothing. */
export const usualDemandOf = (field: GraphQLField<unknown, unknown>): Demand | undefined => {
  // Only `demanding` writes under this name.
  const demand = field.extensions[DEMAND] as InDialects<Demand> | undefined;
  return demand && usualDemand(demand);
};

/** The extended route without which a field demands something else; undefined for most fields. */
export const extendedRouteOf = (field: GraphQLField<unknown, unknown>): Route | undefined => {
  const demand = field.extensions[DEMAND] as InDialects<Demand> | undefined;
  return demand && isReading(demand) ? demand.route : undefined;
};

/** What a field of the schema demands; undefined when it costs nothing. */
export const demandOf = (
  field: GraphQLField<unknown, unknown>,
  dialect: Dialect,
): Demand | undefined => {
  // Only `demanding` writes under this name.
  const demand = field.extensions[DEMAND] as InDialects<Demand> | undefined;
  return demand && demandIn(dialect, demand);
};
