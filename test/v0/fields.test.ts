/** The fields of the contract: each is described once, and bodies have the shape of what they are made of. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { bodyOf } from '../../src/v0/schemas/body.ts';
import { routes, type Route } from '../../src/v0/routes.ts';
import { openTestBackend } from '../backend/support.ts';

/** Every field of an object of a schema, by its path. */
function fieldsOf(schema: unknown, path: string): (readonly [path: string, field: z.ZodType])[] {
  if (schema instanceof z.ZodObject) {
    return Object.entries<z.ZodType>(schema.shape).flatMap(([name, field]) => [
      [`${path}.${name}`, field] as const,
      ...fieldsOf(field, `${path}.${name}`),
    ]);
  }
  if (schema instanceof z.ZodArray) return fieldsOf(schema.element, path);
  const isWrapped =
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault;
  return isWrapped ? fieldsOf(schema.unwrap(), path) : [];
}

/** The envelope of lists is described by its own document. */
const ENVELOPE = /\.(?:items|hasMore|nextCursor|totalCount)$/;

const fields = Object.entries<Route>(routes).flatMap(([name, { response, body }]) => [
  ...fieldsOf(response, name),
  ...fieldsOf(body, `${name} body`),
]);

describe('a field of the contract', () => {
  it('is described, whether it is answered or sent', () => {
    const silent = fields.filter(([path, { description }]) => !description && !ENVELOPE.test(path));

    expect(fields.length).toBeGreaterThan(300);
    expect(silent.map(([path]) => path)).toEqual([]);
  });

  it('is described by the embedded backend in the same words', async () => {
    const { call } = await openTestBackend();
    const { body } = await call('/v0/openapi.json', { key: null });

    const { Page, CreatePageBody, ActionBody } = body.components.schemas;
    expect(Page.properties.brandId.description).toBe('Id of the brand of the page.');
    expect(CreatePageBody.properties.name.description).toBe('Internal name. Must not be empty.');
    expect(ActionBody.properties.url.description).toBe('URL that the action opens.');
    const { schema } = body.paths['/v0/pages'].post.requestBody.content['application/json'];
    expect(schema.$ref).toBe('#/components/schemas/CreatePageBody');
  });
});

describe('the body of a resource', () => {
  const Resource = z.object({
    id: z.string(),
    name: z.string().nullish().describe('Its name.'),
    parts: z.array(z.object({ size: z.number().nullable() })).nullish(),
    made: z.string(),
  });
  const Body = bodyOf(Resource, 'made');

  it('takes what the resource has, and what may be absent there may be left out', () => {
    const whole = { id: 'a', name: 'b', parts: [{ size: 1 }, {}] };

    expect(Body.parse(whole)).toEqual(whole);
    expect(Body.parse({ id: 'a' })).toEqual({ id: 'a' });
    expect(Body.safeParse({ name: 'b' }).success).toBe(false);
  });

  it.each([
    ['null', { id: 'a', name: null }],
    ['null in a list', { id: 'a', parts: [{ size: null }] }],
    ['what it omits', { id: 'a', made: 'now' }],
    ['what the resource does not have', { id: 'a', other: 1 }],
    ['that in a list', { id: 'a', parts: [{ other: 1 }] }],
  ])('does not take %s', (_what, body) => {
    expect(Body.safeParse(body).success).toBe(false);
  });

  it('keeps the words', () => {
    expect(Body.shape.name.description).toBe('Its name.');
  });
});
