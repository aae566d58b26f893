/**
 * `GET /v0/openapi.json`: the served routes as an OpenAPI 3.1 document, by zod's own JSON Schema.
 *
 * Generated from the schemas that validate requests and type responses, so it cannot differ from the service.
 */
import { z } from 'zod';
import { ErrorBody } from '../../v0/error.ts';
import { parametersOf, servedRoutes, successOf } from '../../v0/routes.ts';
import type { Route, RouteName, RouteSet } from '../../v0/routes.ts';
import * as account from '../../v0/schemas/account.ts';
import * as audience from '../../v0/schemas/audience.ts';
import * as log from '../../v0/schemas/log.ts';
import * as page from '../../v0/schemas/page.ts';
import * as pageLink from '../../v0/schemas/page-link.ts';
import * as pageMetadata from '../../v0/schemas/page-metadata.ts';
import * as person from '../../v0/schemas/person.ts';
import * as topic from '../../v0/schemas/topic.ts';
import { CODES } from '../errors/problem.ts';

/** The contract's exports: its schemas have their names in the document. */
const CONTRACT: Record<string, unknown> = {
  ErrorBody,
  ...account,
  ...audience,
  ...log,
  ...page,
  ...pageLink,
  ...pageMetadata,
  ...person,
  ...topic,
};
for (const [id, schema] of Object.entries(CONTRACT)) {
  if (schema instanceof z.ZodType) z.globalRegistry.add(schema, { id });
}

type Json = Record<string, unknown>;

export function openApiDocument(routeSet: RouteSet): Json {
  const paths: Record<string, Json> = {};
  const schemas: Json = {};
  for (const [name, route] of servedRoutes(routeSet)) {
    (paths[route.path] ??= {})[route.method.toLowerCase()] = operation(name, route);
  }
  const apiKey = { type: 'apiKey', in: 'header', name: 'x-api-key' };
  return {
    openapi: '3.1.0',
    info: { title: 'Content Pages', version: 'v0' },
    security: [{ apiKey: [] }],
    paths,
    components: { securitySchemes: { apiKey }, schemas },
  };

  function operation(name: RouteName, { method, path, query, body, response }: Route): Json {
    // Output type of a parameter: `limit` is a number.
    const properties = (query ? schemaOf(query)['properties'] : {}) as Json;
    const others = [405, ...(method === 'GET' ? [409] : []), ...(body ? [] : [413, 415, 422])];
    const errors = Object.entries(CODES).filter(([status]) => !others.includes(Number(status)));
    return {
      operationId: name,
      tags: [path.split('/')[2]],
      parameters: [
        ...parametersOf(path).map((one) => parameter('path', one, { type: 'string' })),
        ...Object.entries(properties).map(([one, schema]) => parameter('query', one, schema)),
      ],
      ...(body && { requestBody: { required: true, content: json(body, 'input') } }),
      responses: {
        [successOf(name)]: { description: 'done', content: json(response) },
        ...Object.fromEntries(
          errors.map(([status, code]) => [
            status,
            { description: code.replaceAll('_', ' '), content: json(ErrorBody) },
          ]),
        ),
      },
    };
  }

  function json(schema: z.ZodType, io: 'input' | 'output' = 'output'): Json {
    return { 'application/json': { schema: schemaOf(schema, io) } };
  }

  /** Returns a schema with references to named ones. */
  function schemaOf(schema: z.ZodType, io: 'input' | 'output' = 'output'): Json {
    const text = JSON.stringify(z.toJSONSchema(schema, { io }));
    const { $schema, $defs, ...bare } = JSON.parse(
      text.replaceAll('#/$defs/', '#/components/schemas/'),
    ) as Json;
    Object.assign(schemas, $defs);
    return bare;
  }
}

const parameter = (where: 'path' | 'query', name: string, schema: unknown): Json => ({
  name,
  in: where,
  required: where === 'path',
  schema,
});
