/** The fields of the contract: each is described once, and bodies derive from their resources. */
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

/** The fields of the list envelope, which are not described one by one. */
const ENVELOPE = /\.(?:items|hasMore|nextCursor|totalCount)$/;

const fields = Object.entries<Route>(routes).flatMap(([name, { response, body }]) => [
  ...fieldsOf(response, name),
  ...fieldsOf(body, `${name} body`),
]);

describe('a field of the contract', () => {
  it('has a description in responses and in bodies', () => {
    const undescribed = fields.filter(
      ([path, { description }]) => !description && !ENVELOPE.test(path),
    );

    expect(fields.length).toBeGreaterThan(300);
    expect(undescribed.map(([path]) => path)).toEqual([]);
  });

  it('has the same description in the OpenAPI document of the embedded backend', async () => {
    const { call } = await openTestBackend();
    const { body } = await call('/v0/openapi.json', { key: null });

    const { Page, CreatePageBody, ActionBody } = body.components.schemas;
    expect(Page.properties.brandId.description).toBe('ID of the brand of the page.');
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

  it('accepts the fields of the resource, and may lack those that are nullish there', () => {
    const whole = { id: 'a', name: 'b', parts: [{ size: 1 }, {}] };

    expect(Body.parse(whole)).toEqual(whole);
    expect(Body.parse({ id: 'a' })).toEqual({ id: 'a' });
    expect(Body.safeParse({ name: 'b' }).success).toBe(false);
  });

  it.each([
    ['null', { id: 'a', name: null }],
    ['null in a list', { id: 'a', parts: [{ size: null }] }],
    ['an omitted field', { id: 'a', made: 'now' }],
    ['an unknown field', { id: 'a', other: 1 }],
    ['an unknown field in a list', { id: 'a', parts: [{ other: 1 }] }],
  ])('rejects %s', (_what, body) => {
    expect(Body.safeParse(body).success).toBe(false);
  });

  it('keeps the descriptions', () => {
    expect(Body.shape.name.description).toBe('Its name.');
  });
});
