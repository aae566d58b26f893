/**
 * What a document costs and how large its answer can get, computed before it is executed.
 *
 * The planner walks a selection as look-ahead and the resolvers will, by the same declarations and round by round.
 * It knows which calls were made and which objects are there: what a request shares is counted once here as well.
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
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type OperationDefinitionNode,
} from 'graphql';
import { prepareArguments, type ArgumentValues } from '../execution/operation/arguments.ts';
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
import { textOf, type Key } from '../graph/types/key.ts';
import {
  selectionOf,
  type KeyField,
  type ObjectSelection,
  type SelectedField,
} from '../graph/entity/selection.ts';
import type { Route } from '../v0/routes.ts';
import { PlannedCalls, type FieldCall, type PageRead, type RoutePlan } from './calls.ts';
import { NONE, ONE, plus, product, times, upTo, type Count } from './count.ts';
import { Groups, isKnown, ROOT, type Group } from './groups.ts';

export interface Plan {
  readonly calls: Count;
  /** The longest chain of calls that wait for each other. */
  readonly rounds: number;
  /** Fields and list items of the answer, each counted once. */
  readonly values: { readonly atLeast: number; readonly atMost: number };
  readonly routes: readonly RoutePlan[];
  /**
   * Routes that the operation would call if the backend had them: `GET /v0/pages/search`. Absent where it
   * lacks none. A route of which nothing is known yet is planned as if it were there.
   */
  readonly missing?: readonly string[];
  /** The field with the largest lower bound of calls: the first to cut. */
  readonly mostCalls: string | null;
  /** The list with the largest lower bound of items, and of several the largest upper one. */
  readonly largestList: string | null;
}

/** A route that a value of the answer needs: without it, what stands there fails. */
export interface Need {
  readonly route: Route;
  readonly place: ValuePlace;
}

/** Where a value stands in the answer, by its types. */
export interface ValuePlace {
  /** Undefined at the root. */
  readonly above: ValuePlace | undefined;
  /** The field's response key. */
  readonly key: string;
  /** The type of the field. */
  readonly type: GraphQLOutputType;
  /** Whether an item of the field's list is meant, and not the list. */
  readonly isItem: boolean;
}

/** What one request may cost. */
export interface Budget {
  /** Backend calls. */
  readonly calls: number;
  /** Fields and list items of the answer. */
  readonly values: number;
}

/** The fields of connections and edges that hold the items. */
const ITEM_FIELDS = new Set(['edges', 'nodes', 'node']);

/** Fields and groups of objects that one plan looks at: several times what a document within its limits has. */
export const MAX_VISITS = 10_000;

/** Names the reads that begin before the first answer. */
const START = {};

/** Substitutes for numbers that only the backend knows. */
export interface Unknown {
  /** Items of a list, such as the actions of a page. */
  readonly items: number;
  /** Pages of a list that is read to its end. */
  readonly pages: number;
  /** Values below a field of introspection. */
  readonly introspected: number;
}

const UNBOUNDED: Unknown = { items: Infinity, pages: Infinity, introspected: Infinity };

type Definition = GraphQLField<unknown, unknown>;

/** Objects of an answer. */
interface Parent {
  readonly groups: readonly Group[];
  /** What the list holds whose connection or edge this is. */
  readonly items: Items | undefined;
  /** The round after which the keys are known: calls that need no more begin then. */
  readonly keyAt: number;
  /** The round after which the objects themselves are there. */
  readonly visibleAt: number;
  /** Whether calls by the keys are made whatever the backend holds. */
  readonly isCertain: boolean;
  /** How many there are in the answer, each as often as it is repeated. */
  readonly copies: Count;
  /** Empty for the root. */
  readonly path: string;
  /** The field that answers them; undefined for the root. */
  readonly field: Visit | undefined;
}

/** What a field answers: the items of a list, or one object. */
interface Items {
  readonly groups: readonly Group[];
  /** The round after which they are there. */
  readonly at: number;
  /** How many a list has. */
  readonly size: Count;
  readonly entity: AnyEntity | undefined;
  /** Whether they are keys, each read if more is selected. */
  readonly areReferences: boolean;
}

/** A selected field with all that counting it takes. */
interface Visit extends FieldCall {
  readonly parent: Parent;
  readonly field: SelectedField & { readonly definition: Definition };
  readonly args: ArgumentValues;
}

/** One walk over an operation, in the order in which execution begins its calls. */
export class Planner {
  readonly #document: OperationContext;
  readonly #context: Context;
  readonly #budget: Budget | undefined;
  readonly #needs: Need[] | undefined;
  readonly #unknown: Unknown;
  readonly #groups = new Groups();
  readonly #calls: PlannedCalls;
  /** Parts of the walk that wait for a round, by round. */
  #waiting: (() => void)[][] = [];
  /** The round that the walk has come to. */
  #round = 0;
  #values = NONE;
  /** Whether a field fails that must not be null. */
  #isNull = false;
  #largestList = { path: null as string | null, items: NONE };
  /** Fields and keys that were looked at so far. */
  visits = 0;

  /**
   * @param budget ends the plan as soon as it is surely spent.
   * @param needs is filled with what each value of the answer needs.
   */
  constructor(
    document: OperationContext,
    context: Context,
    budget?: Budget,
    needs?: Need[],
    unknown = UNBOUNDED,
  ) {
    this.#document = document;
    this.#context = context;
    this.#budget = budget;
    this.#needs = needs;
    this.#unknown = unknown;
    this.#calls = new PlannedCalls(context.rest.capabilities);
  }

  /**
   * The plan of an operation. A planner makes one.
   *
   * Refused arguments cost nothing, as in execution. Not counted are retries, calls that are made
   * again after look-ahead gave them up, calls that find out whether a route is missing, and that other
   * requests share reads. A plan that was ended early has sound lower bounds, and no upper ones.
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
      // Root fields of a mutation follow each other, and forget what was read before.
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

  /** Counts what begins after a round when the walk comes to it. */
  #after(round: number, count: () => void): void {
    if (round <= this.#round) count();
    else (this.#waiting[round] ??= []).push(count);
  }

  /** Walks through all rounds that something waits for. */
  #finish(): void {
    for (; this.#round < this.#waiting.length; this.#round += 1) {
      for (const count of this.#waiting[this.#round] ?? []) if (!this.#isOver()) count();
    }
    this.#waiting = [];
  }

  /** Whether the budget is surely spent, or looking any further would cost too much. */
  #isOver(): boolean {
    const { calls = Infinity, values = Infinity } = this.#budget ?? {};
    return this.visits >= MAX_VISITS || this.#calls.least > calls || this.#values.least > values;
  }

  #selectionOf(type: GraphQLObjectType, nodes: readonly Selecting[]): ObjectSelection {
    return selectionOf(this.#document, type, nodes, this.#context.rest.capabilities);
  }

  #typeOf({ name }: AnyEntity): GraphQLObjectType {
    // An entity's name is an object type's: it is made with an ObjectRef.
    return this.#document.schema.getType(name) as GraphQLObjectType;
  }

  /** Counts a field and all below it. */
  #field(parent: Parent, field: SelectedField): void {
    if (this.#isOver()) return;
    this.visits += 1;
    this.#values = plus(this.#values, parent.copies);
    const { definition, requirement } = field;
    const extended = definition && extendedRouteOf(definition);
    if (extended) this.#calls.serves(extended);
    if (!definition || (!requirement && isLeafType(getNamedType(definition.type)))) {
      // The size of introspection and the length of a list of scalars are unknown.
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
          // What needs the object itself happens only if there is one.
          isCertain: isByKey && parent.isCertain,
        });
      } catch {
        // Refused arguments: execution makes no call either, and answers null.
        if (isNonNullType(definition.type)) this.#isNull = true;
      }
    });
  }

  /** @throws when they are wrong. */
  #argumentsOf(definition: Definition, fieldNodes: readonly FieldNode[]): ArgumentValues {
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
        this.#need(requirement.route, visit);
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
      // A list that is read anyway shows that an object exists of which only the key is selected.
      const isShown = (group: Group) => keyFields.some((one) => this.#proves(one, group));
      const read = needsObject ? groups : groups.filter((group) => !isShown(group));
      const end = read.length > 0 ? this.#read(read, entity, visit) : visit.at + 1;
      this.#selected(groups, entity, copies, visit, end);
    }
  }

  #proves({ requirement, definition, fieldNodes }: KeyField, group: Group): boolean {
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
    this.#need(route, visit);
    try {
      check(args);
    } catch {
      // Nothing is sent, but the size of the answer is unknown.
      this.#values = plus(this.#values, upTo(this.#unknown.items));
      // What is needed is what a form without mistakes needs.
      if (!this.#needs) return;
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
    const groups: Group[] = [];
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
          // A cursor belongs to one list.
          if (after !== null) lists = 1;
          const id = `${source.id} ${isWhole ? '' : (from ?? '')}`;
          const page = isWhole ? this.#wholeList(visit) : pageReadOf(request, visit);
          at = Math.max(at, this.#calls.add(asked, id, lists, visit, page));
          this.#need(asked, visit);
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
   * What an object's list is asked for.
   *
   * @throws BAD_USER_INPUT when the arguments are refused.
   */
  #requestOf(requirement: ListRequirement, { key }: Group, args: ArgumentValues): PageRequest {
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
    const groups: Group[] = [];
    let at = begin;
    for (const group of keys) {
      this.visits += 1;
      const key = requirement.key(group.key, argumentsFor(group.key, args), this.#context);
      if (key === null) continue;
      const id = textOf(key, parts);
      const most = product(group.most, size.most);
      groups.push(this.#groups.returned(`${call} ${id}`, items, most, group, shares));
      if (items && this.#calls.isPrimed(`${items.name} ${id}`, begin)) continue;
      const read = list ? `${list(key, this.#context).id} ` : id;
      const end = this.#calls.add(route, read, group.most, visit, list && this.#wholeList(visit));
      this.#need(route, visit);
      at = Math.max(at, end);
    }
    this.#returned({ groups, entity: items, at, size }, visit);
  }

  /** A field that came with its parent: it makes no call, but fields below it may. */
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

  /** Objects that came with others, or were read by their keys. */
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

  /** What a field answers, and what is selected of it. */
  #items(items: Items, visit: Visit): void {
    const { parent, field } = visit;
    const { groups, entity, at, size, areReferences } = items;
    const type = getNamedType(field.definition.type);
    if (!isObjectType(type)) return; // a scalar of its own call
    // The path of items is that of their connection.
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

  /** Objects whose keys came from the backend: they are read if more is selected. */
  #referred(groups: readonly Group[], entity: AnyEntity, copies: Count, visit: Visit): void {
    const { needsObject } = this.#selectionOf(this.#typeOf(entity), visit.field.fieldNodes);
    const end = needsObject ? this.#read(groups, entity, visit) : visit.at;
    this.#selected(groups, entity, copies, visit, end);
  }

  /**
   * What is selected of objects that are asked for by their keys.
   *
   * @param end the round after which they are there; undefined when the backend has no route for them.
   */
  #selected(
    groups: readonly Group[],
    entity: AnyEntity,
    copies: Count,
    visit: Visit,
    end: number | undefined,
  ): void {
    // Of what cannot be read nothing is there that could need more.
    if (end === undefined && this.#needs) return;
    const { parent, path, at, isCertain } = visit;
    this.#select(this.#typeOf(entity), {
      groups,
      items: undefined,
      keyAt: at,
      visibleAt: Math.max(parent.visibleAt, end ?? at),
      // An object without a route is refused at once, and calls beside it are given up.
      isCertain: isCertain && end !== undefined,
      copies,
      path,
      field: visit,
    });
  }

  /** What is selected of a field's objects. */
  #select(type: GraphQLObjectType, parent: Parent & { readonly field: Visit }): void {
    const { fieldNodes } = parent.field.field;
    for (const one of this.#selectionOf(type, fieldNodes).fields) this.#field(parent, one);
  }

  /**
   * Counts the reading of objects.
   *
   * @returns the round after which they are there; undefined when the backend has no route for it.
   */
  #read(groups: readonly Group[], entity: AnyEntity, visit: Visit): number | undefined {
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
    if (unread.length > 0) this.#need(route, visit);
    // By its key, an object is found by the same call again.
    this.#primeAlternates(groups, entity, at);
    return at;
  }

  /** Objects that are there: later reads of them by other keys take no call. */
  #primeAlternates(groups: readonly Group[], entity: AnyEntity, ready: number): void {
    for (const parts of entity.alternateKeys) {
      for (const { id } of this.#groups.keysOf(groups, parts)) {
        this.#calls.prime(`${entity.name} ${id}`, ready);
      }
    }
  }

  /** A list that is read to its end. */
  #wholeList(visit: Visit): PageRead {
    return { pages: this.#unknown.pages, limit: MAX_FIRST, together: togetherWith(visit) };
  }

  #need(route: Route, visit: Visit): void {
    if (!this.#needs || !this.#calls.serves(route)) return;
    const { requirement, definition } = visit.field;
    // Objects that are read by their keys fail one by one; other lists come, or fail, as a whole.
    const isByKey =
      !requirement || requirement.kind === 'lookup' || requirement.kind === 'reference';
    const isItem = isByKey && isListType(getNullableType(definition.type));
    this.#needs.push({ route, place: placeOf(visit, isItem) });
  }

  /** How many objects a field answers in all, each as often as it stands in the answer. */
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

/** The parts of an entity's key that an object is known to have too. */
const partsIn = ({ key }: Group, entity: AnyEntity | undefined): readonly string[] =>
  entity?.key.filter((part) => part in key) ?? [];

/** Arguments without cursors where keys are unknown: whose list a cursor belongs to is not known then. */
const argumentsFor = (key: Key, args: ArgumentValues): ArgumentValues =>
  isKnown(key) ? args : { ...args, after: null, before: null };

const pageReadOf = (request: PageRequest, visit: Visit): PageRead => ({
  pages: pagesOf(request),
  limit: pageOf(request).limit,
  together: togetherWith(visit),
});

/** Reads of one list begin together before the first answer, and below the same parent. */
const togetherWith = ({ at, parent }: Visit): object => (at === 0 ? START : parent);

function placeOf({ parent, field: { key, definition } }: Visit, isItem: boolean): ValuePlace {
  const { type } = definition;
  const above =
    parent.field &&
    placeOf(parent.field, isListType(getNullableType(parent.field.field.definition.type)));
  return { above, key, type, isItem };
}

/** How many a field answers: as many as it is asked for, or unknown. */
function sizeOf({ field: { definition }, args }: Visit, { items }: Unknown): Count {
  if (definition.args.some(({ name }) => name === 'first')) {
    const asked = (args['first'] ?? args['last'] ?? DEFAULT_FIRST) as number; // declared as Int
    return upTo(checkCount('first', asked));
  }
  return isListType(getNullableType(definition.type)) ? upTo(items) : ONE;
}
