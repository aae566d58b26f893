/**
 * What a field asks of the backend, declared beside the field.
 *
 * Look-ahead, the plan and the field's resolver read the same declaration: a resource module says once
 * which route a field needs and with which key.
 */
import type { GraphQLField } from 'graphql';
import type { ArgumentValues } from '../../execution/operation/arguments.ts';
import type { RouteCapabilities } from '../../rest/client/route-capabilities.ts';
import type { Route } from '../../v0/routes.ts';
import type { Context } from '../context.ts';
import type { List } from '../loading/list.ts';
import type { Loader } from '../loading/loader.ts';
import type { ListOfField } from '../loading/page-request.ts';
import type { Key } from '../types/key.ts';
import type { AnyEntity } from './entity.ts';

type Field = GraphQLField<unknown, unknown>;

/** `key`: the parent's key is enough. `object`: the parent has to be there first. */
export type RequirementSource = 'key' | 'object';

/** Objects that the caller names by their ids. Only root fields require them. */
export interface LookupRequirement {
  readonly kind: 'lookup';
  readonly from: 'object';
  /** What they are, where they are all of one type. */
  readonly entity?: AnyEntity;
  /**
   * Undefined for one that is refused alone.
   *
   * @throws BAD_USER_INPUT for what is no id.
   */
  readonly wanted: (args: ArgumentValues) => readonly (Wanted | undefined)[];
}

/** An object and the key it is read by. */
export interface Wanted {
  readonly entity: AnyEntity;
  readonly key: Key;
}

/** The object that the parent refers to. The plan takes the parts of its key by their names. */
export interface ReferenceRequirement {
  readonly kind: 'reference';
  readonly from: RequirementSource;
  readonly entity: AnyEntity;
  /**
   * Null when the reference is empty.
   *
   * @throws the error that stands where the backend broke a part of the key.
   */
  readonly key: (parent: object) => Key | null;
}

/** What lists and loads have in common: objects that one call brings. */
interface ItemsRequirement {
  readonly from: RequirementSource;
  /** What the items are, and prime; absent when they are no entities. */
  readonly items?: AnyEntity | undefined;
  /** Fields that every item has from its parent, beside the parts of its key. */
  readonly shares?: readonly string[];
  /** True when the items are keys, each read only if more is selected. */
  readonly references?: boolean;
}

/** A list of the backend, a page at a time. */
export interface ListRequirement extends ItemsRequirement, ListOfField {
  readonly kind: 'list';
  /** Undefined when the list came with its parent and costs nothing. */
  readonly route: Route | undefined;
  /** True when a whole list is read, in as many pages as it has. */
  readonly paginates?: boolean | undefined;
  /** True when the route has the parent in its path: a 404 then means that there is no parent. */
  readonly proves?: boolean;
  readonly instead?: ListRequirement | undefined;
}

/** Something that arrives with one call, and is not a list with cursors. */
export interface LoadRequirement extends ItemsRequirement {
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
  /** Without the route. */
  readonly instead?: LoadRequirement | undefined;
}

/** A write: sent when its field's turn comes, never ahead. */
export interface WriteRequirement {
  readonly kind: 'write';
  readonly from: 'object';
  readonly route: Route;
  /** @throws BAD_USER_INPUT for an input that would not be sent. */
  readonly check: (args: ArgumentValues) => void;
}

/** What a subscription's events are read by, again and again: not by the field itself. */
export interface WatchRequirement {
  readonly kind: 'watch';
  readonly from: 'object';
  readonly route: Route;
}

/** What fields of objects require. */
export type ObjectRequirement = ReferenceRequirement | ListRequirement | LoadRequirement;

export type Requirement =
  ObjectRequirement | LookupRequirement | WriteRequirement | WatchRequirement;

/** The route that a requirement costs; undefined where that differs from object to object, or nothing is called. */
export const routeOf = (requirement: Requirement): Route | undefined =>
  requirement.kind === 'lookup' || requirement.kind === 'reference'
    ? requirement.entity?.route
    : requirement.route;

const REQUIREMENT = 'requires';
const LEVELS = 'semanticNonNull';

/** The `extensions` of a field that is null only with an error; of a list's items for level 1. */
export const nullOnlyWithError = (level: 0 | 1 = 0) => ({ [LEVELS]: [level] });

/** Where a field is null only with an error: 0 is the field itself, 1 the items of its list. Undefined for others. */
export const semanticLevelsOf = ({ extensions }: Field): readonly number[] | undefined =>
  extensions[LEVELS] as readonly number[] | undefined; // only `nullOnlyWithError` writes under this name

/** Options of `t.field`, for a field with a requirement: nullable, with what it costs in its description. */
export function requiring(
  description: string,
  requirement: Requirement,
  { isNullOnlyWithError = false } = {},
) {
  const route = routeOf(requirement);
  return {
    nullable: true as const,
    description: route ? `${description} Costs \`${route.method} ${route.path}\`.` : description,
    extensions: { [REQUIREMENT]: requirement, ...(isNullOnlyWithError && nullOnlyWithError()) },
  };
}

/** What a field requires of a backend that has all routes; undefined when it costs nothing. */
export const usualRequirementOf = ({ extensions }: Field): Requirement | undefined =>
  extensions[REQUIREMENT] as Requirement | undefined; // only `requiring` writes under this name

/** What a field requires of a backend with such routes; undefined when it costs nothing. */
export function requirementOf(
  field: Field,
  capabilities: RouteCapabilities,
): Requirement | undefined {
  const requirement = usualRequirementOf(field);
  return requirement?.kind === 'list' || requirement?.kind === 'load'
    ? requirementIn<ListRequirement | LoadRequirement>(capabilities, requirement)
    : requirement;
}

/** What is required of a backend with such routes. */
export const requirementIn = <
  Any extends Pick<ListRequirement, 'route'> & { instead?: Any | undefined },
>(
  capabilities: RouteCapabilities,
  requirement: Any,
): Any =>
  requirement.instead && requirement.route && !capabilities.serves(requirement.route)
    ? requirement.instead
    : requirement;

/** The extended route without which a field requires something else; undefined for most fields. */
export function extendedRouteOf(field: Field): Route | undefined {
  const requirement = usualRequirementOf(field);
  return requirement && 'instead' in requirement && requirement.instead
    ? requirement.route
    : undefined;
}
