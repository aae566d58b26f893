/**
 * `GET /v0/openapi.json`: the served routes as an OpenAPI 3.1 document, made from the contract.
 *
 * The schemas that check requests and type answers are the ones that are printed, so the
 * description cannot say what the service does not do.
 */
import { z } from 'zod';
import { Account, AccountWithPersons } from '../../v0/schemas/account.ts';
import { Audience, AudienceVersion } from '../../v0/schemas/audience.ts';
import { ErrorBody } from '../../v0/error.ts';
import { AccountLog, ActivityItem, PersonLog } from '../../v0/schemas/log.ts';
import { PageLink } from '../../v0/schemas/page-link.ts';
import { Page, PageSearchHit } from '../../v0/schemas/page.ts';
import { PageMetadata } from '../../v0/schemas/page-metadata.ts';
import { Person } from '../../v0/schemas/person.ts';
import { parametersOf, servedRoutes, successOf } from '../../v0/routes.ts';
import type { Route, RouteName, RouteSet } from '../../v0/routes.ts';
import { Topic, TopicEntry } from '../../v0/schemas/topic.ts';

/** What is named in the document; everything else is written where it is used. */
const NAMED = {
  Account,
  AccountWithPersons,
  AccountLog,
  ActivityItem,
  Audience,
  AudienceVersion,
  ErrorBody,
  Page,
  PageLink,
  PageMetadata,
  PageSearchHit,
  Person,
  PersonLog,
  Topic,
  TopicEntry,
};

const ERRORS = {
  400: 'The query or the JSON cannot be read.',
  401: 'The key is missing or not known.',
  404: 'There is no such object.',
  409: 'The state of the object forbids it.',
  413: 'The body is too large.',
  415: 'The body is not JSON.',
  422: 'The body is not valid.',
  500: 'Something went wrong in the service.',
} as const;

type Json = Record<string, unknown>;

export function openApiDocument(routeSet: RouteSet): Json {
  const paths: Record<string, Json> = {};
  for (const [name, route] of servedRoutes(routeSet)) {
    (paths[route.path] ??= {})[route.method.toLowerCase()] = operation(name, route);
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Content Pages', version: 'v0' },
    security: [{ apiKey: [] }],
    paths,
    components: {
      securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' } },
      schemas: namedSchemas(),
    },
  };
}

function operation(name: RouteName, route: Route): Json {
  const success = successOf(name);
  return {
    operationId: name,
    tags: [route.path.split('/')[2]],
    parameters: [...pathParameters(route.path), ...queryParameters(route.query)],
    ...(route.body && {
      requestBody: { required: true, content: json(schemaOf(route.body, 'input')) },
    }),
    responses: {
      [success]: { description: 'Done.', content: json(schemaOf(route.response, 'output')) },
      ...errorResponses(route),
    },
  };
}

const pathParameters = (path: string): Json[] =>
  parametersOf(path).map((name) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));

const queryParameters = (query: z.ZodObject | undefined): Json[] =>
  Object.entries(query?.shape ?? {}).map(([name, schema]) => ({
    name,
    in: 'query',
    required: false,
    // What is read is checked as the outcome: the limit is a number once it is read.
    schema: schemaOf(z.object({ it: schema as z.ZodType }), 'output', 'it'),
  }));

function errorResponses(route: Route): Json {
  const statuses = [400, 401, 404, ...(route.body ? [413, 415, 422] : []), 500] as const;
  const all = route.method === 'GET' ? statuses : ([...statuses, 409] as const);
  return Object.fromEntries(
    [...all]
      .sort((a, b) => a - b)
      .map((status) => [
        status,
        {
          description: ERRORS[status as keyof typeof ERRORS],
          content: json({ $ref: '#/components/schemas/ErrorBody' }),
        },
      ]),
  );
}

const json = (schema: unknown): Json => ({ 'application/json': { schema } });

/** A schema, with references where it holds a named one. */
function schemaOf(schema: z.ZodType, io: 'input' | 'output', property?: string): unknown {
  const registry = namedRegistry();
  const name = registry.get(schema)?.id;
  if (name !== undefined) return { $ref: reference(name) };
  registry.add(schema, { id: 'here' });
  const { here } = z.toJSONSchema(registry, { io, uri: reference }).schemas;
  const bare = withoutIds(here ?? {});
  return property === undefined ? bare : (bare['properties'] as Json | undefined)?.[property];
}

function namedSchemas(): Json {
  const { schemas } = z.toJSONSchema(namedRegistry(), { io: 'output', uri: reference });
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, withoutIds(schema)]),
  );
}

function namedRegistry() {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(NAMED)) registry.add(schema, { id });
  return registry;
}

const reference = (id: string): string => `#/components/schemas/${id}`;

/** The document says once which dialect it is in, and a place in it needs no address. */
function withoutIds(schema: object): Json {
  const { $schema: _dialect, $id: _address, ...rest } = schema as Json;
  return rest;
}
