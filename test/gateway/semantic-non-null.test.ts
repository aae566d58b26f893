/**
 * `@semanticNonNull`: each field that carries it is null only with an error at its path.
 *
 * Every such field is queried by the shortest path in the schema, over backends that respond as promised, malformed,
 * empty, or with a failure.
 */
import {
  getNamedType,
  getNullableType,
  isListType,
  isNonNullType,
  isObjectType,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { findEntity } from '../../src/graph/entity/entity.ts';
import { formatNodeId } from '../../src/graph/types/node-id.ts';
import { semanticLevelsOf } from '../../src/graph/entity/requirement.ts';
import { schema } from '../../src/app/schema.ts';
import { ok, status, type Behaviour } from '../support/faults.ts';
import { routeOf, sampleOf, world } from '../support/world.ts';
import { openGateway } from '../support/open-gateway.ts';

type Field = GraphQLField<unknown, unknown>;

interface Annotated {
  readonly name: string;
  readonly field: Field;
  /** The fields that lead to it, from the root. */
  readonly fieldPath: readonly Field[];
  readonly levels: readonly number[];
  readonly operation: 'query' | 'mutation';
}

/** The shortest path of fields from `Query` to each object type. */
function shortestPaths(): ReadonlyMap<GraphQLObjectType, readonly Field[]> {
  const found = new Map<GraphQLObjectType, readonly Field[]>([[schema.getQueryType()!, []]]);
  for (const [type, fieldPath] of found) {
    for (const field of Object.values(type.getFields())) {
      const below = getNamedType(field.type);
      if (isObjectType(below) && !found.has(below)) found.set(below, [...fieldPath, field]);
    }
  }
  return found;
}

const pathTo = shortestPaths();

const annotated: readonly Annotated[] = Object.values(schema.getTypeMap()).flatMap((type) => {
  if (!isObjectType(type)) return [];
  const isMutation = type === schema.getMutationType();
  return Object.values(type.getFields()).flatMap((field): Annotated[] => {
    const levels = semanticLevelsOf(field);
    const fieldPath = isMutation ? [] : pathTo.get(type);
    if (!levels || !fieldPath) return [];
    const operation = isMutation ? 'mutation' : 'query';
    return [{ name: `${type.name}.${field.name}`, field, fieldPath, levels, operation }];
  });
});

/** An input value that is not rejected before the backend is called. */
function valueOf(type: GraphQLInputType, name: string, mutation: string): unknown {
  const nullable: GraphQLInputType = getNullableType(type);
  if (isListType(nullable)) return [valueOf(nullable.ofType, name, mutation)];
  if ('getFields' in nullable) {
    const fields = Object.values(nullable.getFields()).filter((one) => isNonNullType(one.type));
    const entries = fields.map((one) => [one.name, valueOf(one.type, one.name, mutation)]);
    return Object.fromEntries(entries) as object;
  }
  if ('getValues' in nullable) return nullable.getValues()[0]!.name;
  if (String(nullable) === 'ID') {
    if (name !== 'id') return 'p';
    // `updateTopic` changes a Topic.
    const entity = findEntity(mutation.replace(/^[a-z]+/, ''))!;
    return formatNodeId(
      entity.name,
      entity.key.map((part) => part.charAt(0)),
    );
  }
  return String(nullable) === 'Boolean' ? true : String(nullable) === 'String' ? 'text' : 1;
}

function sourceOf({ field, fieldPath, operation }: Annotated): {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
} {
  const variables: Record<string, unknown> = {};
  const declared: string[] = [];
  const written = [...fieldPath, field].map((one) => {
    // A lookup takes the global id of its object, or all raw ids.
    const isLookup = one.args.some(({ name, type }) => name === 'id' && !isNonNullType(type));
    const given = one.args
      .filter(({ name, type }) => (isLookup ? name !== 'id' : isNonNullType(type)))
      .map(({ name, type }) => {
        const variable = `v${declared.length}`;
        declared.push(`$${variable}: ${String(type)}`);
        variables[variable] = valueOf(type, name, field.name);
        return `${name}: $${variable}`;
      });
    return given.length > 0 ? `${one.name}(${given.join(', ')})` : one.name;
  });
  const last = isObjectType(getNamedType(field.type)) ? ' { __typename }' : '';
  const body = written.reduceRight((inner, one) => `${one}${inner && ` { ${inner} }`}`, '');
  const head = declared.length > 0 ? `(${declared.join(', ')})` : '';
  const end = body.lastIndexOf(written.at(-1)!) + written.at(-1)!.length;
  const whole = body.slice(0, end) + last + body.slice(end);
  return { query: `${operation}${head} { ${whole} }`, variables };
}

/** The paths of a field in a response, and whether each is null. */
function* pathsOf(
  { fieldPath, field, levels }: Annotated,
  data: any,
): Generator<{ readonly path: readonly (string | number)[]; readonly isNull: boolean }> {
  function* walk(value: any, fields: readonly Field[], path: readonly (string | number)[]): any {
    if (value == null) return;
    if (Array.isArray(value)) {
      for (const [i, item] of value.entries()) yield* walk(item, fields, [...path, i]);
      return;
    }
    const [next, ...rest] = fields;
    const below = value[next!.name];
    const here = [...path, next!.name];
    if (rest.length > 0) yield* walk(below, rest, here);
    else if (levels.includes(1)) {
      for (const [i, item] of (below ?? []).entries()) {
        yield { path: [...here, i], isNull: item === null };
      }
    } else yield { path: here, isNull: below === null };
  }
  yield* walk(data, [...fieldPath, field], []);
}

/** Responds with malformed list items and unknown enum values. */
const spoilt: Behaviour = (response, seen, socket) => {
  const found = routeOf(seen);
  const spoil = (value: any, name: string): any => {
    if (Array.isArray(value)) return [...value.map((item) => spoil(item, name)), null, {}, 7];
    if (typeof value === 'object' && value !== null) {
      const entries = Object.entries(value).map(([key, inner]) => [key, spoil(inner, key)]);
      return Object.fromEntries(entries) as object;
    }
    return /^(status|pageType)$/.test(name) ? 'unheard of' : value;
  };
  const answer = found ? ok(spoil(sampleOf(found.route, found.values), '')) : status(404);
  return answer(response, seen, socket);
};

/** Responds with ids alone. */
const bare: Behaviour = (response, seen, socket) => {
  const found = routeOf(seen);
  const object: object = found ? sampleOf(found.route, found.values) : {};
  const ids = Object.entries(object).filter(([name]) => name.endsWith('Id'));
  return ok(Object.fromEntries(ids))(response, seen, socket);
};

const BACKENDS: Readonly<Record<string, Behaviour>> = {
  sound: world(),
  spoilt,
  empty: ok({}),
  bare,
  nothing: ok(null),
  missing: status(404),
  refusing: status(403),
  broken: status(500),
};

interface Asked {
  readonly backend: string;
  readonly body: any;
}

/** The responses of one gateway over each backend; failures come last, since they open its circuit breakers. */
async function answersTo(one: Annotated): Promise<readonly Asked[]> {
  const { upstream, post } = await openGateway({ backend: 'faulty' });
  const ask = (body: object) => post(body, { 'x-api-key': 'key' });
  const request = sourceOf(one);
  await ask(request);
  const asked = new Set(
    upstream.seen.map(({ method, target }) => `${method} ${target.split('?')[0]!}`),
  );
  const answers: Asked[] = [];
  for (const [backend, behaviour] of Object.entries(BACKENDS)) {
    // Let each call alone misbehave, then all of them.
    for (const route of asked.size > 1 ? [...asked, '*'] : asked) {
      for (const other of asked) upstream.on(other, route === '*' ? behaviour : world());
      upstream.on(route, behaviour);
      for (const onError of ['PROPAGATE', 'NULL']) {
        const { body } = await ask({ ...request, onError });
        answers.push({ backend: `${backend} at ${route}`, body });
      }
    }
    upstream.on('*', world());
  }
  return answers;
}

describe('a field with @semanticNonNull', () => {
  it('occurs more than thirty times in the schema', () => {
    expect(annotated.length).toBeGreaterThan(30);
  });

  it.each(annotated)('$name is null only with an error at its path', async (one) => {
    let nulls = 0;
    let values = 0;
    for (const { backend, body } of await answersTo(one)) {
      const { data, errors = [] } = body;
      const codes = errors.map((error: any) => error.extensions.code);
      expect(codes).not.toContain('GRAPHQL_VALIDATION_FAILED');
      for (const { path, isNull } of pathsOf(one, data)) {
        values += isNull ? 0 : 1;
        if (!isNull) continue;
        nulls += 1;
        const isTold = errors.some(({ path: at = [] }: any) =>
          path.every((key, i) => at[i] === key),
        );
        expect(isTold, `${backend}: ${path.join('.')} is null without an error`).toBe(true);
      }
    }
    expect(values, 'paths with a value').toBeGreaterThan(0);
    expect(nulls, 'paths that are null').toBeGreaterThan(0);
  });
});
