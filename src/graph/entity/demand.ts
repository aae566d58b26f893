/**
 * What a field asks of the backend, declared beside the field.
 *
 * Look-ahead reads it to begin calls early, the plan reads it to count them: a room says once which
 * route a field needs and with which keys, and nothing else in the gateway knows.
 */
import type { GraphQLField } from 'graphql';
import type { Route, RouteSet } from '../../v0/routes.ts';
import type { Context } from '../context.ts';
import type { Entity } from './entity.ts';
import type { List } from '../connection/list.ts';
import type { Loader } from './loader.ts';

type Args = Readonly<Record<string, unknown>>;

/** `key`: the parent's key is enough. `object`: the parent has to be there first. */
export type DemandSource = 'key' | 'object';

/** One object by its key. */
export interface ObjectDemand {
  readonly kind: 'object';
  readonly from: DemandSource;
  readonly entity: Entity;
  /** Null when the reference is empty. */
  readonly key: (parent: object, args: Args) => Readonly<Record<string, string>> | null;
}

/** A list of the backend, a page at a time. */
export interface ListDemand {
  readonly kind: 'list';
  readonly from: DemandSource;
  /** Undefined when the list came with its parent and costs nothing. */
  readonly route: Route | undefined;
  /** The route with these arguments, where it depends on them. */
  readonly routeFor?: (args: Args) => Route;
  /** What the items prime. */
  readonly items: Entity | undefined;
  /** True when the route has the parent in its path: a 404 then means that there is no parent. */
  readonly proves: boolean;
  readonly list: (parent: object, args: Args, context: Context) => List;
  /** What is known of every item before it arrives, beside the key parts it shares by name. */
  readonly carries?: ((parent: object, args: Args) => object) | undefined;
  /** True when the items are keys, each read only if more is selected. */
  readonly references?: boolean;
  /** True when the whole list is read, in as many pages as it has. */
  readonly walks?: boolean;
}

/** Something that arrives with one call, and is neither an entity itself nor a list with cursors. */
export interface LoadDemand {
  readonly kind: 'load';
  readonly from: DemandSource;
  readonly route: Route;
  readonly loader: (context: Context) => Loader<Readonly<Record<string, string>>, unknown>;
  /**
   * Null when nothing has to be asked for.
   *
   * @throws BAD_USER_INPUT for arguments that would not be sent.
   */
  readonly key: (parent: object, args: Args) => Readonly<Record<string, string>> | null;
  /** What the answer holds, and primes. */
  readonly items?: Entity | undefined;
  /** What is known of every item before it arrives. */
  readonly carries?: ((parent: object, args: Args) => object) | undefined;
  /** Names the call where it is not the loader's alone: an entity's `callIdentity`, or a shared name. */
  readonly identity?: ((key: Readonly<Record<string, string>>) => string) | undefined;
  /** True when the items are keys, each read only if more is selected. */
  readonly references?: boolean;
  /** True when a whole list is read for it, in as many pages as it has. */
  readonly walks?: boolean;
}

/** Objects by their global ids. */
export interface NodesDemand {
  readonly kind: 'nodes';
  readonly from: 'object';
  /** @throws BAD_USER_INPUT for what is no id. */
  readonly wanted: (
    args: Args,
  ) => readonly { readonly entity: Entity; readonly key: Readonly<Record<string, string>> }[];
}

/** A write: sent when its field's turn comes, never ahead. */
export interface WriteDemand {
  readonly kind: 'write';
  readonly from: 'object';
  readonly route: Route;
  /** @throws BAD_USER_INPUT for an input that would not be sent. */
  readonly check: (args: Args) => void;
}

export type Demand = ObjectDemand | ListDemand | LoadDemand | NodesDemand | WriteDemand;

/** A field's demand, which may differ between the two route sets. */
export type DemandOf = (routeSet: RouteSet) => Demand | undefined;

const DEMAND = 'demand';

/** The `extensions` that carry a demand on a field. */
export const demanding = (demand: Demand | DemandOf) => ({
  [DEMAND]: typeof demand === 'function' ? demand : () => demand,
});

/** What a field of the schema demands; undefined when it costs nothing. */
export const demandOf = (
  field: GraphQLField<unknown, unknown>,
  routeSet: RouteSet,
): Demand | undefined => (field.extensions[DEMAND] as DemandOf | undefined)?.(routeSet);
