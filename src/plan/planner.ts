/**
 * What a document will cost and how large its answer can get, before it is executed.
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
  type OperationDefinitionNode,
} from 'graphql';
import { argumentsOf, argumentValues, type Arguments } from '../execution/arguments.ts';
import type { Document, Selecting } from '../execution/selection.ts';
import { nodeTypeOf } from '../graph/connection/connection-type.ts';
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
} from '../graph/connection/page-request.ts';
import type { Context } from '../graph/context.ts';
import type {
  ListDemand,
  LoadDemand,
  LookupDemand,
  ReferenceDemand,
  WriteDemand,
} from '../graph/entity/demand.ts';
import { findEntity, type AnyEntity } from '../graph/entity/entity.ts';
import { textOf } from '../graph/entity/key.ts';
import {
  selectionOf,
  visitDemand,
  type ObjectSelection,
  type ObjectVisitor,
  type SelectedField,
} from '../graph/entity/walk.ts';
import type { Route } from '../v0/routes.ts';
import { PlannedCalls, type PageRead, type RoutePlan } from './calls.ts';
import { NONE, ONE, plus, product, times, UNKNOWN, type Count } from './count.ts';
import { groupsOf, Names, Objects, type KeyGroup, type Keys } from './objects.ts';

export interface Plan {
  readonly calls: Count;
  /** The longest chain of calls that wait for each other. */
  readonly rounds: number;
  /** Fields and list items of the answer, each counted once. */
  readonly values: { readonly atLeast: number; readonly atMost: number };
  readonly routes: readonly RoutePlan[];
  /** The field that costs most calls at least, for whoever has to cut something. */
  readonly dearest: string | null;
  /** The list that answers most items at least, and of several the one that may answer most. */
  readonly largest: string | null;
}

/** What one request may cost. */
export interface Budget {
  /** Backend calls. */
  readonly calls: number;
  /** Fields and list items of the answer. */
  readonly values: number;
}

/** Fields and keys that are looked at for one plan. Within the limits of documents it takes a fifth. */
export const MAX_VISITS = 10_000;

/** As often as calls turn out to begin earlier than they were first counted. */
const MAX_PASSES = 5;

/** Reads that begin before anything is there begin together. */
const START = {};

/** A list that is read to its end. */
const WALK: PageRead = { pages: Infinity, limit: MAX_FIRST, together: START };

/** The fields of connections and edges that hold the items. */
const ITEM_FIELDS = new Set(['edges', 'nodes', 'node']);

const NO_PARTS: readonly string[] = [];

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
  /** How many there are in the answer, each as often as it stands there. */
  readonly copies: Count;
  /** Empty for the root. */
  readonly path: string;
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
interface Visit {
  readonly parent: Parent;
  readonly field: SelectedField & { readonly definition: Definition };
  readonly args: Arguments;
  readonly path: string;
  /** The round after which its calls can begin. */
  readonly at: number;
  /** Whether they are made whatever the backend holds. */
  readonly isCertain: boolean;
}

type Definition = GraphQLField<unknown, unknown>;

/** The list that may answer most items. */
interface Largest {
  readonly path: string;
  readonly items: Count;
}

/** A list that was counted. */
interface ListRead {
  /** Equal for equal items. */
  readonly id: string;
  /** The round after which it is there. */
  readonly at: number;
  /** How many lists they are at most. */
  readonly most: number;
}

export class Planner implements ObjectVisitor<Visit, void> {
  readonly #document: Document;
  readonly #context: Context;
  readonly #budget: Budget | undefined;
  readonly #names = new Names();
  readonly #calls: PlannedCalls;
  /** What was counted since reads were last forgotten: to count it once more would change nothing. */
  readonly #reads = new Map<string, number>();
  readonly #lists = new Map<string, ListRead>();
  #values = NONE;
  /** Whether a field fails that must not be null. */
  #isNull = false;
  #largest: Largest | undefined;
  #visits = 0;

  /** @param budget ends the plan as soon as it is surely spent. */
  constructor(document: Document, context: Context, budget?: Budget) {
    this.#document = document;
    this.#context = context;
    this.#budget = budget;
    this.#calls = new PlannedCalls(context.rest.routeSet);
  }

  /** How much was looked at so far. */
  get visits(): number {
    return this.#visits;
  }

  /**
   * The plan of an operation.
   *
   * Refused arguments cost nothing, as in execution. Retries are not counted, and reads are counted
   * as if no other request shared them. A plan that was ended early has sound lower bounds, and no
   * upper ones.
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
    const calls = this.#calls;
    calls.begin();
    this.#forget();
    this.#values = NONE;
    this.#isNull = false;
    this.#largest = undefined as Largest | undefined;
    const type = this.#document.schema.getRootType(operation.operation);
    const isMutation = operation.operation === OperationTypeNode.MUTATION;
    const root = {
      objects: Objects.root(this.#names),
      items: undefined,
      isCertain: true,
      copies: ONE,
      path: '',
    };
    for (const field of type ? this.#selectionOf(type, [operation]).fields : []) {
      // Root fields of a mutation follow each other, and forget what was read before.
      const begin = isMutation ? calls.rounds : 0;
      this.#field({ ...root, keyAt: begin, visibleAt: begin }, field);
      if (isMutation) this.#forget();
    }
    const { least, most } = calls.total();
    const { least: atLeast, most: atMost } = this.#values;
    const isOpen = this.#isOver();
    return {
      calls: { least, most: isOpen ? Infinity : most },
      rounds: calls.rounds,
      values: { atLeast: this.#isNull ? 0 : atLeast, atMost: isOpen ? Infinity : atMost },
      routes: calls.routes(),
      dearest: calls.dearest(),
      largest: this.#largest?.path ?? null,
    };
  }

  #forget(): void {
    this.#calls.forget();
    this.#reads.clear();
    this.#lists.clear();
  }

  /** Whether the budget is surely spent, or looking any further would cost too much. */
  #isOver(): boolean {
    if (this.#visits >= MAX_VISITS) return true;
    if (!this.#budget) return false;
    return this.#calls.least > this.#budget.calls || this.#values.least > this.#budget.values;
  }

  #selectionOf(type: GraphQLObjectType, nodes: readonly Selecting[]): ObjectSelection {
    return selectionOf(this.#document, type, nodes, this.#context.rest.routeSet);
  }

  #fields({ fields }: ObjectSelection, parent: Parent): void {
    for (const field of fields) this.#field(parent, field);
  }

  /** Counts a field and all below it. */
  #field(parent: Parent, field: SelectedField): void {
    if (this.#isOver()) return;
    this.#visits += 1;
    this.#values = plus(this.#values, parent.copies);
    const { definition, demand } = field;
    if (!definition) {
      if (field.name !== '__typename') this.#values = plus(this.#values, UNKNOWN); // introspection
      return;
    }
    const { type } = definition;
    if (!demand && isLeafType(getNamedType(type))) {
      if (isListType(getNullableType(type))) this.#values = plus(this.#values, UNKNOWN);
      return;
    }
    const fromKey = demand?.from === 'key' || parent.path === '';
    try {
      const args = argumentValues(definition, field.fieldNodes[0]!, this.#document.variableValues);
      const visit: Visit = {
        parent,
        field: { ...field, definition },
        args,
        path: parent.path ? `${parent.path}.${field.key}` : field.key,
        at: fromKey ? parent.keyAt : parent.visibleAt,
        // What needs the object itself happens only if there is one.
        isCertain: fromKey && parent.isCertain,
      };
      if (!demand) this.#included(visit);
      else if (demand.kind === 'lookup') this.#lookup(demand, visit);
      else if (demand.kind === 'write') this.#write(demand, visit);
      else visitDemand(this, demand, visit);
    } catch {
      // Refused arguments: execution makes no call either, and answers null.
      if (isNonNullType(type)) this.#isNull = true;
    }
  }

  #lookup({ wanted }: LookupDemand, visit: Visit): void {
    const all = wanted(visit.args);
    const size = { least: all.length, most: all.length };
    this.#copies(visit, size, visit.path);
    for (const entity of new Set(all.map((one) => one.entity))) {
      const keys = all.filter((one) => one.entity === entity).map(({ key }) => key);
      const objects = Objects.named(this.#names, entity, keys);
      const copies = times(visit.parent.copies, { least: 0, most: keys.length });
      this.#object(entity, objects, visit, copies, true);
    }
  }

  #write({ route, check }: WriteDemand, visit: Visit): void {
    const { parent, args, path, at, isCertain } = visit;
    check(args);
    const end = this.#calls.add(`${path} ${at}`, { route, field: path, at, isCertain, most: 1 });
    this.#included({ ...visit, parent: { ...parent, visibleAt: end } });
  }

  reference({ entity }: ReferenceDemand, visit: Visit): void {
    const copies = this.#copies(visit, ONE, visit.path);
    this.#object(entity, visit.parent.objects.referred(entity), visit, copies, false);
  }

  list(demand: ListDemand, visit: Visit): void {
    const { items, proves, shares = [], references = false } = demand;
    const { objects: parents } = visit.parent;
    const { id, at, most } = this.#readList(demand, visit);
    const size = { least: 0, most: firstOf(visit.args) };
    const shared = items && proves ? parents.sharedWith(items) : NO_PARTS;
    const objects = parents.brought(id, items, product(most, size.most), [...shared, ...shares]);
    if (items && !references) this.#prime(items, objects, at);
    this.#items({ objects, at, size, areReferences: references }, visit);
  }

  load(demand: LoadDemand, visit: Visit): void {
    const { route, items, list, shares = [], references = false } = demand;
    const { parent, field, args, path, at, isCertain } = visit;
    const parts = demand.parts ?? parent.objects.entity?.key ?? NO_PARTS;
    const found = parent.objects.keys(parts);
    const keys = found.known?.flatMap((known) => {
      this.#visits += 1;
      const key = demand.key(known.key, args, this.#context);
      if (!key) return [];
      return { id: list ? `${list(key, this.#context).id} ` : textOf(key), most: 1 };
    });
    const page = list && WALK;
    let end = at;
    let most = 0;
    const ids: string[] = [];
    for (const one of keys ?? [found]) {
      ids.push(one.id);
      most += one.most;
      if (items && this.#calls.isPrimed(items, one.id, at)) continue;
      const call = { route, field: path, at, isCertain: isCertain && keys !== undefined };
      end = Math.max(end, this.#calls.add(one.id, { ...call, most: one.most }, page));
    }
    if (ids.length === 0) return;
    const size = sizeOf(field.definition, args);
    const id = `${field.name} ${ids.join()}`;
    const objects = parent.objects.brought(id, items, product(most, size.most), shares);
    if (items && !references) this.#prime(items, objects, end);
    this.#items({ objects, at: end, size, areReferences: references }, visit);
  }

  /** What came with its parent: nothing to call, but something below it may. */
  #included(visit: Visit): void {
    const { parent, field, args } = visit;
    const { definition } = field;
    const typename = getNamedType(definition.type).name;
    const isPlumbing = parent.items && ITEM_FIELDS.has(field.name);
    if (isPlumbing) return this.#items(parent.items, visit);
    const entity = findEntity(nodeTypeOf(typename) ?? typename);
    const size = sizeOf(definition, args);
    const objects = parent.objects.brought(
      parent.objects.nameOf(field.name),
      entity,
      product(parent.objects.most, size.most),
      entity ? parent.objects.sharedWith(entity) : NO_PARTS,
    );
    if (entity) this.#prime(entity, objects, parent.visibleAt);
    this.#items({ objects, at: parent.visibleAt, size, areReferences: false }, visit);
  }

  /** What a field answers, and what is selected of it. */
  #items(items: Items, visit: Visit): void {
    const { parent, field } = visit;
    const type = getNamedType(field.definition.type);
    if (!isObjectType(type)) return; // a scalar of its own call
    // Items are told by the path of their connection.
    const path = parent.items ? parent.path : visit.path;
    const copies = this.#copies(visit, items.size, path);
    const { objects, at } = items;
    const below = { ...parent, objects, isCertain: false, copies, path };
    if (nodeTypeOf(type.name) !== undefined || (parent.items && field.name === 'edges')) {
      this.#fields(this.#selectionOf(type, field.fieldNodes), { ...below, items });
      return;
    }
    const visibleAt = Math.max(parent.visibleAt, at);
    if (items.areReferences && objects.entity) {
      const inner = { ...visit, parent: { ...parent, visibleAt }, path, at, isCertain: false };
      this.#object(objects.entity, objects, inner, copies, false);
    } else {
      const there = { ...below, items: undefined, keyAt: at, visibleAt };
      this.#fields(this.#selectionOf(type, field.fieldNodes), there);
    }
  }

  /** Objects by their keys, as `followReference` and `lookUp` will read them. */
  #object(
    entity: AnyEntity,
    objects: Objects,
    visit: Visit,
    copies: Count,
    isLookup: boolean,
  ): void {
    const { parent, field, path, at, isCertain } = visit;
    // An entity's name is an object type's: it is made with an ObjectRef.
    const type = this.#document.schema.getType(entity.name) as GraphQLObjectType;
    const selection = this.#selectionOf(type, field.fieldNodes);
    const below = { objects, items: undefined, keyAt: at, isCertain, copies, path };
    let end: number | undefined = at;
    if (selection.needsObject) end = this.#read(entity, objects, visit);
    else if (isLookup) {
      const beside = { ...below, visibleAt: parent.visibleAt };
      end = this.#proof(selection, beside) ?? this.#read(entity, objects, visit);
    }
    this.#fields(selection, {
      ...below,
      // What cannot be read is refused at once, and gives up what was begun beside it.
      isCertain: isCertain && end !== undefined,
      visibleAt: Math.max(parent.visibleAt, end ?? at),
    });
  }

  /** The round after which a call made anyway shows that objects exist; undefined when none does. */
  #proof({ keyFields }: ObjectSelection, parent: Parent): number | undefined {
    for (const field of keyFields) {
      const { demand, definition } = field;
      if (demand.kind !== 'list' || !demand.proves) continue;
      const args = argumentsOf(this.#document, definition, field);
      const path = `${parent.path}.${field.key}`;
      const { keyAt: at, isCertain } = parent;
      try {
        if (args) return this.#readList(demand, { parent, field, args, path, at, isCertain }).at;
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
  #read(entity: AnyEntity, objects: Objects, visit: Visit): number | undefined {
    const { path, at, isCertain } = visit;
    const calls = this.#calls;
    const searched = calls.serves(entity.route) ? undefined : entity.searched?.(this.#context);
    const route = searched ? searched.route : entity.route;
    if (!route || !calls.serves(route)) return undefined;
    const keys = objects.keys(entity.key);
    const id = `${entity.name} ${keys.id} ${at} ${isCertain}`;
    const known = this.#reads.get(id);
    if (known !== undefined) return known;
    let end = at;
    const read = (call: KeyGroup, isKnown: boolean) => {
      this.#visits += 1;
      const made = { route, field: path, at, isCertain: isCertain && isKnown, most: call.most };
      end = Math.max(
        end,
        searched ? calls.add(`${searched.id} `, made, WALK) : calls.add(call.id, made),
      );
    };
    if (keys.known) {
      for (const { key, id } of keys.known) {
        if (calls.isPrimed(entity, id, at)) continue;
        const isWhole = entity.callKey.length === entity.key.length;
        read({ id: isWhole ? id : textOf(key, entity.callKey), most: 1 }, true);
      }
    } else if (!calls.isPrimed(entity, keys.id, at)) {
      for (const call of groupsOf(objects.keys(entity.callKey))) read(call, false);
    }
    this.#prime(entity, objects, end);
    this.#reads.set(id, end);
    return end;
  }

  /** Objects that are there: whoever asks for them again gets them for nothing. */
  #prime(entity: AnyEntity, objects: Objects, ready: number): void {
    for (const parts of [entity.key, entity.alternateKey]) {
      for (const { id } of parts ? groupsOf(objects.keys(parts)) : []) {
        this.#calls.prime(entity, id, ready);
      }
    }
  }

  /** Counts the reading of a list, of each of its parents. */
  #readList(demand: ListDemand, visit: Visit): ListRead {
    const { parent, field, args, at, isCertain } = visit;
    const { objects } = parent;
    const { route } = demand;
    if (!route) return { id: objects.nameOf(field.name), at, most: objects.most };
    const keys = objects.keys(objects.entity?.key ?? NO_PARTS);
    const id = `${field.name} ${textOf(args)} ${keys.id} ${at} ${isCertain}`;
    let read = this.#lists.get(id);
    if (!read) {
      read = this.#newListRead(demand, route, keys, visit);
      this.#lists.set(id, read);
    }
    return read;
  }

  /** @throws BAD_USER_INPUT when the arguments are refused for each parent. */
  #newListRead(demand: ListDemand, route: Route, keys: Keys, visit: Visit): ListRead {
    const { parent, field, args, path, at, isCertain } = visit;
    const together = at === 0 ? START : parent;
    const pageRead = (request: Pick<PageRequest, 'from' | 'skip' | 'first'>): PageRead => ({
      pages: pagesOf(request),
      limit: pageOf(request).limit,
      together,
    });
    if (!keys.known) {
      const { first: _first, after: _after, ...filters } = args;
      const after = afterOf(args);
      const id = `${textOf(filters)} ${after ?? ''} ${keys.id}`;
      // A cursor belongs to one list.
      const most = after === null ? keys.most : 1;
      const call = { route, field: path, at, isCertain: false, most };
      const page = demand.walks ? WALK : pageRead({ from: null, skip: 0, first: firstOf(args) });
      return { id: `${field.name} ${id}`, at: this.#calls.add(id, call, page), most };
    }
    const ids: string[] = [];
    let end = at;
    let refusal: unknown;
    for (const { key } of keys.known) {
      this.#visits += 1;
      try {
        const request = pageRequestOf(demand, key, args, this.#context);
        const { list, from, skip } = request;
        const { source } = list;
        const id = source ? `${source.id} ` : `${list.id} ${from ?? ''}`;
        const made = (source ?? list).route ?? route;
        const call = { route: made, field: path, at, isCertain, most: 1 };
        const page = source ? WALK : pageRead(request);
        end = Math.max(end, this.#calls.add(id, call, page));
        ids.push(`${list.id} ${from ?? ''} ${skip}`);
      } catch (error) {
        refusal = error;
      }
    }
    if (ids.length === 0) throw refusal;
    return { id: ids.join(), at: end, most: ids.length };
  }

  /** How many objects a field answers in all, each as often as it stands in the answer. */
  #copies({ parent: { copies }, field }: Visit, size: Count, path: string): Count {
    const { type } = field.definition;
    const own = isNonNullType(type) ? copies : { least: 0, most: copies.most };
    const nullable = getNullableType(type);
    if (!isListType(nullable)) return own;
    const items = times(own, size);
    this.#values = plus(this.#values, items);
    const largest = this.#largest?.items ?? NONE;
    const isLarger =
      items.least > largest.least || (items.least === largest.least && items.most > largest.most);
    if (isLarger) this.#largest = { path, items };
    return isNonNullType(nullable.ofType) ? items : { least: 0, most: items.most };
  }
}

/** How many a field answers: as many as it is asked for, or nobody knows how many. */
function sizeOf({ type, args: declared }: Definition, args: Arguments): Count {
  if (declared.some(({ name }) => name === 'first')) {
    const asked = (args['first'] ?? args['last'] ?? DEFAULT_FIRST) as number; // declared as Int
    return { least: 0, most: checkCount('first', asked) };
  }
  return isListType(getNullableType(type)) ? UNKNOWN : ONE;
}
