/**
 * GraphQL over HTTP: Yoga, and its plugins in their order.
 *
 * Everything that callers can be refused or told is decided by one of them, or as operations are run;
 * none knows the others.
 */
import { NoSchemaIntrospectionCustomRule, type DocumentNode } from 'graphql';
import { createYoga, type Plugin, type YogaServerInstance } from 'graphql-yoga';
import type { LRUCache } from 'lru-cache';
import type { Execute } from '../../execution/execute.ts';
import { schema } from '../../schema.ts';
import { corsFor } from '../http/cors.ts';
import { documentCache } from '../operation/document-cache.ts';
import { DEFAULT_LIMITS, type DocumentLimits } from '../operation/document-limits.ts';
import { graphiqlOptions, graphiqlRenderer, type GraphiqlOptions } from './graphiql.ts';
import { maskError } from '../operation/mask-error.ts';
import { operationRunner, type RunnerOptions } from '../operation/operation-runner.ts';
import type { ServerContext } from '../operation/request-record.ts';
import { useBody } from './use-body.ts';
import { useCsrfHeader } from './use-csrf-header.ts';
import { useDocumentLimits } from './use-document-limits.ts';
import { useExecuted } from './use-executed.ts';
import { useExplain } from './use-explain.ts';
import { useParams } from './use-params.ts';
import { useRecord } from './use-record.ts';
import { useRefusals } from './use-refusals.ts';
import { useShedding } from './use-shedding.ts';

export interface GraphQLServerOptions extends RunnerOptions {
  readonly limits?: Partial<DocumentLimits>;
  /** Origins whose pages may read answers. @default none */
  readonly corsOrigins?: readonly string[];
  /** False: browsers get no GraphiQL. */
  readonly graphiql?: GraphiqlOptions | false;
  /** @default true */
  readonly introspection?: boolean;
  /** Whether errors may name what was perhaps meant. @default true */
  readonly suggestions?: boolean;
}

const NO_URL_ENDS_LIKE_THIS = '\n';

/** Plugins that know our context or a part of it, and that don't. */
type AnyPlugin = Plugin<ServerContext, ServerContext> | Plugin;

/** Not the plugin of this purpose: it decides when requests are parsed, which the fast path is without. */
const withoutIntrospection = (): Plugin => ({
  onValidate: ({ addValidationRule }) => addValidationRule(NoSchemaIntrospectionCustomRule),
});

const runningBy = (run: Execute): Plugin => ({
  onExecute: ({ setExecuteFn }) => setExecuteFn(run),
});

export interface GraphQLServer {
  /** Bodies come to it bounded. */
  readonly yoga: YogaServerInstance<ServerContext, {}>;
  /** What Yoga parsed, by text. */
  readonly documents: LRUCache<string, DocumentNode>;
  /** What Yoga runs operations with. */
  readonly run: Execute;
}

export function createGraphQL(options: GraphQLServerOptions): GraphQLServer {
  const { limits, corsOrigins = [], graphiql = {} } = options;
  const { introspection = true, suggestions = true } = options;
  const run = operationRunner(options);
  const documents = documentCache<DocumentNode>();
  // The order is policy: hooks of one kind run from the first plugin to the last. On the fast path
  // those of requests and results are not asked, and those of documents once a document: what they
  // decide must not hold for plain queries, or has to be the same every time.
  const plugins: readonly (AnyPlugin | false)[] = [
    useExecuted(),
    // Nothing else can be said of what could not be read.
    useBody(),
    // Before anything is read of a request that a foreign page may have sent.
    useCsrfHeader(),
    // Wraps the parser Yoga has chosen by now; what it drops, Yoga's own checks don't see.
    useParams(),
    // Before validation, which is where large documents hurt.
    useDocumentLimits({ ...DEFAULT_LIMITS, ...limits }),
    !introspection && withoutIntrospection(),
    runningBy(run),
    useExplain(),
    // Codes and statuses for whatever was refused above, or by Yoga, or by graphql-js.
    useRefusals({ suggestions }),
    // After codes are there; before what it turns into a refusal is written down.
    useShedding(),
    // Last: writes down what callers will see.
    useRecord(),
  ];
  const yoga = createYoga<ServerContext>({
    schema,
    plugins: plugins as Plugin[],
    maskedErrors: { maskError },
    // Errors are logged with their request, by request-report.ts.
    logging: false,
    graphiql: graphiql && graphiqlOptions(graphiql),
    renderGraphiQL: graphiqlRenderer(),
    cors: corsFor(corsOrigins),
    parserAndValidationCache: { documentCache: documents, errorCache: documentCache() },
    // The HTTP server bounds bodies while it reads them; Yoga's way costs more than all else it does.
    maxRequestBodySize: false,
    batching: false,
    multipart: false,
    landingPage: false,
    // Yoga answers any URL that ends like this, queries too, with an empty 200; health is ours.
    healthCheckEndpoint: NO_URL_ENDS_LIKE_THIS,
  });
  return { yoga, documents, run };
}
