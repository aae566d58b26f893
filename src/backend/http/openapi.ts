/**
 * `GET /v0/openapi.json`: the served routes as an OpenAPI 3.1 document, by zod's own JSON Schema.
 *
 * Generated from the schemas that validate requests and type responses, so it cannot differ from the service. Responses
 * may have further fields; the examples are of the sample data, so that mock servers return what the gateway accepts.
 */
import { z } from 'zod';
import { ErrorBody } from '../../v0/error.ts';
import {
  parametersOf,
  servedRoutes,
  successOf,
  type Route,
  type RouteName,
  type RouteSet,
} from '../../v0/routes.ts';
import * as account from '../../v0/schemas/account.ts';
import * as audience from '../../v0/schemas/audience.ts';
import * as log from '../../v0/schemas/log.ts';
import * as page from '../../v0/schemas/page.ts';
import * as pageLink from '../../v0/schemas/page-link.ts';
import * as pageMetadata from '../../v0/schemas/page-metadata.ts';
import * as person from '../../v0/schemas/person.ts';
import * as topic from '../../v0/schemas/topic.ts';
import { CODES } from '../errors.ts';
import type { TimestampForm } from './handler.ts';
import examples from './openapi-examples.json' with { type: 'json' };

/** The contract's exports: its schemas have their names in the document. */
const CONTRACT = [account, audience, log, page, pageLink, pageMetadata, person, topic];
for (const [id, schema] of CONTRACT.flatMap(Object.entries<unknown>)) {
  if (schema instanceof z.ZodType) z.globalRegistry.add(schema, { id });
}
z.globalRegistry.add(ErrorBody, { id: 'ErrorBody' });

type Json = Record<string, unknown>;

interface OpenApiOptions {
  readonly routes: RouteSet;
  readonly timestamps: TimestampForm;
}

/** Returns the document without `servers`, which depend on the request. */
export function openApiDocument({ routes, timestamps }: OpenApiOptions): Json {
  const paths: Record<string, Json> = {};
  const operations = new Operations(timestamps);
  const served = servedRoutes(routes);
  for (const [name, route] of served) {
    (paths[route.path] ??= {})[route.method.toLowerCase()] = operations.describe(name, route);
  }
  const apiKey = { type: 'apiKey', in: 'header', name: 'x-api-key' };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Content Pages',
      version: 'v0',
      description: 'Pages, audiences, topics, page links, accounts and persons.',
      contact: { name: 'Content Pages Gateway' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    security: [{ apiKey: [] }],
    tags: [...new Set(served.map(([, route]) => tagOf(route)))]
      .sort()
      .map((name) => ({ name, description: `Routes under \`/v0/${name}\`.` })),
    paths,
    components: { securitySchemes: { apiKey }, schemas: operations.schemas },
  };
}

/** Operations, and the schemas to which they refer. */
class Operations {
  readonly schemas: Json = {};
  readonly #timestamps: TimestampForm;

  constructor(timestamps: TimestampForm) {
    this.#timestamps = timestamps;
  }

  describe(name: RouteName, route: Route): Json {
    const { method, path, query, body, response } = route;
    // Output type of a parameter: `limit` is a number.
    const properties = (query ? this.#schemaOf(query)['properties'] : {}) as Json;
    const others = [405, ...(method === 'GET' ? [409] : []), ...(body ? [] : [413, 415, 422])];
    const errors = Object.entries(CODES).filter(([status]) => !others.includes(Number(status)));
    const summary = summaryOf(name);
    return {
      operationId: name,
      summary,
      description: `${summary}. ${resultOf(method, properties)}`,
      tags: [tagOf(route)],
      parameters: [
        ...parametersOf(path).map((one) => {
          const example =
            EXAMPLES[one.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())];
          return { name: one, in: 'path', required: true, schema: { type: 'string' }, example };
        }),
        ...Object.entries(properties).map(([one, schema]) => ({ name: one, in: 'query', schema })),
      ],
      ...(body && { requestBody: { required: true, content: this.#json(body, 'input') } }),
      responses: {
        [successOf(name)]: { description: 'Success', content: this.#json(response) },
        ...Object.fromEntries(
          errors.map(([status, code]) => [
            status,
            { description: code.replaceAll('_', ' '), content: this.#json(ErrorBody) },
          ]),
        ),
      },
    };
  }

  #json(given: z.ZodType, io: 'input' | 'output' = 'output'): Json {
    const schema = this.#schemaOf(given, io);
    return { 'application/json': { schema, example: this.#exampleIn(schema) } };
  }

  /** Returns an example of a schema, made of those of its fields. */
  #exampleIn(schema: Json): unknown {
    const { $ref, examples, anyOf, items, properties, type, ...rest } = schema as Partial<OfSchema>;
    const [example] = examples ?? rest.enum ?? [];
    if (example !== undefined) return example;
    if ($ref) return this.#exampleIn(this.schemas[$ref.split('/').at(-1)!] as Json);
    if (anyOf) return this.#exampleIn(anyOf[0]!);
    // The first of several; the others are `null`.
    const [kind = 'object'] = [type ?? []].flat();
    if (kind === 'array') return [this.#exampleIn(items!)];
    if (kind !== 'object') return PLAIN[kind];
    return Object.fromEntries(
      Object.entries(properties ?? {}).map(([name, one]) => [name, this.#exampleIn(one)]),
    );
  }

  /** Returns a schema with references to named ones. */
  #schemaOf(schema: z.ZodType, io: 'input' | 'output' = 'output'): Json {
    const written = z.toJSONSchema(schema, {
      io,
      override: ({ zodSchema, jsonSchema }) => {
        if (io === 'output' && jsonSchema.additionalProperties === false)
          delete jsonSchema.additionalProperties;
        const owner = z.globalRegistry.get(zodSchema)?.id;
        for (const [name, property] of Object.entries(jsonSchema.properties ?? {}))
          this.#complete(property as Json, name, owner);
      },
    });
    const { $schema, $defs, ...own } = JSON.parse(
      JSON.stringify(written).replaceAll('#/$defs/', '#/components/schemas/'),
    ) as Json;
    Object.assign(this.schemas, $defs);
    return own;
  }

  /** Adds an example to a property, and the form of timestamps. @param owner name of its schema. */
  #complete(property: Json, name: string, owner: string | undefined): void {
    const isTimestamp = name.endsWith('At');
    const timestamp = TIMESTAMPS[this.#timestamps];
    if (isTimestamp) Object.assign(property, timestamp.form);
    const known = EXAMPLES[`${owner}.${name}`] ?? EXAMPLES[name];
    const example = known === undefined && isTimestamp ? timestamp.example : known;
    const { anyOf = [], enum: values = [example] } = property as Partial<OfSchema>;
    const isAllowed =
      example === null ? anyOf.some(({ type }) => type === 'null') : values.includes(example);
    if (example !== undefined && isAllowed) property['examples'] = [example];
  }
}

interface OfSchema {
  readonly $ref: string;
  readonly examples: readonly unknown[];
  readonly enum: readonly unknown[];
  readonly anyOf: readonly Json[];
  readonly items: Json;
  readonly properties: Readonly<Record<string, Json>>;
  readonly type: string | readonly string[];
}

const PLAIN: Readonly<Record<string, unknown>> = {
  string: 'text',
  integer: 1,
  number: 1,
  boolean: true,
};

function resultOf(method: Route['method'], query: Json): string {
  if (method !== 'GET') return 'Returns the object after the write.';
  return 'cursor' in query
    ? 'Returns one page. Pass its `nextCursor` as `cursor` to get the next one.'
    : 'Returns the object, or the best matches of a search.';
}

const tagOf = ({ path }: Route): string => path.split('/')[2]!;

/** `List account logs` for `listAccountLogs`. */
const summaryOf = (name: string): string =>
  name
    .replace(/^./, (one) => one.toUpperCase())
    .replaceAll(/(?<=.)[A-Z]/g, (one) => ` ${one.toLowerCase()}`);

/** Source: interface.md, "Conventions". */
const TIMESTAMPS = {
  document: { form: { pattern: '^\\+[1-9]\\d{1,14}$' }, example: '+1790000000000' },
  iso: { form: { format: 'date-time' }, example: '2026-09-21T14:13:20.000Z' },
} as const;

/** Examples of fields by name, or by schema and name where one name has several meanings. */
const EXAMPLES: Readonly<Record<string, unknown>> = examples;
