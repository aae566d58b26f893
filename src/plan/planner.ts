/**
 * What a field will cost, with all that is selected below it.
 *
 * Walks as look-ahead and the resolvers will, by the same declarations, over objects nobody has seen.
 */
import { getNamedType, type FieldNode, type GraphQLObjectType } from 'graphql';
import { argumentsOf } from '../execution/arguments.ts';
import {
  collectFields,
  type OperationContext,
  type CollectedField,
} from '../execution/collect-fields.ts';
import type { Context } from '../graph/context.ts';
import { demandOf, type Demand, type ListDemand, type LoadDemand } from '../graph/entity/demand.ts';
import { findEntity, type Entity } from '../graph/entity/entity.ts';
import { pagesOf, readPageRequest } from '../graph/connection/page-request.ts';
import { completeKey, identityOf, sharedKey, spaceOf, symbolic, type Key } from './plan-symbol.ts';
import { Tally, type Count } from './plan-tally.ts';
import { itemSelections, sizeOf, type Parent, type Visit } from './plan-visit.ts';

const MAYBE: Count = { least: 0, most: 1 };

export class Planner {
  readonly tally = new Tally();
  readonly #document: OperationContext;
  readonly #context: Context;

  constructor(document: OperationContext, context: Context) {
    this.#document = document;
    this.#context = context;
  }

  /** Counts a field and all below it; answers the round after which its own call has ended. */
  field(parent: Parent, selected: CollectedField): number {
    const field = parent.type.getFields()[selected.name];
    const args = field && argumentsOf(this.#document, field, selected);
    if (!args) return parent.visibleAt; // __typename, or arguments that execution will refuse
    const demand = demandOf(field, this.#context.rest.routeSet);
    const fromKey = demand?.from === 'key' || parent.path === '';
    const visit: Visit = {
      parent,
      field,
      args,
      fieldNodes: selected.fieldNodes,
      path: parent.path ? `${parent.path}.${selected.key}` : selected.key,
      at: fromKey ? parent.keyAt : parent.visibleAt,
      // What needs the object itself happens only if there is one.
      count: fromKey ? parent.count : { ...parent.count, least: 0 },
    };
    try {
      return demand ? this.#demand(demand, visit) : this.#included(visit);
    } catch {
      return visit.at; // refused arguments: execution makes no call either
    }
  }

  #object(parent: Parent, fieldNodes: readonly FieldNode[]): void {
    for (const selected of collectFields(this.#document, parent.type, fieldNodes)) {
      this.field(parent, selected);
    }
  }

  #demand(demand: Demand, visit: Visit): number {
    const { parent, args, path, at, count } = visit;
    switch (demand.kind) {
      case 'nodes': {
        const ends = demand.wanted(args).map(({ entity, key }) => this.#entity(entity, key, visit));
        return Math.max(at, ...ends);
      }
      case 'object': {
        const key = demand.key(parent.value, args);
        return key ? this.#entity(demand.entity, key, visit) : at;
      }
      case 'list':
        return this.#list(demand, visit);
      case 'load':
        return this.#load(demand, visit);
      case 'write': {
        demand.check(args);
        const end = this.tally.call(demand.route, path, `write ${path} ${at}`, at, count);
        this.#included({ ...visit, parent: { ...parent, visibleAt: end }, count: MAYBE });
        return end;
      }
    }
  }

  /** An object by its key, as `followReference` and `lookUp` will read it. */
  #entity(entity: Entity, key: Key, { parent, fieldNodes, path, at, count }: Visit): number {
    const type = this.#document.schema.getType(entity.name) as GraphQLObjectType;
    const complete = completeKey(this.tally, entity, key, path, count.most);
    const id = identityOf(entity, complete);
    const value = symbolic(this.tally, complete, id, count.most);
    const below: Parent = { type, value, keyAt: at, visibleAt: parent.visibleAt, count, path };

    const beyondKey = collectFields(this.#document, type, fieldNodes).filter(
      ({ name }) => !entity.isKeyField(name),
    );
    const demandFor = ({ name }: CollectedField): Demand | undefined => {
      const field = type.getFields()[name];
      return field && demandOf(field, this.#context.rest.routeSet);
    };
    const proof = beyondKey.find((selected) => {
      const demand = demandFor(selected);
      return demand?.kind === 'list' && demand.proves;
    });
    const isLookup = parent.path === '';
    let end = at;
    if (beyondKey.some((selected) => demandFor(selected)?.from !== 'key') || (isLookup && !proof)) {
      const call = this.tally.isPrimed(id, at) ? id : (entity.callIdentity?.(complete) ?? id);
      end = this.tally.call(entity.route, path, call, at, count);
      this.#known(entity, complete, value, end);
    } else if (isLookup) {
      end = this.field(below, proof!);
    }
    const visibleAt = Math.max(parent.visibleAt, end);
    this.#object({ ...below, visibleAt }, fieldNodes);
    return visibleAt;
  }

  #list(demand: ListDemand, visit: Visit): number {
    const { parent, args, path, at, count } = visit;
    const list = demand.list(parent.value, args, this.#context);
    const request = readPageRequest(this.#context, list, args);
    const id = `${list.id} ${request.from ?? ''}`;
    const route = demand.routeFor?.(args) ?? demand.route;
    const pages = { count: pagesOf(request), open: demand.walks === true };
    const end = route ? this.tally.pages(route, path, id, at, count, pages) : at;
    const { items } = demand;
    const known = {
      ...(items && demand.proves && sharedKey(items, parent.value)),
      ...demand.carries?.(parent.value, args),
    };
    this.#items(visit, items, known, id, end, request.first, demand.references);
    return end;
  }

  #load(demand: LoadDemand, visit: Visit): number {
    const { parent, args, path, at, count } = visit;
    const key = demand.key(parent.value, args);
    if (!key) return at;
    const id = demand.identity?.(key) ?? demand.route.path + JSON.stringify(key);
    const pages = { count: 1, open: demand.walks === true };
    const end = this.tally.pages(demand.route, path, id, at, count, pages);
    const known = demand.carries?.(parent.value, args) ?? {};
    this.#items(visit, demand.items, known, id, end, sizeOf(visit), demand.references);
    return end;
  }

  /** What came with its parent: nothing to call, but something below it may. */
  #included(visit: Visit): number {
    const { parent, field } = visit;
    const type = getNamedType(field.type);
    const entity = findEntity(type.name) ?? findEntity(type.name.replace(/Connection$/, ''));
    const known = entity ? sharedKey(entity, parent.value) : {};
    const space = `${spaceOf(parent.value)}.${field.name}`;
    this.#items(visit, entity, known, space, parent.visibleAt, sizeOf(visit));
    return parent.visibleAt;
  }

  /** The objects a field brought after round `end`, and what is selected of them. */
  #items(
    { parent, field, fieldNodes, path, count }: Visit,
    entity: Entity | undefined,
    known: object,
    space: string,
    end: number,
    size: number,
    areReferences = false,
  ): void {
    const most = count.most * size;
    const unkeyed = symbolic(this.tally, known, space, most);
    const key = entity ? completeKey(this.tally, entity, unkeyed as Key, space, most) : {};
    const value = symbolic(this.tally, { ...known, ...key }, space, most);
    const visibleAt = Math.max(parent.visibleAt, end);
    const item = { value, keyAt: end, visibleAt, count: { least: 0, most }, path };
    if (entity && !areReferences) this.#known(entity, key, value, end);
    for (const [type, selection] of itemSelections(this.#document, field, fieldNodes)) {
      if (entity && areReferences) {
        const visit = { parent: { ...item, type }, field, args: {}, fieldNodes: selection, path };
        this.#entity(entity, key, { ...visit, at: end, count: item.count });
      } else {
        this.#object({ ...item, type }, selection);
      }
    }
  }

  /** An object that is there: whoever asks for it again gets it for nothing. */
  #known(entity: Entity, key: Key, value: object, ready: number): void {
    this.tally.prime(identityOf(entity, key), ready);
    entity.alsoKnownAs?.(value).forEach((name) => this.tally.prime(name, ready));
  }
}
