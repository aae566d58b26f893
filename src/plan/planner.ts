/**
 * What a document costs and how large its answer can get, computed before it is executed.
 *
 * The planner walks a selection as look-ahead and the resolvers will, by the same declarations, and
 * once for all objects that stand at a place: what a request shares is counted once here as well.
 */
import {
  getNamedType,
  getNullableType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  OperationTypeNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type OperationDefinitionNode,
} from 'graphql';
import { prepareArguments, type ArgumentValues } from '../execution/operation/arguments.ts';
import type { OperationContext, Selecting } from '../execution/operation/collect-fields.ts';
import { nodeTypeOf } from '../graph/fields/connection-type.ts';
import type { List } from '../graph/loading/list.ts';
import {
  afterOf,
  checkCount,
  DEFAULT_FIRST,
  firstOf,
  MAX_FIRST,
  pageOf,
  pageRequestOf,
  pagesOf,
} from '../graph/loading/page-request.ts';
import type { Context } from '../graph/context.ts';
import {
  extendedRouteOf,
  type Demand,
  type ListDemand,
  type LoadDemand,
  type LookupDemand,
  type ReferenceDemand,
  type WriteDemand,
} from '../graph/entity/demand.ts';
import { findEntity, type AnyEntity } from '../graph/entity/entity.ts';
import { textOf } from '../graph/types/key.ts';
import {
  selectionOf,
  type KeyField,
  type ObjectSelection,
  type SelectedField,
} from '../graph/entity/selection.ts';
import type { Route } from '../v0/routes.ts';
import { PlannedCalls, type FieldCall, type PageRead, type RoutePlan } from './calls.ts';
import { NONE, ONE, plus, product, times, upTo, type Count } from './count.ts';
import { Names, Objects, type KeyGroup } from './objects.ts';

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
  readonly place: Place;
}

/** Where a value stands in the answer, by its types. */
export interface Place {
  /** Undefined at the root. */
  readonly above: Place | undefined;
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

/** Fields and keys that one plan looks at: several times what a document within its limits has. */
export const MAX_VISITS = 10_000;

/** Passes over a document, each with what the one before has learnt. */
const MAX_PASSES = 5;

/** Reads that begin before the first answer begin together. */
const START = {};

/** A list that is read to its end. */
const walkOf = (pages: number): PageRead => ({ pages, limit: MAX_FIRST, together: START });

/** What stands for numbers that only the backend knows. */
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
  readonly objects: Objects;
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
  readonly objects: Objects;
  /** The round after which they are there. */
  readonly at: number;
  /** How many a list has. */
  readonly size: Count;
  /** Whether they are keys, each read if more is selected. */
  readonly areReferences: boolean;
}

/** A selected field with all that counting it takes. */
interface Visit extends FieldCall {
  readonly parent: Parent;
  readonly field: SelectedField & { readonly definition: Definition };
  readonly args: ArgumentValues;
}

/** What was read by the keys of objects. */
interface Read {
  /** Equal for equal answers. */
  readonly id: string;
  /** The round after which they are there. */
  readonly at: number;
  /** How many there are at most. */
  readonly most: number;
  /** What was called for it. */
  readonly routes?: readonly Route[];
}

export class Planner {
  readonly #document: OperationContext;
  readonly #context: Context;
  readonly #budget: Budget | undefined;
  readonly #needs: Need[] | undefined;
  readonly #unknown: Unknown;
  readonly #walk: PageRead;
  readonly #names = new Names();
  readonly #ends = new Map<string, number>();
  /** Of the present pass. */
  #calls!: PlannedCalls;
  /** Since reads were last forgotten, by what was read: to count it again would change nothing. */
  readonly #reads = new Map<string, Read>();
  #values = NONE;
  /** Whether a field fails that must not be null. */
  #isNull = false;
  #largestList = { path: null as string | null, items: NONE };
  /** How much was looked at so far. */
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
    this.#walk = walkOf(unknown.pages);
  }

  /**
   * The plan of an operation.
   *
   * Refused arguments cost nothing, as in execution. Not counted are retries, calls that are made
   * again after look-ahead gave them up, calls that find out whether a route is missing, and that other
   * requests share reads. A plan that was ended
   * early has sound lower bounds, and no upper ones.
   */
  plan(operation: OperationDefinitionNode): Plan {
    let plan = this.#pass(operation);
    // A later field may make a call earlier than it was first counted: learnt in one pass, used in the next.
    for (let pass = 1; pass < MAX_PASSES && this.#calls.isLearnt && !this.#isOver(); pass++) {
      const better = this.#pass(operation);
      if (!this.#isOver()) plan = better;
    }
    return plan;
  }

  #pass(operation: OperationDefinitionNode): Plan {
    const calls = new PlannedCalls(this.#context.rest.dialect, this.#ends);
    this.#calls = calls;
    this.#reads.clear();
    this.#needs?.splice(0);
    this.#values = NONE;
    this.#isNull = false;
    this.#largestList = { path: null, items: NONE };
    const type = this.#document.schema.getRootType(operation.operation);
    const isMutation = operation.operation === OperationTypeNode.MUTATION;
    const objects = Objects.root(this.#names);
    const root = {
      objects,
      items: undefined,
      isCertain: true,
      copies: ONE,
      path: '',
      field: undefined,
    };
    for (const field of type ? this.#selectionOf(type, [operation]).fields : []) {
      // Root fields of a mutation follow each other, and forget what was read before.
      const begin = isMutation ? calls.rounds : 0;
      this.#field({ ...root, keyAt: begin, visibleAt: begin }, field);
      if (!isMutation) continue;
      calls.forget();
      this.#reads.clear();
    }
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

  /** Whether the budget is surely spent, or looking any further would cost too much. */
  #isOver(): boolean {
    const { calls = Infinity, values = Infinity } = this.#budget ?? {};
    return this.visits >= MAX_VISITS || this.#calls.least > calls || this.#values.least > values;
  }

  #selectionOf(type: GraphQLObjectType, nodes: readonly Selecting[]): ObjectSelection {
    return selectionOf(this.#document, type, nodes, this.#context.rest.dialect);
  }

  /** Counts a field and all below it. */
  #field(parent: Parent, field: SelectedField): void {
    if (this.#isOver()) return;
    this.visits += 1;
    this.#values = plus(this.#values, parent.copies);
    const { definition, demand } = field;
    const extended = definition && extendedRouteOf(definition);
    if (extended) this.#calls.serves(extended);
    if (!definition || (!demand && isLeafType(getNamedType(definition.type)))) {
      // The size of introspection and the length of a list of scalars are unknown.
      const { items, introspected } = this.#unknown;
      if (definition && isListType(getNullableType(definition.type))) {
        this.#values = plus(this.#values, times(parent.copies, upTo(items)));
      } else if (!definition && field.name !== '__typename') {
        this.#values = plus(this.#values, upTo(introspected));
      }
      return;
    }
    try {
      this.#demanded(demand, this.#visit(parent, { ...field, definition }));
    } catch {
      // Refused arguments: execution makes no call either, and answers null.
      if (isNonNullType(definition.type)) this.#isNull = true;
    }
  }

  #demanded(demand: Demand | undefined, visit: Visit): void {
    switch (demand?.kind) {
      case 'lookup':
        return this.#lookup(demand, visit);
      case 'write':
        return this.#write(demand, visit);
      case 'reference':
        return this.#reference(demand, visit);
      case 'list':
        return this.#list(demand, visit);
      case 'load':
        return this.#load(demand, visit);
      case 'watch':
        this.#need(demand.route, visit);
    }
    this.#included(visit);
  }

  /** @throws when the arguments are wrong. */
  #visit(parent: Parent, field: Visit['field']): Visit {
    const { definition, demand, fieldNodes, key } = field;
    const isByKey = demand?.from === 'key' || parent.path === '';
    return {
      parent,
      field,
      args: prepareArguments(definition, fieldNodes[0]!).coerce(this.#document.variableValues),
      path: parent.path ? `${parent.path}.${key}` : key,
      at: isByKey ? parent.keyAt : parent.visibleAt,
      // What needs the object itself happens only if there is one.
      isCertain: isByKey && parent.isCertain,
    };
  }

  #lookup({ wanted }: LookupDemand, visit: Visit): void {
    const named = wanted(visit.args);
    this.#copies(visit, { least: named.length, most: named.length });
    const all = named.filter((one) => one !== undefined);
    for (const entity of new Set(all.map((one) => one.entity))) {
      const keys = all.filter((one) => one.entity === entity).map(({ key }) => key);
      const objects = Objects.named(this.#names, entity, keys);
      this.#object(objects, entity, times(visit.parent.copies, upTo(keys.length)), visit, true);
    }
  }

  #write({ route, check }: WriteDemand, visit: Visit): void {
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

  #reference({ entity }: ReferenceDemand, visit: Visit): void {
    const { objects } = visit.parent;
    const { id, most } = objects.keys(entity.key);
    const referred = objects.brought(`${entity.name} ${id}`, entity, most, entity.key);
    this.#object(referred, entity, this.#copies(visit, ONE), visit, false);
  }

  #list(demand: ListDemand, visit: Visit): void {
    const { items, proves, shares = [] } = demand;
    const shared = proves ? visit.parent.objects.sharedWith(items) : [];
    const size = upTo(firstOf(visit.args));
    this.#brought(this.#readList(demand, visit), size, items, [...shared, ...shares], visit);
  }

  #load(demand: LoadDemand, visit: Visit): void {
    const { route, items, list, shares = [] } = demand;
    const { objects } = visit.parent;
    const { groups } = objects.keys(demand.parts ?? objects.keyParts);
    const ids: string[] = [];
    const { at: begin } = visit;
    let [at, most] = [begin, 0];
    for (const group of groups) {
      this.visits += 1;
      const key = group.key && demand.key(group.key, visit.args, this.#context);
      if (key === null) continue;
      const id = key ? textOf(key) : group.id;
      ids.push(id);
      most += group.most;
      if (items && this.#calls.isPrimed(`${items.name} ${id}`, begin)) continue;
      const call = key && list ? `${list(key, this.#context).id} ` : id;
      const end = this.#calls.add(route, call, group.most, visit, list && this.#walk);
      this.#need(route, visit);
      at = Math.max(at, end);
    }
    const read = { id: `${visit.field.name} ${ids.join()}`, at, most };
    this.#brought(read, sizeOf(visit, this.#unknown), items, shares, visit);
  }

  /** What came with its parent: nothing to call, but something below it may. */
  #included(visit: Visit): void {
    const { parent, field } = visit;
    if (parent.items && ITEM_FIELDS.has(field.name)) return this.#items(parent.items, visit);
    const { name } = getNamedType(field.definition.type);
    const entity = findEntity(nodeTypeOf(name) ?? name);
    const { id, most } = parent.objects;
    const came = { id: `${id}.${field.name}`, at: parent.visibleAt, most };
    this.#brought(
      came,
      sizeOf(visit, this.#unknown),
      entity,
      parent.objects.sharedWith(entity),
      visit,
    );
  }

  /** What came with objects, or was read by their keys. */
  #brought(
    { id, at, most }: Read,
    size: Count,
    entity: AnyEntity | undefined,
    shares: readonly string[],
    visit: Visit,
  ): void {
    const { demand } = visit.field;
    const areReferences = demand !== undefined && 'references' in demand && demand.references;
    const all = product(most, size.most);
    const objects = visit.parent.objects.brought(id, entity, all, shares);
    if (!areReferences) this.#prime(objects, at);
    this.#items({ objects, at, size, areReferences }, visit);
  }

  /** What a field answers, and what is selected of it. */
  #items(items: Items, visit: Visit): void {
    const { parent, field } = visit;
    const { objects, at, size, areReferences } = items;
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
    if (objects.entity && areReferences) {
      const reference = { ...visit, parent: { ...parent, visibleAt }, path, at, isCertain: false };
      this.#object(objects, objects.entity, copies, reference, false);
      return;
    }
    this.#select(type, {
      ...{ objects, items: undefined, keyAt: at, visibleAt, isCertain: false, copies, path },
      field: visit,
    });
  }

  /** What is selected of a field's objects. */
  #select(type: GraphQLObjectType, parent: Parent & { readonly field: Visit }): void {
    const { fieldNodes } = parent.field.field;
    for (const one of this.#selectionOf(type, fieldNodes).fields) this.#field(parent, one);
  }

  /** Objects by their keys, as `followReference` and `lookUp` will read them. */
  #object(
    objects: Objects,
    entity: AnyEntity,
    copies: Count,
    visit: Visit,
    isLookup: boolean,
  ): void {
    const { parent, field, path, at, isCertain } = visit;
    const { visibleAt } = parent;
    // An entity's name is an object type's: it is made with an ObjectRef.
    const type = this.#document.schema.getType(entity.name) as GraphQLObjectType;
    const { needsObject, keyFields } = this.#selectionOf(type, field.fieldNodes);
    const beside = {
      ...{ objects, items: undefined, keyAt: at, visibleAt, isCertain, copies, path },
      field: visit,
    };
    let end: number | undefined = at;
    if (isLookup && !needsObject) end = this.#proof(keyFields, beside);
    if (needsObject || end === undefined) end = this.#read(objects, entity, visit);
    // Of what cannot be read nothing is there that could need more.
    if (end === undefined && this.#needs) return;
    this.#select(type, {
      ...beside,
      // An object without a route is refused at once, and calls beside it are given up.
      isCertain: isCertain && end !== undefined,
      visibleAt: Math.max(visibleAt, end ?? at),
    });
  }

  /** The round after which a call made anyway shows that objects exist; undefined when none does. */
  #proof(fields: readonly KeyField[], parent: Parent): number | undefined {
    for (const field of fields) {
      if (field.demand.kind !== 'list' || !field.demand.proves) continue;
      try {
        return this.#readList(field.demand, this.#visit(parent, field)).at;
      } catch {
        // Its arguments are refused: it proves nothing.
      }
    }
    return undefined;
  }

  /**
   * Counts the reading of objects; answers the round after which they are there, undefined when the
   * backend has no route for it.
   */
  #read(objects: Objects, entity: AnyEntity, visit: Visit): number | undefined {
    const calls = this.#calls;
    const searched = calls.serves(entity.route) ? undefined : entity.searched?.(this.#context);
    const route = searched ? searched.route : entity.route;
    if (!route || !calls.serves(route)) return undefined;
    const { id, most, groups } = objects.keys(entity.key);
    return this.#once(`${entity.name} ${id} ${most}`, visit, () => {
      let at = visit.at;
      let isCalled = false;
      for (const group of groups) {
        if (calls.isPrimed(`${entity.name} ${group.id}`, visit.at)) continue;
        this.visits += 1;
        const called = group.key
          ? textOf(group.key, entity.callKey)
          : objects.keys(entity.callKey).id;
        const end = searched
          ? calls.add(route, `${searched.id} `, 1, visit, this.#walk)
          : calls.add(route, called, group.most, visit);
        at = Math.max(at, end);
        isCalled = true;
      }
      this.#prime(objects, at);
      return { id, at, most, routes: isCalled ? [route] : [] };
    }).at;
  }

  /** Objects that are there: later reads of them take no call. */
  #prime(objects: Objects, ready: number): void {
    const { entity } = objects;
    for (const parts of entity ? [entity.key, ...entity.alternateKeys] : []) {
      for (const { id } of objects.keys(parts).groups) {
        this.#calls.prime(`${entity!.name} ${id}`, ready);
      }
    }
  }

  /**
   * Counts the reading of a list, of each of its parents.
   *
   * @throws BAD_USER_INPUT when the arguments are refused for each of them.
   */
  #readList(demand: ListDemand, visit: Visit): Read {
    const { parent, field, args, at: begin } = visit;
    const { objects } = parent;
    const { route } = demand;
    if (!route) return { id: `${objects.id}.${field.name}`, at: begin, most: objects.most };
    const parents = objects.keys(objects.keyParts);
    const what = `${field.name} ${textOf(args)} ${parents.id} ${parents.most}`;
    return this.#once(what, visit, () => {
      const ids: string[] = [];
      const called: Route[] = [];
      let [at, most] = [begin, 0];
      let refusal: unknown;
      for (const group of parents.groups) {
        this.visits += 1;
        try {
          const request = this.#requestOf(demand, group, args);
          const { list, from, skip } = request;
          const source = list.source ?? list;
          const isWalked = source !== list;
          const page = isWalked
            ? this.#walk
            : {
                pages: pagesOf(request),
                limit: pageOf(request).limit,
                together: begin === 0 ? START : parent,
              };
          // A cursor belongs to one list.
          const lists = request.after === null ? group.most : 1;
          const call = `${source.id} ${isWalked ? '' : (from ?? '')}`;
          const asked = source.route ?? route;
          called.push(asked);
          at = Math.max(at, this.#calls.add(asked, call, lists, visit, page));
          ids.push(`${list.id} ${from ?? ''} ${skip}`);
          most += lists;
        } catch (error) {
          refusal = error;
        }
      }
      if (ids.length === 0) throw refusal;
      return { id: `${field.name} ${ids.join()}`, at, most, routes: called };
    });
  }

  /** What a list is asked for; of parents that are not known, by a name for their lists. */
  #requestOf(demand: ListDemand, { key, id }: KeyGroup, args: ArgumentValues) {
    if (key) return pageRequestOf(demand, key, args, this.#context);
    const { first: _first, after: _after, ...filters } = args;
    const after = afterOf(args);
    const source: Pick<List, 'id' | 'route'> = {
      id: `${textOf(filters)} ${id}`,
      route: demand.route,
    };
    const list = { ...source, source: demand.walks ? source : undefined };
    return { list, from: after, skip: 0, first: firstOf(args), after };
  }

  /** What was read, counted once for as long as it stays the same. */
  #once(what: string, visit: Visit, count: () => Read): Read {
    const id = `${what} ${visit.at} ${visit.isCertain}`;
    let read = this.#reads.get(id);
    if (!read) this.#reads.set(id, (read = count()));
    for (const route of this.#needs ? (read.routes ?? []) : []) this.#need(route, visit);
    return read;
  }

  #need(route: Route, visit: Visit): void {
    if (!this.#needs || !this.#calls.serves(route)) return;
    const { demand, definition } = visit.field;
    // Objects that are read by their keys fail one by one; other lists come, or fail, as a whole.
    const isByKey = !demand || demand.kind === 'lookup' || demand.kind === 'reference';
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

function placeOf({ parent, field: { key, definition } }: Visit, isItem: boolean): Place {
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
