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
for (const [id, schema] of Object.entries<z.ZodType>(NAMED)) z.globalRegistry.add(schema, { id });

const ERRORS = {
  400: 'The query or the JSON cannot be read.',
  401: 'The key is missing or not known.',
  404: 'There is no such object.',
  409: 'The state of the object forbids it.',
  413: 'The body is too large.',
  415: 'The body is not JSON.',
  422: 'The body is not valid.',
  500: 'Something went wrong in the service.',
};

type Json = Record<string, unknown>;

export function openApiDocument(routeSet: RouteSet): Json {
  const paths: Record<string, Json> = {};
  const schemas: Json = {};
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
      schemas,
    },
  };

  function operation(name: RouteName, route: Route): Json {
    return {
      operationId: name,
      tags: [route.path.split('/')[2]],
      parameters: [...pathParameters(route.path), ...queryParameters(route.query)],
      ...(route.body && {
        requestBody: { required: true, content: json(route.body, 'input') },
      }),
      responses: {
        [successOf(name)]: { description: 'Done.', content: json(route.response) },
        ...errorResponses(route),
      },
    };
  }

  // What is read is checked as the outcome: the limit is a number once it is read.
  function queryParameters(query: z.ZodObject | undefined): Json[] {
    const { properties = {} } = query ? schemaOf(query) : {};
    return Object.entries(properties as Json).map(([name, schema]) => ({
      name,
      in: 'query',
      required: false,
      schema,
    }));
  }

  function errorResponses({ method, body }: Route): Json {
    const others = [...(method === 'GET' ? ['409'] : []), ...(body ? [] : ['413', '415', '422'])];
    return Object.fromEntries(
      Object.entries(ERRORS)
        .filter(([status]) => !others.includes(status))
        .map(([status, description]) => [status, { description, content: json(ErrorBody) }]),
    );
  }

  function json(schema: z.ZodType, io: 'input' | 'output' = 'output'): Json {
    return { 'application/json': { schema: schemaOf(schema, io) } };
  }

  /** A schema, with references where it holds a named one. */
  function schemaOf(schema: z.ZodType, io: 'input' | 'output' = 'output'): Json {
    const text = JSON.stringify(z.toJSONSchema(schema, { io }));
    const {
      $schema: _dialect,
      $defs,
      ...bare
    } = JSON.parse(text.replaceAll('#/$defs/', '#/components/schemas/')) as Json;
    Object.assign(schemas, $defs);
    return bare;
  }
}

const pathParameters = (path: string): Json[] =>
  parametersOf(path).map((name) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
