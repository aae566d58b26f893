/**
 * The plain case without the Fetch API: a query in a JSON body, and an answer without errors.
 *
 * Requests, responses and the hooks around them cost more than parsing, validating and executing a
 * small query. What is plain therefore passes Yoga's envelope alone, with all its plugins. What is
 * not, is handed to Yoga whole: before execution as if nothing had been done, after it with the
 * result, which Yoga then serves as its own.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type {
  DocumentNode,
  execute,
  ExecutionResult,
  GraphQLSchema,
  parse,
  validate,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import type { Plugin, PromiseOrValue, YogaInitialContext, YogaServerInstance } from 'graphql-yoga';
import { serverTiming } from '../graph/explain.ts';
import { paramsIn, PostRequest, type PlainParams, type Post } from './post.ts';
import type { RequestRecord, ServerContext } from './request-record.ts';

/** What Yoga and its plugins make of graphql-js, for one request. */
interface Enveloped {
  readonly schema: GraphQLSchema;
  readonly parse: typeof parse;
  readonly validate: typeof validate;
  readonly contextFactory: () => PromiseOrValue<object>;
  readonly execute: typeof execute;
}

/** An answer with status 200. */
export interface FastAnswer {
  /** Name, value, name, value. */
  readonly headers: string[];
  readonly text: string;
}

const PLAIN_TYPE = /^application\/json(?:; ?charset=(?:utf|UTF)-8)?$/;

const ANSWER_TYPE = /^application\/(?:graphql-response\+)?json\b/;

/** `Accept` headers whose answer is known, and the longest that is looked at. */
const MAX_ACCEPTS = 100;
const MAX_ACCEPT_LENGTH = 256;

export class FastPath {
  readonly #yoga: YogaServerInstance<ServerContext, {}>;
  /** Content types by `Accept`, as Yoga chose them. */
  readonly #types = new LRUCache<string, string>({ max: MAX_ACCEPTS });

  readonly #cors: boolean;
  readonly #valid = new WeakSet<DocumentNode>();

  /** @param cors whether answers depend on where a page comes from. */
  constructor(yoga: YogaServerInstance<ServerContext, {}>, { cors }: { readonly cors: boolean }) {
    this.#yoga = yoga;
    this.#cors = cors;
  }

  /** Learns what Yoga answers to an `Accept` header when all is well. */
  learn(
    accept: string | null,
    { status, headers }: Response,
    { hasData, errorCodes }: RequestRecord,
  ): void {
    const type = headers.get('content-type') ?? '';
    const known = accept ?? '';
    if (status !== 200 || !hasData || errorCodes.length > 0 || !ANSWER_TYPE.test(type)) return;
    if (known.length <= MAX_ACCEPT_LENGTH) this.#types.set(known, type);
  }

  /** Undefined for whatever is not plain; then `record` says what Yoga is to serve, if anything. */
  async answer({ headers, body }: Post, record: RequestRecord): Promise<FastAnswer | undefined> {
    const contentType = this.#types.get(headers.accept ?? '');
    if (contentType === undefined || !PLAIN_TYPE.test(headers['content-type'] ?? ''))
      return undefined;
    if (headers['x-explain'] !== undefined) return undefined;
    if (this.#cors && headers.origin !== undefined) return undefined;
    const params = paramsIn(body);
    let result: ExecutionResult | undefined;
    try {
      result = params && (await this.#execute(params, headers, record));
    } catch {
      return undefined; // Yoga will refuse it in the same way, and say so.
    }
    if (!result) return undefined;
    if (!isPlain(result)) {
      record.executed = result;
      return undefined;
    }
    record.hasData = true;
    const timing = record.rest ? ['server-timing', serverTiming(record.rest.journal)] : [];
    return {
      headers: ['content-type', contentType, ...timing],
      text: JSON.stringify(result),
    };
  }

  /** Undefined when nothing is to be executed here. */
  #execute(
    params: PlainParams,
    headers: IncomingHttpHeaders,
    record: RequestRecord,
  ): PromiseOrValue<ExecutionResult | undefined> {
    // As much of a request as plugins ask for.
    const request = new PostRequest(headers) as unknown as Request;
    const initial = { request, params, record } as unknown as YogaInitialContext & ServerContext;
    const enveloped = this.#yoga.getEnveloped(initial) as Enveloped;
    const { schema } = enveloped;
    const document = enveloped.parse(params.query);
    // Writes are sent once: what is handed over must never be executed again.
    if (record.operationType !== 'query') return undefined;
    if (!this.#isValid(document, enveloped)) return undefined;
    const { operationName, variables: variableValues } = params;
    const execute = (contextValue: object) =>
      enveloped.execute({ schema, document, contextValue, variableValues, operationName });
    const context = enveloped.contextFactory();
    return 'then' in context ? context.then(execute) : execute(context);
  }

  /** Documents come out of the parser's cache again and again, and the schema stays. */
  #isValid(document: DocumentNode, { schema, validate }: Enveloped): boolean {
    if (this.#valid.has(document)) return true;
    if (validate(schema, document).length > 0) return false;
    this.#valid.add(document);
    return true;
  }
}

/** Lets Yoga serve what the fast path has executed. */
export function useExecuted(): Plugin<ServerContext, ServerContext> {
  return {
    onParams({ context: { record }, setResult }) {
      if (record.executed) setResult(record.executed);
    },
  };
}

/** One answer that holds nothing but data. */
const isPlain = (result: ExecutionResult): boolean =>
  result.data != null && Object.keys(result).length === 1;
