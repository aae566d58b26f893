/**
 * The plain case without the Fetch API: a query in a JSON body, and an answer without errors.
 *
 * Requests, responses and the hooks around them cost more than parsing, validating and executing a
 * small query. What is plain therefore passes Yoga's parser and validation alone, once a document, and
 * is run as Yoga runs it. What is not, is handed to Yoga whole: before execution as if nothing had
 * been done, after it with the result, which Yoga then serves as its own.
 */
import type { DocumentNode, ExecutionResult, parse, validate } from 'graphql';
import { LRUCache } from 'lru-cache';
import type { PromiseOrValue, YogaInitialContext } from 'graphql-yoga';
import { serverTiming } from '../../plan/explain.ts';
import { schema } from '../../schema.ts';
import type { GraphQLServer } from '../yoga/graphql-server.ts';
import { maskError } from './mask-error.ts';
import type { RunContext } from './operation-runner.ts';
import { paramsIn, PostRequest, type PlainParams, type Post } from './post.ts';
import { noteOperation, type RequestRecord, type ServerContext } from './request-record.ts';

/** What Yoga and its plugins make of graphql-js's functions, for one request. */
interface Enveloped {
  readonly parse: typeof parse;
  readonly validate: typeof validate;
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
  readonly #server: GraphQLServer;
  /** Content types by `Accept`, as Yoga chose them. */
  readonly #types = new LRUCache<string, string>({ max: MAX_ACCEPTS });
  readonly #cors: boolean;
  readonly #valid = new WeakSet<DocumentNode>();

  /** @param cors whether answers depend on where a page comes from. */
  constructor(server: GraphQLServer, { cors }: { readonly cors: boolean }) {
    this.#server = server;
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
      result = params && (await this.#run(params, new PostRequest(headers), record));
    } catch {
      return undefined; // Yoga will refuse it in the same way, and say so.
    }
    if (!result) return undefined;
    if (!isPlain(result)) {
      record.executed = masked(result);
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
  #run(
    params: PlainParams,
    request: PostRequest,
    record: RequestRecord,
  ): PromiseOrValue<ExecutionResult | undefined> {
    const { operationName, variables: variableValues } = params;
    const document = this.#documentOf(params, request, record);
    // Writes are sent once: what is handed over must never be executed again.
    if (!document || record.operationType !== 'query') return undefined;
    const contextValue = { request, record } satisfies RunContext;
    return this.#server.run({ schema, document, contextValue, variableValues, operationName });
  }

  /** A sound document, its operation noted down; undefined for one that is not. */
  #documentOf(
    params: PlainParams,
    request: PostRequest,
    record: RequestRecord,
  ): DocumentNode | undefined {
    const { query, operationName } = params;
    const known = this.#server.documents.get(query);
    if (known && this.#valid.has(known)) {
      noteOperation(record, known, operationName);
      return known;
    }
    const initial = { request, params, record } as unknown as YogaInitialContext & ServerContext;
    const { parse, validate } = this.#server.yoga.getEnveloped(initial) as Enveloped;
    const document = parse(query);
    if (validate(schema, document).length > 0) return undefined;
    this.#valid.add(document);
    return document;
  }
}

/** As Yoga would have it from its own execution. */
const masked = (result: ExecutionResult): ExecutionResult =>
  result.errors ? { ...result, errors: result.errors.map(maskError) } : result;

/** One answer that holds nothing but data. */
const isPlain = (result: ExecutionResult): boolean =>
  result.data != null && Object.keys(result).length === 1;
