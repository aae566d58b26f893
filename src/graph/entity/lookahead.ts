/**
 * Starting what can start now.
 *
 * When an object is asked for by its key, everything below it that needs no more than this key is
 * begun beside it instead of after it; and an object of which only the key is selected is not asked
 * for at all. Resolvers further down find their calls under way in the request's loaders.
 */
import type { FieldNode, GraphQLObjectType, GraphQLResolveInfo } from 'graphql';
import { argumentsOf } from '../../execution/arguments.ts';
import { collectFields, type OperationContext } from '../../execution/collect-fields.ts';
import { isNotFound } from '../../rest/client/errors.ts';
import type { Context } from '../context.ts';
import { demandOf, type ListDemand } from './demand.ts';
import type { Entity, KeyOf } from './entity.ts';
import { readList, startList } from '../connection/list.ts';
import { nothingToAbandon, type Abandon } from './loader.ts';
import { firstPage } from '../connection/page-request.ts';

type AnyKey = Readonly<Record<string, string>>;

/** Where in a query a value is wanted. */
interface Place {
  readonly context: Context;
  readonly document: OperationContext;
  /** What selects the value's fields. */
  readonly fieldNodes: readonly FieldNode[];
  /** The path of the field, for the journal. */
  readonly path: GraphQLResolveInfo['path'];
}

/** What was begun below an object. */
interface Ahead {
  /** Something selected is neither in the key nor begun from it. */
  readonly needsObject: boolean;
  /** Whether the parent exists, by a call that was begun anyway; undefined when none can tell. */
  readonly proof: (() => Promise<boolean>) | undefined;
  /** Gives up what was begun: the parent is missing. */
  readonly abandon: Abandon;
}

/**
 * The object a reference points to; null when there is none.
 *
 * Costs no call when only its key is selected: a reference is believed.
 */
export function followReference<T extends object, Name extends keyof T & string>(
  entity: Entity<T, Name>,
  key: KeyOf<Name>,
  context: Context,
  info: GraphQLResolveInfo,
): T | Promise<T | null> {
  const ahead = startBelow(entity, key, placeOf(context, info));
  return ahead.needsObject ? loadObject(entity, key, context, info, ahead) : entity.stub(key);
}

/**
 * The object a caller names; null when there is none.
 *
 * A caller's id is not believed: with only the key selected, a call below it that is made anyway
 * tells whether it exists, or else the object itself is asked for.
 */
export async function lookUp<T extends object, Name extends keyof T & string>(
  entity: Entity<T, Name>,
  key: KeyOf<Name>,
  context: Context,
  info: GraphQLResolveInfo,
): Promise<T | null> {
  const ahead = startBelow(entity, key, placeOf(context, info));
  if (ahead.needsObject || !ahead.proof) return loadObject(entity, key, context, info, ahead);
  if (await ahead.proof()) return entity.stub(key);
  ahead.abandon();
  return null;
}

/** An object that is already there: begins what its selection needs from its key. */
export function startFrom<T extends object, Name extends keyof T & string>(
  entity: Entity<T, Name>,
  object: T,
  context: Context,
  info: GraphQLResolveInfo,
): void {
  const key = entity.keyOf(object);
  if (key) startBelow(entity, key, placeOf(context, info));
}

function loadObject<T extends object, Name extends keyof T & string>(
  entity: Entity<T, Name>,
  key: KeyOf<Name>,
  context: Context,
  info: GraphQLResolveInfo,
  { abandon }: Ahead,
): Promise<T | null> {
  const loaded = entity.loader(context).load(key, info.path);
  // Most references have nothing below them, and there are many of them.
  if (abandon === nothingToAbandon) return loaded;
  return loaded.then(
    (object) => {
      if (!object) abandon();
      return object;
    },
    (error: unknown) => {
      abandon();
      throw error;
    },
  );
}

const placeOf = (context: Context, info: GraphQLResolveInfo): Place => ({
  context,
  document: info,
  fieldNodes: info.fieldNodes,
  path: info.path,
});

function startBelow(entity: Pick<Entity, 'name' | 'isKeyField'>, key: AnyKey, place: Place): Ahead {
  const { context, document } = place;
  if (!context.looksAhead) return NOTHING_BEGUN;
  // An entity's name is an object type's: it is made with an ObjectRef.
  const type = document.schema.getType(entity.name) as GraphQLObjectType;
  const begun: Abandon[] = [];
  let needsObject = false;
  let proof: Ahead['proof'];

  for (const selected of collectFields(document, type, place.fieldNodes)) {
    if (entity.isKeyField(selected.name)) continue;
    const field = type.getFields()[selected.name];
    const demand = field && demandOf(field, context.rest.routeSet);
    const args = demand?.from === 'key' ? argumentsOf(document, field!, selected) : undefined;
    if (!demand || demand.from === 'object' || !args) {
      needsObject = true;
      continue;
    }
    const below = {
      ...place,
      fieldNodes: selected.fieldNodes,
      path: pathTo(place, selected.key, type.name),
    };
    if (demand.kind === 'list') {
      const listProof = startPage(demand, key, args, below, begun);
      if (demand.proves) proof ??= listProof;
      continue;
    }
    const belowKey = demand.key(key, args);
    if (!belowKey) continue;
    if (demand.kind === 'load') {
      begun.push(demand.loader(context).start(belowKey, below.path));
    } else {
      const ahead = startBelow(demand.entity, belowKey, below);
      begun.push(ahead.abandon);
      if (ahead.needsObject) begun.push(demand.entity.loader(context).start(belowKey, below.path));
    }
  }
  if (begun.length === 0) return needsObject ? NOTHING_BEGUN : NOTHING_NEEDED;
  return { needsObject, proof, abandon: abandonAll(begun) };
}

const NOTHING_BEGUN: Ahead = { needsObject: true, proof: undefined, abandon: nothingToAbandon };
const NOTHING_NEEDED: Ahead = { ...NOTHING_BEGUN, needsObject: false };

const abandonAll =
  (begun: readonly Abandon[]): Abandon =>
  () =>
    begun.forEach((abandon) => abandon());

/** Begins a list's page; answers how to learn from it whether the parent exists. */
function startPage(
  demand: ListDemand,
  key: AnyKey,
  args: Readonly<Record<string, unknown>>,
  { context, path }: Place,
  begun: Abandon[],
): Ahead['proof'] {
  const list = demand.list(key, args, context);
  const page = firstPage(context, list, args);
  if (!page) return undefined; // its resolver will say what is wrong
  begun.push(startList(context, list, page, path));
  return () =>
    readList(context, list, page, { origin: path }).then(
      () => true,
      (error: unknown) => !isNotFound(error),
    );
}

const pathTo = (place: Place, key: string, typename: string): Place['path'] => ({
  prev: place.path,
  key,
  typename,
});
