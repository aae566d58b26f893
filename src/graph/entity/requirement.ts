/**
 * Requirements: what a field needs of the backend, declared with the field.
 *
 * Prefetching, the plan and the field's resolver share this declaration of route and key.
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

/** `key`: requires the parent's key only. `object`: requires the parent itself. */
export type RequirementSource = 'key' | 'object';

interface RequirementBase<Instead = undefined> {
  readonly from: RequirementSource;
  /** The called route; undefined if it depends on the object, or nothing is called. */
  readonly route?: Route | undefined;
  /** Requirement if the backend lacks the route. */
  readonly instead?: Instead | undefined;
}

/** Objects by ids of the caller. For root fields only. */
export interface LookupRequirement extends RequirementBase {
  readonly kind: 'lookup';
  /**
   * Returns the objects; undefined for an id with its own error.
   *
   * @throws BAD_USER_INPUT for invalid ids.
   */
  readonly wanted: (args: ArgumentValues) => readonly (WantedObject | undefined)[];
}

export interface WantedObject {
  readonly entity: AnyEntity;
  readonly key: Key;
}

/** The object that the parent refers to. The plan reads the parts of its key by name. */
export interface ReferenceRequirement extends RequirementBase {
  readonly kind: 'reference';
  readonly entity: AnyEntity;
  /**
   * Returns null for an empty reference.
   *
   * @throws the error that replaces an invalid part of the key.
   */
  readonly key: (parent: object) => Key | null;
}

/** Common to lists and loads: objects of one call. */
interface ItemsRequirement {
  /** Entity that the items prime, if they are entities. */
  readonly items?: AnyEntity | undefined;
  /** Fields that every item has from its parent, in addition to the parts of its key. */
  readonly shares?: readonly string[];
  /** Whether the items are keys, read only if more is selected. */
  readonly references?: boolean;
}

/** A list of the backend, read by page. */
export interface ListRequirement
  extends RequirementBase<ListRequirement>, ItemsRequirement, ListOfField {
  readonly kind: 'list';
  readonly paginates?: boolean | undefined;
  /** Whether the route contains the parent, so a 404 means that the parent does not exist. */
  readonly proves?: boolean;
  readonly instead?: ListRequirement | undefined;
}

/** Objects of one call, other than a list with cursors. */
export interface LoadRequirement extends RequirementBase<LoadRequirement>, ItemsRequirement {
  readonly kind: 'load';
  readonly route: Route;
  readonly loader: (context: Context) => Pick<Loader<Key, unknown>, 'start'>;
  /** List of which all pages are read for it. */
  readonly list?: (key: Key, context: Context) => List;
  /** Fields of the parent that form the key. @default the parent's key */
  readonly parts?: readonly string[];
  /**
   * Returns null if no call is needed.
   *
   * @throws BAD_USER_INPUT for invalid arguments.
   */
  readonly key: (parent: object, args: ArgumentValues, context: Context) => Key | null;
}

/** A write, which is never prefetched. */
export interface WriteRequirement extends RequirementBase {
  readonly kind: 'write';
  readonly route: Route;
  /** @throws BAD_USER_INPUT for an invalid input. */
  readonly check: (args: ArgumentValues) => void;
}

/** Polls of a subscription, made by a poller rather than the field. */
interface WatchRequirement extends RequirementBase {
  readonly kind: 'watch';
  readonly route: Route;
}

export type ObjectRequirement = ReferenceRequirement | ListRequirement | LoadRequirement;

export type Requirement =
  ObjectRequirement | LookupRequirement | WriteRequirement | WatchRequirement;

const REQUIREMENT = 'requires';
const LEVELS = 'semanticNonNull';

/** Returns the `extensions` of a field (level 0) or list items (level 1) that are null only with an error. */
export const nullOnlyWithError = (level: 0 | 1 = 0) => ({ [LEVELS]: [level] });

/**
 * Levels at which a field is null only with an error: 0 for the field, 1 for its list items. Undefined for other
 * fields.
 */
export const semanticLevelsOf = ({ extensions }: Field): readonly number[] | undefined =>
  extensions[LEVELS] as readonly number[] | undefined; // set by `nullOnlyWithError` only

/** Returns options of `t.field` for a field with a requirement: nullable, with the cost in its description. */
export function requiring(
  description: string,
  requirement: Requirement,
  { isNullOnlyWithError = false } = {},
) {
  const { route } = requirement;
  return {
    nullable: true as const,
    description: route
      ? `${description} REST call: \`${route.method} ${route.path}\`.`
      : description,
    extensions: { [REQUIREMENT]: requirement, ...(isNullOnlyWithError && nullOnlyWithError()) },
  };
}

/** Returns the requirement of a field if the backend has all routes; undefined for a free field. */
export const requirementOf = ({ extensions }: Field): Requirement | undefined =>
  extensions[REQUIREMENT] as Requirement | undefined; // set by `requiring` only

/** Returns the requirement for these route capabilities. */
export const requirementIn = <Any extends RequirementBase<Any | undefined>>(
  capabilities: RouteCapabilities,
  requirement: Any,
): Any =>
  requirement.instead && requirement.route && !capabilities.serves(requirement.route)
    ? requirement.instead
    : requirement;
