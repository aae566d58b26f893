/**
 * Plans of operations: the number of calls and the size of the result, computed before execution.
 *
 * One walk over a selection, round by round, in the order in which execution begins its calls. Requirements of fields
 * are those of prefetching and the resolvers; the account counts shared calls once.
 */
import {
  getNamedType,
  getNullableType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  OperationTypeNode,
  type GraphQLObjectType,
  type OperationDefinitionNode,
  type SelectionNode,
} from 'graphql';
import {
  argumentsOf,
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
  requirementOf,
  type Requirement,
  type ListRequirement,
  type LoadRequirement,
  type LookupRequirement,
  type WriteRequirement,
} from '../graph/entity/requirement.ts';
import { findEntity, type AnyEntity } from '../graph/entity/entity.ts';
import { mapKeyOf, type Key } from '../graph/types/key.ts';
import { orUndefined } from '../lib/or-undefined.ts';
import {
  selectionOf,
  type KeyField,
  type ObjectSelection,
  type SelectedField,
} from '../graph/entity/selection.ts';
import {
  Account,
  ONE,
  product,
  times,
  upTo,
  type Count,
  type FieldCall,
  type PageRead,
  type Plan,
} from './account.ts';
import { ObjectGroups, isKnown, ROOT, type ObjectGroup } from './groups.ts';

/** Maximum cost of one request. */
export interface Budget {
  /** Backend calls. */
  readonly calls: number;
  /** Fields and list items of the result. */
  readonly values: number;
}

const UNLIMITED: Budget = { calls: Infinity, values: Infinity };

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
  readonly items?: Items | undefined;
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
  readonly entity: AnyEntity | undefined;
  /** Round after which they are available. */
  readonly at: number;
  /** Number of items of a list. */
  readonly size: Count;
  /** Whether they are keys, read if more is selected. */
  readonly areReferences?: boolean | undefined;
}

/** A selected field in the context of its parent. */
interface Visit extends FieldCall {
  readonly parent: Parent;
  readonly field: SelectedField & { readonly definition: FieldDefinition };
  readonly args: ArgumentValues;
}

export class Planner {
  readonly #document: OperationContext;
  readonly #context: Context;
  readonly #budget: Budget;
  readonly #unknown: Unknown;
  readonly #kept: SelectionNode | undefined;
  readonly #groups = new ObjectGroups();
  readonly #account: Account;
  /** Deferred steps by round. */
  #waiting: (() => void)[][] = [];
  #round = 0;
  /** Number of visited fields and keys. */
  visits = 0;

  /**
   * @param budget ends the plan as soon as it is exceeded.
   * @param kept the `@defer` whose fields are planned; for incremental delivery only, in which other deferred fields are
   *   not.
   */
  constructor(
    document: OperationContext,
    context: Context,
    budget = UNLIMITED,
    unknown = UNBOUNDED,
    kept?: SelectionNode,
  ) {
    this.#document = document;
    this.#context = context;
    this.#budget = budget;
    this.#unknown = unknown;
    this.#kept = kept;
    this.#account = new Account(context.rest.capabilities);
  }

  /**
   * Plans an operation. Call once per planner.
   *
   * Invalid arguments cost nothing, as in execution. Not counted are retries, repeated calls after a cancelled
   * prefetch, calls of route discovery, and reads shared with other requests. A plan that ended early has valid lower
   * bounds, but no upper ones.
   */
  plan(operation: OperationDefinitionNode): Plan {
    const type = this.#document.schema.getRootType(operation.operation);
    for (const field of type ? this.#selectionOf(type, [operation]).fields : []) {
      const at = this.#round;
      const root = { groups: [ROOT], keyAt: at, visibleAt: at, isCertain: true, copies: ONE };
      this.#visitField({ ...root, path: '' }, field);
      if (operation.operation !== OperationTypeNode.MUTATION) continue;
      // Root fields of a mutation are sequential, and discard earlier reads.
      this.#visitRounds();
      this.#round = this.#account.rounds;
      this.#account.forget();
    }
    this.#visitRounds();
    return this.#account.plan(!this.#isOver());
  }

  /** Defers a step to a round. */
  #after(round: number, step: () => void): void {
    if (round <= this.#round) step();
    else (this.#waiting[round] ??= []).push(step);
  }

  #visitRounds(): void {
    for (; this.#round < this.#waiting.length; this.#round += 1) {
      for (const step of this.#waiting[this.#round] ?? []) if (!this.#isOver()) step();
    }
    this.#waiting = [];
  }

  /** Whether the budget or the limit of visits is exceeded. */
  #isOver(): boolean {
    const { calls, values } = this.#budget;
    const { leastCalls, values: planned } = this.#account;
    return this.visits >= MAX_VISITS || leastCalls > calls || planned.least > values;
  }

  #selectionOf(type: GraphQLObjectType, nodes: readonly Selecting[]): ObjectSelection {
    return selectionOf(this.#document, type, nodes, this.#context.rest.capabilities);
  }

  #visitField(parent: Parent, field: SelectedField): void {
    const { definition, requirement, usages } = field;
    const isDeferred =
      usages.length > 0 && !usages.some(({ node, parent }) => node === this.#kept && !parent);
    if (isDeferred || this.#isOver()) return;
    this.visits += 1;
    this.#account.addValues(parent.copies);
    const declared = definition && requirementOf(definition);
    if (declared?.instead && declared.route) this.#account.serves(declared.route);
    if (!definition || (!requirement && isLeafType(getNamedType(definition.type)))) {
      this.#visitLeaf(parent, field);
      return;
    }
    const isByKey = requirement?.from === 'key' || parent.path === '';
    const at = isByKey ? parent.keyAt : parent.visibleAt;
    this.#after(at, () => {
      try {
        this.#visitRequirement(requirement, {
          parent,
          field: { ...field, definition },
          args: argumentsOf(this.#document, definition, field.fieldNodes),
          path: parent.path ? `${parent.path}.${field.key}` : field.key,
          at,
          // Calls that require the object itself are made only if it exists.
          isCertain: isByKey && parent.isCertain,
        });
      } catch {
        // Invalid arguments: execution makes no call either, and returns null.
        if (isNonNullType(definition.type)) this.#account.isNull = true;
      }
    });
  }

  /** Sizes of introspection and of lists of scalars are unknown. */
  #visitLeaf({ copies }: Parent, { name, definition }: SelectedField): void {
    const { items, introspected } = this.#unknown;
    if (definition && isListType(getNullableType(definition.type))) {
      this.#account.addValues(times(copies, upTo(items)));
    } else if (!definition && name !== '__typename') {
      this.#account.addValues(upTo(introspected));
    }
  }

  #visitRequirement(requirement: Requirement | undefined, visit: Visit): void {
    switch (requirement?.kind) {
      case 'lookup':
        return this.#visitLookup(requirement, visit);
      case 'write':
        return this.#visitWrite(requirement, visit);
      case 'reference': {
        const { entity } = requirement;
        const groups = this.#groups.byKey(visit.parent.groups, entity);
        return this.#visitByKey(groups, entity, this.#copiesOf(visit, ONE), visit);
      }
      case 'list':
        return this.#visitList(requirement, visit);
      case 'load':
        return this.#visitLoad(requirement, visit);
      default:
        return this.#visitProperty(visit);
    }
  }

  #visitLookup({ wanted }: LookupRequirement, visit: Visit): void {
    const named = wanted(visit.args);
    this.#copiesOf(visit, { least: named.length, most: named.length });
    const all = named.filter((one) => one !== undefined);
    for (const entity of new Set(all.map((one) => one.entity))) {
      const those = all.filter((one) => one.entity === entity);
      const groups = this.#groups.byKey(
        those.map(({ key }) => ({ ...ROOT, key })),
        entity,
      );
      const copies = times(visit.parent.copies, upTo(those.length));
      this.#visitByKey(groups, entity, copies, visit, false);
    }
  }

  /**
   * Visits objects by their keys, which are read if more is selected.
   *
   * @param areTrusted whether the keys are of the backend. Objects of other keys are read, or shown to exist by a list.
   */
  #visitByKey(
    groups: readonly ObjectGroup[],
    entity: AnyEntity,
    copies: Count,
    visit: Visit,
    areTrusted = true,
  ): void {
    const { parent, field, at, isCertain } = visit;
    // An entity is created with an ObjectRef, so its name is that of an object type.
    const type = this.#document.schema.getType(entity.name) as GraphQLObjectType;
    const { needsObject, keyFields } = this.#selectionOf(type, field.selecting);
    const unread = groups.filter(
      (group) => needsObject || !(areTrusted || keyFields.some((one) => this.#proves(one, group))),
    );
    const end =
      unread.length > 0 ? this.#readObjects(unread, entity, visit) : areTrusted ? at : at + 1;
    this.#visitSelection(type, visit, {
      groups,
      keyAt: at,
      visibleAt: Math.max(parent.visibleAt, end ?? at),
      // An object without a route fails immediately, which cancels concurrent calls.
      isCertain: isCertain && end !== undefined,
      copies,
      path: visit.path,
    });
  }

  /** Whether the response of a list below an object shows that it exists. */
  #proves({ requirement, definition, fieldNodes }: KeyField, group: ObjectGroup): boolean {
    if (requirement.kind !== 'list' || !requirement.proves) return false;
    const request = orUndefined(() =>
      this.#requestOf(requirement, group, argumentsOf(this.#document, definition, fieldNodes)),
    );
    return request !== undefined; // otherwise nothing is sent
  }

  #visitWrite({ route, check }: WriteRequirement, visit: Visit): void {
    const { parent, args, path, at } = visit;
    try {
      check(args);
    } catch {
      // Nothing is sent, but the size of the result is unknown.
      this.#account.addValues(upTo(this.#unknown.items));
      return;
    }
    const end = this.#account.addCall(route, `${path} ${at}`, 1, visit);
    this.#visitProperty({ ...visit, parent: { ...parent, visibleAt: end } });
  }

  #visitList(requirement: ListRequirement, visit: Visit): void {
    const { route, items, proves, shares = [], references } = requirement;
    const { parent, field, args } = visit;
    const size = upTo(firstOf(args));
    const groups: ObjectGroup[] = [];
    let { at } = visit;
    let invalid: unknown;
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
          // A cursor is valid for one list only.
          if (after !== null) lists = 1;
          const id = `${source.id} ${isWhole ? '' : (from ?? '')}`;
          const page = isWhole ? this.#wholeList(visit) : pageReadOf(request, visit);
          const end = this.#account.addCall(source.route ?? route, id, lists, visit, page);
          at = Math.max(at, end);
          call = `${list.id} ${from ?? ''} ${skip}`;
        }
        const shared = proves && items ? [...partsIn(group, items), ...shares] : shares;
        const most = product(lists, size.most);
        groups.push(this.#groups.below(group, call, items, most, shared));
      } catch (error) {
        invalid = error;
      }
    }
    if (groups.length === 0) throw invalid;
    this.#visitRead({ groups, entity: items, at, size, areReferences: references }, visit);
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

  #visitLoad(requirement: LoadRequirement, visit: Visit): void {
    const { route, items, list, parts, shares = [], references } = requirement;
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
      groups.push(this.#groups.below(group, `${call} ${id}`, items, most, shares));
      if (items && this.#account.isPrimed(`${items.name} ${id}`, begin)) continue;
      const read = list ? `${list(key, this.#context).id} ` : id;
      const page = list && this.#wholeList(visit);
      at = Math.max(at, this.#account.addCall(route, read, group.most, visit, page));
    }
    this.#visitRead({ groups, entity: items, at, size, areReferences: references }, visit);
  }

  /** Visits a field contained in its parent, which makes no call itself. */
  #visitProperty(visit: Visit): void {
    const { parent, field, args } = visit;
    if (parent.items && ITEM_FIELDS.has(field.name)) return this.#visitItems(parent.items, visit);
    const { name } = getNamedType(field.definition.type);
    const entity = findEntity(nodeTypeOf(name) ?? name);
    const size = sizeOf(visit, this.#unknown);
    this.visits += parent.groups.length - 1;
    const call = `.${field.name} ${JSON.stringify(args)}`;
    const groups = parent.groups.map((group) => {
      const most = product(group.most, size.most);
      return this.#groups.below(group, group.id + call, entity, most, partsIn(group, entity));
    });
    this.#visitRead({ groups, entity, at: parent.visibleAt, size }, visit);
  }

  /** Visits objects contained in others, or returned by a call, so no later field reads them again. */
  #visitRead(items: Items, visit: Visit): void {
    const { groups, entity, at, areReferences } = items;
    if (entity && !areReferences) {
      for (const { id } of groups) this.#account.prime(id, at);
      this.#primeAlternates(groups, entity, at);
    }
    this.#visitItems(items, visit);
  }

  #visitItems(items: Items, visit: Visit): void {
    const { parent, field } = visit;
    const { groups, entity, at, size, areReferences } = items;
    const type = getNamedType(field.definition.type);
    if (!isObjectType(type)) return; // a scalar with its own call
    // Items have the path of their connection.
    const { path } = parent.items ? parent : visit;
    const copies = this.#copiesOf({ ...visit, path }, size);
    const isEdges = parent.items !== undefined && field.name === 'edges';
    if (isEdges || nodeTypeOf(type.name) !== undefined) {
      this.#visitSelection(type, visit, { ...parent, items, isCertain: false, copies, path });
      return;
    }
    const visibleAt = Math.max(parent.visibleAt, at);
    if (entity && areReferences) {
      const below = { ...visit, parent: { ...parent, visibleAt }, path, at, isCertain: false };
      this.#after(at, () => this.#visitByKey(groups, entity, copies, below));
      return;
    }
    const objects = { groups, keyAt: at, visibleAt, isCertain: false, copies, path };
    this.#visitSelection(type, visit, objects);
  }

  #visitSelection(type: GraphQLObjectType, { field }: Visit, objects: Parent): void {
    const { fields } = this.#selectionOf(type, field.selecting);
    for (const one of fields) this.#visitField(objects, one);
  }

  /**
   * Adds the reads of objects.
   *
   * @returns the round after which they are available; undefined if the backend lacks the route.
   */
  #readObjects(
    groups: readonly ObjectGroup[],
    entity: AnyEntity,
    visit: Visit,
  ): number | undefined {
    const account = this.#account;
    const searched = account.serves(entity.route) ? undefined : entity.searched?.(this.#context);
    const route = searched ? searched.route : entity.route;
    if (!route || !account.serves(route)) return undefined;
    const unread = groups.filter(({ id }) => !account.isPrimed(id, visit.at));
    this.visits += unread.length;
    let { at } = visit;
    for (const { id, most } of this.#groups.keysOf(unread, entity.callKey)) {
      const end = searched
        ? account.addCall(route, `${searched.id} `, 1, visit, this.#wholeList(visit))
        : account.addCall(route, id, most, visit);
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
        this.#account.prime(`${entity.name} ${id}`, ready);
      }
    }
  }

  /** Returns the read of all pages of a list. */
  #wholeList(visit: Visit): PageRead {
    return { pages: this.#unknown.pages, limit: MAX_FIRST, together: togetherWith(visit) };
  }

  /** Number of occurrences of a field's objects in the result. */
  #copiesOf({ parent, field, path }: Visit, size: Count): Count {
    return this.#account.addItems(field.definition.type, path, parent.copies, size);
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
    const count = (args['first'] ?? args['last'] ?? DEFAULT_FIRST) as number; // declared as Int
    return upTo(checkCount('first', count));
  }
  return isListType(getNullableType(definition.type)) ? upTo(items) : ONE;
}
