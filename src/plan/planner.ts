/**
 * Plans of operations: the number of calls and the size of the result, computed before execution.
 *
 * One walk over a selection, round by round, by the requirements of look-ahead and the resolvers. Calls and available
 * objects are tracked, so shared calls count once.
 */
import {
  getNamedType,
  getNullableType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  OperationTypeNode,
  type FieldNode,
  type GraphQLObjectType,
  type OperationDefinitionNode,
} from 'graphql';
import {
  prepareArguments,
  type ArgumentValues,
  type FieldDefinition,
} from '../execution/operation/arguments.ts';
import type { OperationContext, Selecting } from '../execution/operation/collect-fields.ts';
import { nodeTypeOf } from '../graph/fields/connection-type.ts';
import {
  afterOf,
  checkCount,
  DEFAULT_FIRST,
  firstOf,
  MAX_FIRST,
  pageOf,
  pageRequestOf,
  pagesOf,
  type PageRequest,
} from '../graph/loading/page-request.ts';
import type { Context } from '../graph/context.ts';
import {
  extendedRouteOf,
  type Requirement,
  type ListRequirement,
  type LoadRequirement,
  type LookupRequirement,
  type ReferenceRequirement,
  type WriteRequirement,
} from '../graph/entity/requirement.ts';
import { findEntity, type AnyEntity } from '../graph/entity/entity.ts';
import { mapKeyOf, type Key } from '../graph/types/key.ts';
import {
  selectionOf,
  type KeyField,
  type ObjectSelection,
  type SelectedField,
} from '../graph/entity/selection.ts';
import { PlannedCalls, type FieldCall, type PageRead, type RoutePlan } from './calls.ts';
import { NONE, ONE, plus, product, times, upTo, type Count } from './count.ts';
import { ObjectGroups, isKnown, ROOT, type ObjectGroup } from './groups.ts';

export interface Plan {
  readonly calls: Count;
  /** Length of the longest chain of sequential calls. */
  readonly rounds: number;
  /** Number of fields and list items of the result. */
  readonly values: { readonly atLeast: number; readonly atMost: number };
  readonly routes: readonly RoutePlan[];
  /**
   * Required routes that the backend lacks: `GET /v0/pages/search`. Absent if there are none. Undecided routes are
   * assumed to exist.
   */
  readonly missing?: readonly string[];
  /** Field with the largest lower bound of calls. */
  readonly mostCalls: string | null;
  /** List with the largest lower bound of items, then with the largest upper bound. */
  readonly largestList: string | null;
}

/** Maximum cost of one request. */
export interface Budget {
  /** Backend calls. */
  readonly calls: number;
  /** Fields and list items of the result. */
  readonly values: number;
}

/** Fields of connections and edges with items. */
const ITEM_FIELDS = new Set(['edges', 'nodes', 'node']);

/** Maximum number of visited fields and groups of a plan: several times the number in a document within its limits. */
export const MAX_VISITS = 10_000;

/** Identity of the reads that begin before the first response. */
const START = {};

/** Substitutes for numbers that only the backend knows. */
export interface Unknown {
  /** Items of a list, such as a page's actions. */
  readonly items: number;
  /** Pages of a list of which all are read. */
  readonly pages: number;
  /** Values below a field of introspection. */
  readonly introspected: number;
}

const UNBOUNDED: Unknown = { items: Infinity, pages: Infinity, introspected: Infinity };

/** Objects of the result. */
interface Parent {
  readonly groups: readonly ObjectGroup[];
  /** Items of the list, if this is its connection or edge. */
  readonly items: Items | undefined;
  /** Round after which keys are known, and calls by key can begin. */
  readonly keyAt: number;
  /** Round after which the objects are available. */
  readonly visibleAt: number;
  /** Whether calls by key are made for any data of the backend. */
  readonly isCertain: boolean;
  /** Number of occurrences in the result. */
  readonly copies: Count;
  /** Empty for the root. */
  readonly path: string;
}

/** Objects of a field: list items, or one object. */
interface Items {
  readonly groups: readonly ObjectGroup[];
  /** Round after which they are available. */
  readonly at: number;
  /** Number of items of a list. */
  readonly size: Count;
  readonly entity: AnyEntity | undefined;
  /** Whether they are keys, read if more is selected. */
  readonly areReferences: boolean;
}

/** A selected field in the context of its parent. */
interface Visit extends FieldCall {
  readonly parent: Parent;
  readonly field: SelectedField & { readonly definition: FieldDefinition };
  readonly args: ArgumentValues;
}

/** Visits an operation in the order in which execution begins its calls. */
export class Planner {
  readonly #document: OperationContext;
  readonly #context: Context;
  readonly #budget: Budget | undefined;
  readonly #unknown: Unknown;
  readonly #groups = new ObjectGroups();
  readonly #calls: PlannedCalls;
  /** Deferred steps by round. */
  #waiting: (() => void)[][] = [];
  /** Current round. */
  #round = 0;
  #values = NONE;
  /** Whether a non-null field fails. */
  #isNull = false;
  #largestList = { path: null as string | null, items: NONE };
  /** Number of visited fields and keys. */
  visits = 0;

  /** @param budget ends the plan as soon as it is exceeded. */
  constructor(document: OperationContext, context: Context, budget?: Budget, unknown = UNBOUNDED) {
    this.#document = document;
    this.#context = context;
    this.#budget = budget;
    this.#unknown = unknown;
    this.#calls = new PlannedCalls(context.rest.capabilities);
  }

  /**
   * Plans an operation. Call once per planner.
   *
   * Invalid arguments cost nothing, as in execution. Not counted are retries, repeated calls after a cancelled
   * look-ahead, calls of route discovery, and reads shared with other requests. A plan that ended early has valid lower
   * bounds, but no upper ones.
   */
  plan(operation: OperationDefinitionNode): Plan {
    const calls = this.#calls;
    const type = this.#document.schema.getRootType(operation.operation);
    const isMutation = operation.operation === OperationTypeNode.MUTATION;
    const root = {
      groups: [ROOT],
      items: undefined,
      isCertain: true,
      copies: ONE,
      path: '',
      field: undefined,
    };
    for (const field of type ? this.#selectionOf(type, [operation]).fields : []) {
      const at = this.#round;
      this.#field({ ...root, keyAt: at, visibleAt: at }, field);
      if (!isMutation) continue;
      // Root fields of a mutation are sequential, and discard earlier reads.
      this.#finish();
      this.#round = calls.rounds;
      calls.forget();
    }
    this.#finish();
    const routes = calls.routes();
    const missing = calls.missing();
    const { least, most } = routes.reduce<Count>(plus, NONE);
    const isOpen = this.#isOver();
    return {
      calls: { least, most: isOpen ? Infinity : most },
      rounds: calls.rounds,
      values: {
        atLeast: this.#isNull ? 0 : this.#values.least,
        atMost: isOpen ? Infinity : this.#values.most,
      },
      routes,
      ...(missing.length > 0 && { missing }),
      mostCalls: calls.mostCalls(),
      largestList: this.#largestList.path,
    };
  }

  /** Defers a step to a round. */
  #after(round: number, count: () => void): void {
    if (round <= this.#round) count();
    else (this.#waiting[round] ??= []).push(count);
  }

  /** Visits all remaining rounds. */
  #finish(): void {
    for (; this.#round < this.#waiting.length; this.#round += 1) {
      for (const count of this.#waiting[this.#round] ?? []) if (!this.#isOver()) count();
    }
    this.#waiting = [];
  }

  /** Whether the budget or the limit of visits is exceeded. */
  #isOver(): boolean {
    const { calls = Infinity, values = Infinity } = this.#budget ?? {};
    return this.visits >= MAX_VISITS || this.#calls.least > calls || this.#values.least > values;
  }

  #selectionOf(type: GraphQLObjectType, nodes: readonly Selecting[]): ObjectSelection {
    return selectionOf(this.#document, type, nodes, this.#context.rest.capabilities);
  }

  #typeOf({ name }: AnyEntity): GraphQLObjectType {
    // An entity is created with an ObjectRef, so its name is that of an object type.
    return this.#document.schema.getType(name) as GraphQLObjectType;
  }

  /** Counts a field and its selection. */
  #field(parent: Parent, field: SelectedField): void {
    if (this.#isOver()) return;
    this.visits += 1;
    this.#values = plus(this.#values, parent.copies);
    const { definition, requirement } = field;
    const extended = definition && extendedRouteOf(definition);
    if (extended) this.#calls.serves(extended);
    if (!definition || (!requirement && isLeafType(getNamedType(definition.type)))) {
      // Sizes of introspection and of lists of scalars are unknown.
      const { items, introspected } = this.#unknown;
      if (definition && isListType(getNullableType(definition.type))) {
        this.#values = plus(this.#values, times(parent.copies, upTo(items)));
      } else if (!definition && field.name !== '__typename') {
        this.#values = plus(this.#values, upTo(introspected));
      }
      return;
    }
    const isByKey = requirement?.from === 'key' || parent.path === '';
    const at = isByKey ? parent.keyAt : parent.visibleAt;
    this.#after(at, () => {
      try {
        this.#required(requirement, {
          parent,
          field: { ...field, definition },
          args: this.#argumentsOf(definition, field.fieldNodes),
          path: parent.path ? `${parent.path}.${field.key}` : field.key,
          at,
          // Calls that require the object itself are made only if it exists.
          isCertain: isByKey && parent.isCertain,
        });
      } catch {
        // Invalid arguments: execution makes no call either, and returns null.
        if (isNonNullType(definition.type)) this.#isNull = true;
      }
    });
  }

  /** @throws if they are invalid. */
  #argumentsOf(definition: FieldDefinition, fieldNodes: readonly FieldNode[]): ArgumentValues {
    return prepareArguments(definition, fieldNodes[0]!).coerce(this.#document.variableValues);
  }

  #required(requirement: Requirement | undefined, visit: Visit): void {
    switch (requirement?.kind) {
      case 'lookup':
        return this.#lookup(requirement, visit);
      case 'write':
        return this.#write(requirement, visit);
      case 'reference':
        return this.#reference(requirement, visit);
      case 'list':
        return this.#list(requirement, visit);
      case 'load':
        return this.#load(requirement, visit);
      case 'watch':
        break;
    }
    this.#included(visit);
  }

  #lookup({ wanted }: LookupRequirement, visit: Visit): void {
    const named = wanted(visit.args);
    this.#copies(visit, { least: named.length, most: named.length });
    const all = named.filter((one) => one !== undefined);
    for (const entity of new Set(all.map((one) => one.entity))) {
      const those = all.filter((one) => one.entity === entity);
      const groups = this.#groups.referred(
        those.map(({ key }) => ({ ...ROOT, key })),
        entity,
      );
      const copies = times(visit.parent.copies, upTo(those.length));
      const { needsObject, keyFields } = this.#selectionOf(
        this.#typeOf(entity),
        visit.field.fieldNodes,
      );
      // A list that is read anyway shows whether an object with only its key selected exists.
      const isShown = (group: ObjectGroup) => keyFields.some((one) => this.#proves(one, group));
      const read = needsObject ? groups : groups.filter((group) => !isShown(group));
      const end = read.length > 0 ? this.#read(read, entity, visit) : visit.at + 1;
      this.#selected(groups, entity, copies, visit, end);
    }
  }

  #proves({ requirement, definition, fieldNodes }: KeyField, group: ObjectGroup): boolean {
    if (requirement.kind !== 'list' || !requirement.proves) return false;
    try {
      this.#requestOf(requirement, group, this.#argumentsOf(definition, fieldNodes));
      return true;
    } catch {
      return false; // nothing is sent
    }
  }

  #write({ route, check }: WriteRequirement, visit: Visit): void {
    const { parent, args, path, at } = visit;
    try {
      check(args);
    } catch {
      // Nothing is sent, but the size of the result is unknown.
      this.#values = plus(this.#values, upTo(this.#unknown.items));
      return;
    }
    const end = this.#calls.add(route, `${path} ${at}`, 1, visit);
    this.#included({ ...visit, parent: { ...parent, visibleAt: end } });
  }

  #reference({ entity }: ReferenceRequirement, visit: Visit): void {
    const groups = this.#groups.referred(visit.parent.groups, entity);
    this.#referred(groups, entity, this.#copies(visit, ONE), visit);
  }

  #list(requirement: ListRequirement, visit: Visit): void {
    const { route, items, proves, shares = [] } = requirement;
    const { parent, field, args } = visit;
    const size = upTo(firstOf(args));
    const groups: ObjectGroup[] = [];
    let { at } = visit;
    let refusal: unknown;
    for (const group of parent.groups) {
      this.visits += 1;
      let call = `${group.id}.${field.name} ${JSON.stringify(args)}`;
      let lists = group.most;
      try {
        if (route) {
          const request = this.#requestOf(requirement, group, args);
          const { list, from, skip, after } = request;
          const source = list.source ?? list;
          const isWhole = source !== list;
          const asked = source.route ?? route;
          // A cursor is valid for one list only.
          if (after !== null) lists = 1;
          const id = `${source.id} ${isWhole ? '' : (from ?? '')}`;
          const page = isWhole ? this.#wholeList(visit) : pageReadOf(request, visit);
          at = Math.max(at, this.#calls.add(asked, id, lists, visit, page));
          call = `${list.id} ${from ?? ''} ${skip}`;
        }
        const shared = proves && items ? [...partsIn(group, items), ...shares] : shares;
        const most = product(lists, size.most);
        groups.push(this.#groups.returned(call, items, most, group, shared));
      } catch (error) {
        refusal = error;
      }
    }
    if (groups.length === 0) throw refusal;
    this.#returned({ groups, entity: items, at, size }, visit);
  }

  /**
   * Returns the page that a field requests of an object's list.
   *
   * @throws BAD_USER_INPUT for invalid arguments.
   */
  #requestOf(
    requirement: ListRequirement,
    { key }: ObjectGroup,
    args: ArgumentValues,
  ): PageRequest {
    const request = pageRequestOf(requirement, key, argumentsFor(key, args), this.#context);
    const after = afterOf(args);
    return after === request.after ? request : { ...request, from: after, after };
  }

  #load(requirement: LoadRequirement, visit: Visit): void {
    const { route, items, list, parts, shares = [] } = requirement;
    const { parent, field, args, at: begin } = visit;
    const size = sizeOf(visit, this.#unknown);
    const keys = parts ? this.#groups.keysOf(parent.groups, parts) : parent.groups;
    const call = `${field.name} ${JSON.stringify(args)}`;
    const groups: ObjectGroup[] = [];
    let at = begin;
    for (const group of keys) {
      this.visits += 1;
      const key = requirement.key(group.key, argumentsFor(group.key, args), this.#context);
      if (key === null) continue;
      const id = mapKeyOf(key, parts);
      const most = product(group.most, size.most);
      groups.push(this.#groups.returned(`${call} ${id}`, items, most, group, shares));
      if (items && this.#calls.isPrimed(`${items.name} ${id}`, begin)) continue;
      const read = list ? `${list(key, this.#context).id} ` : id;
      const end = this.#calls.add(route, read, group.most, visit, list && this.#wholeList(visit));
      at = Math.max(at, end);
    }
    this.#returned({ groups, entity: items, at, size }, visit);
  }

  /** Counts a field contained in its parent, which makes no call itself. */
  #included(visit: Visit): void {
    const { parent, field, args } = visit;
    if (parent.items && ITEM_FIELDS.has(field.name)) return this.#items(parent.items, visit);
    const { name } = getNamedType(field.definition.type);
    const entity = findEntity(nodeTypeOf(name) ?? name);
    const size = sizeOf(visit, this.#unknown);
    this.visits += parent.groups.length - 1;
    const call = `.${field.name} ${JSON.stringify(args)}`;
    const groups = parent.groups.map((group) => {
      const most = product(group.most, size.most);
      return this.#groups.returned(group.id + call, entity, most, group, partsIn(group, entity));
    });
    this.#returned({ groups, entity, at: parent.visibleAt, size }, visit);
  }

  /** Counts objects contained in others, or read by their keys. */
  #returned(items: Omit<Items, 'areReferences'>, visit: Visit): void {
    const { groups, entity, at } = items;
    const { requirement } = visit.field;
    const areReferences =
      requirement !== undefined && 'references' in requirement && requirement.references === true;
    if (entity && !areReferences) {
      for (const { id } of groups) this.#calls.prime(id, at);
      this.#primeAlternates(groups, entity, at);
    }
    this.#items({ ...items, areReferences }, visit);
  }

  /** Counts the items of a field and their selection. */
  #items(items: Items, visit: Visit): void {
    const { parent, field } = visit;
    const { groups, entity, at, size, areReferences } = items;
    const type = getNamedType(field.definition.type);
    if (!isObjectType(type)) return; // a scalar with its own call
    // Items have the path of their connection.
    const { path } = parent.items ? parent : visit;
    const copies = this.#copies({ ...visit, path }, size);
    const isEdges = parent.items !== undefined && field.name === 'edges';
    if (isEdges || nodeTypeOf(type.name) !== undefined) {
      this.#select(type, { ...parent, items, isCertain: false, copies, path, field: visit });
      return;
    }
    const visibleAt = Math.max(parent.visibleAt, at);
    const below = { ...visit, parent: { ...parent, visibleAt }, path, at, isCertain: false };
    if (entity && areReferences) {
      this.#after(at, () => this.#referred(groups, entity, copies, below));
      return;
    }
    this.#select(type, {
      groups,
      items: undefined,
      keyAt: at,
      visibleAt,
      isCertain: false,
      copies,
      path,
      field: visit,
    });
  }

  /** Counts objects by keys from the backend, which are read if more is selected. */
  #referred(groups: readonly ObjectGroup[], entity: AnyEntity, copies: Count, visit: Visit): void {
    const { needsObject } = this.#selectionOf(this.#typeOf(entity), visit.field.fieldNodes);
    const end = needsObject ? this.#read(groups, entity, visit) : visit.at;
    this.#selected(groups, entity, copies, visit, end);
  }

  /**
   * Counts the selection of objects read by their keys.
   *
   * @param end the round after which they are available; undefined if the backend lacks the route.
   */
  #selected(
    groups: readonly ObjectGroup[],
    entity: AnyEntity,
    copies: Count,
    visit: Visit,
    end: number | undefined,
  ): void {
    const { parent, path, at, isCertain } = visit;
    this.#select(this.#typeOf(entity), {
      groups,
      items: undefined,
      keyAt: at,
      visibleAt: Math.max(parent.visibleAt, end ?? at),
      // An object without a route fails at once, which cancels concurrent calls.
      isCertain: isCertain && end !== undefined,
      copies,
      path,
      field: visit,
    });
  }

  /** Counts the selection of a field's objects. */
  #select(type: GraphQLObjectType, parent: Parent & { readonly field: Visit }): void {
    const { fieldNodes } = parent.field.field;
    for (const one of this.#selectionOf(type, fieldNodes).fields) this.#field(parent, one);
  }

  /**
   * Counts the reads of objects.
   *
   * @returns the round after which they are available; undefined if the backend lacks the route.
   */
  #read(groups: readonly ObjectGroup[], entity: AnyEntity, visit: Visit): number | undefined {
    const calls = this.#calls;
    const searched = calls.serves(entity.route) ? undefined : entity.searched?.(this.#context);
    const route = searched ? searched.route : entity.route;
    if (!route || !calls.serves(route)) return undefined;
    const unread = groups.filter(({ id }) => !calls.isPrimed(id, visit.at));
    this.visits += unread.length;
    let { at } = visit;
    for (const { id, most } of this.#groups.keysOf(unread, entity.callKey)) {
      const end = searched
        ? calls.add(route, `${searched.id} `, 1, visit, this.#wholeList(visit))
        : calls.add(route, id, most, visit);
      at = Math.max(at, end);
    }
    // An object is found by its key again through the same call.
    this.#primeAlternates(groups, entity, at);
    return at;
  }

  /** Records available objects, which later reads by alternate keys get without a call. */
  #primeAlternates(groups: readonly ObjectGroup[], entity: AnyEntity, ready: number): void {
    for (const parts of entity.alternateKeys) {
      for (const { id } of this.#groups.keysOf(groups, parts)) {
        this.#calls.prime(`${entity.name} ${id}`, ready);
      }
    }
  }

  /** Returns the read of all pages of a list. */
  #wholeList(visit: Visit): PageRead {
    return { pages: this.#unknown.pages, limit: MAX_FIRST, together: togetherWith(visit) };
  }

  /** Number of occurrences of a field's objects in the result. */
  #copies({ parent: { copies }, field, path }: Visit, size: Count): Count {
    const { type } = field.definition;
    const own = isNonNullType(type) ? copies : upTo(copies.most);
    const nullable = getNullableType(type);
    if (!isListType(nullable)) return own;
    const items = times(own, size);
    this.#values = plus(this.#values, items);
    const { least, most } = this.#largestList.items;
    if (items.least > least || (items.least === least && items.most > most)) {
      this.#largestList = { path, items };
    }
    return isNonNullType(nullable.ofType) ? items : upTo(items.most);
  }
}

/** Parts of an entity's key that an object is known to have. */
const partsIn = ({ key }: ObjectGroup, entity: AnyEntity | undefined): readonly string[] =>
  entity?.key.filter((part) => part in key) ?? [];

/** Removes cursors if the key is unknown, since a cursor belongs to a list of one key. */
const argumentsFor = (key: Key, args: ArgumentValues): ArgumentValues =>
  isKnown(key) ? args : { ...args, after: null, before: null };

const pageReadOf = (request: PageRequest, visit: Visit): PageRead => ({
  pages: pagesOf(request),
  limit: pageOf(request).limit,
  together: togetherWith(visit),
});

/** Identity of reads that begin together: before the first response, or below the same parent. */
const togetherWith = ({ at, parent }: Visit): object => (at === 0 ? START : parent);

/** Number of items of a field: as requested, or unknown. */
function sizeOf({ field: { definition }, args }: Visit, { items }: Unknown): Count {
  if (definition.args.some(({ name }) => name === 'first')) {
    const asked = (args['first'] ?? args['last'] ?? DEFAULT_FIRST) as number; // declared as Int
    return upTo(checkCount('first', asked));
  }
  return isListType(getNullableType(definition.type)) ? upTo(items) : ONE;
}
