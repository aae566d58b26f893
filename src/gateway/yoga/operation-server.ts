/**
 * Serves operations of every transport through Yoga: parses, validates, creates the context and executes with
 * `getEnveloped`, synchronously where nothing waits.
 *
 * Yoga's own hooks around these phases are called only where a plugin has one: `getResultForParams` for hooks of
 * parameters and results, `handleRequest` for hooks of HTTP, which need requests and responses of the Fetch API.
 */
import type { DocumentNode, ExecutionResult, GraphQLError, GraphQLSchema } from 'graphql';
import { createYoga, type GraphQLParams, type YogaServerInstance } from 'graphql-yoga';
import { isPromiseLike, type MaybePromise } from '../../execution/core/resolved-value.ts';
import type { Documents } from '../documents/documents.ts';
import type { Translate } from '../operation/errors.ts';
import { framed } from '../operation/framing.ts';
import { negotiateMediaType } from '../operation/negotiation.ts';
import { OperationContext } from '../operation/operation-context.ts';
import type { Operation, PhaseTime } from '../operation/operation.ts';
import { outcomeOf, recordResult } from '../operation/outcome.ts';
import {
  finish,
  responseInEvents,
  responseInParts,
  responseOf,
  type OperationResponse,
} from '../operation/response.ts';
import type { ResultPart } from '../operation/result-parts.ts';
import { CompiledPolicies, type Policy, type Results } from '../policy.ts';
import { policyOf, type GatewayPlugin, type HookContext } from './gateway-plugin.ts';
import { checkRequest, FETCHED, policiesPlugin, receive } from './policies-plugin.ts';
import { PluginHooks } from './plugin-hooks.ts';

/** Executes a valid operation; may throw. */
export type Perform = () => MaybePromise<ExecutionResult | Results>;

interface OperationServerOptions {
  readonly schema: GraphQLSchema;
  readonly policies: readonly Policy[];
  readonly documents: Documents;
  readonly translate: Translate;
  /** Plugins of the operator, after the gateway's own. */
  readonly plugins: readonly GatewayPlugin[];
}

type Yoga = YogaServerInstance<HookContext, OperationContext>;

const NO_URL_ENDS_LIKE_THIS = '\n';

export class OperationServer {
  readonly translate: Translate;
  readonly #policies: CompiledPolicies;
  readonly #hooks: PluginHooks;
  readonly #yoga: Yoga;
  readonly #getEnveloped: Yoga['getEnveloped'];
  readonly #requestOf: (operation: Operation) => Request;
  readonly #whenIdle: (() => void)[] = [];
  #underWay = 0;

  constructor({ schema, policies, documents, translate, plugins }: OperationServerOptions) {
    this.translate = translate;
    this.#policies = new CompiledPolicies([...policies, ...plugins.map(policyOf)]);
    this.#hooks = new PluginHooks(plugins);
    const first = policiesPlugin({
      policies: this.#policies,
      documents,
      translate,
      hooks: this.#hooks,
      perform: (context) => this.#performSafely(context),
      respond: async (operation, results) =>
        this.respond(operation, await this.#withoutParts(operation, results)),
    });
    this.#yoga = createYoga<HookContext, OperationContext>({
      schema,
      plugins: [first, ...plugins],
      // Responses translate all errors. Plugins see them translated too.
      maskedErrors: plugins.length > 0 && { maskError: translate },
      logging: false,
      // Documents have a cache of their own.
      parserAndValidationCache: false,
      extraParamNames: ['documentId', 'onError'],
      // The HTTP server serves GraphiQL and limits bodies.
      graphiql: false,
      maxRequestBodySize: false,
      // Disabled: Yoga serves an empty 200 for every URL with this ending, even in a query string.
      healthCheckEndpoint: NO_URL_ENDS_LIKE_THIS,
      cors: false,
      multipart: false,
      landingPage: false,
    });
    // Yoga is a proxy, which binds a function each time it is read.
    this.#getEnveloped = this.#yoga.getEnveloped;
    const { Request } = this.#yoga.fetchAPI;
    this.#requestOf = ({ url, method = 'POST', headers }) =>
      new Request(`http://gateway${url}`, {
        method,
        // All values are strings: only `set-cookie` has lists, and it is no request header.
        headers: headers as Record<string, string>,
      });
  }

  /** Whether requests over HTTP have to pass `answer`, for hooks of plugins. */
  get hasHttpHooks(): boolean {
    return this.#hooks.http;
  }

  /** Whether there are plugins, to which a WebSocket shows what its client sent in `connection_init`. */
  get hasPlugins(): boolean {
    return this.#hooks.any;
  }

  /** Number of operations in flight. */
  get underWay(): number {
    return this.#underWay;
  }

  /** Resolves when no operation is in flight. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#underWay === 0) resolve();
      else this.#whenIdle.push(resolve);
    });
  }

  /** Disposes plugins. */
  async close(): Promise<void> {
    await this.#yoga.dispose();
  }

  /** Counts an operation; each must `end`. */
  begin(): void {
    this.#underWay += 1;
  }

  /**
   * Executes an operation.
   *
   * @throws client errors: at once, or as a rejection.
   */
  run(operation: Operation): MaybePromise<ExecutionResult | Results> {
    if (this.#hooks.params) return this.#runThroughParams(operation);
    const prepared = this.prepare(operation);
    const running = prepared instanceof Promise ? prepared.then(performed) : performed(prepared);
    return this.#hooks.results ? this.#withoutParts(operation, running) : running;
  }

  /**
   * Prepares an operation for a transport that executes later.
   *
   * @returns a function that executes it, or validation errors.
   * @throws client errors: at once, or as a rejection.
   */
  prepare(operation: Operation): MaybePromise<readonly GraphQLError[] | Perform> {
    const context = this.#contextOf(operation);
    checkRequest(this.#policies, operation);
    const given = operation.transport.readParams(operation);
    const waiting = receive(this.#policies, operation, given);
    return waiting
      ? waiting.then(() => this.#prepare(operation, context))
      : this.#prepare(operation, context);
  }

  /**
   * Answers a request over HTTP through hooks of HTTP.
   *
   * @param request of the Fetch API.
   * @throws if there is no response to send: as a rejection.
   */
  async answer(
    operation: Operation,
    request = this.#requestOf(operation),
  ): Promise<OperationResponse> {
    const context = this.#contextOf(operation);
    context.request = request;
    let response: Response;
    try {
      response = await this.#yoga.handleRequest(request, context);
    } catch (error) {
      // A hook has thrown: Yoga leaves errors to its server.
      return this.respond(operation, this.failed(operation, error));
    }
    const { status } = response;
    response.headers.delete('content-length');
    const headers = [...response.headers].flat();
    const fetched = FETCHED.get(operation);
    // Hooks may have changed the head; the body is written from the operation's response.
    if (response === fetched?.response) return { ...fetched.own, status, headers };
    const bytes = Buffer.from(await response.arrayBuffer());
    headers.push('x-request-id', operation.requestId);
    return { status, headers, text: '', bytes, mediaType: 'application/json' };
  }

  /** The result of an operation that has thrown. */
  failed(operation: Operation, error: unknown): ExecutionResult {
    operation.parts?.end();
    operation.parts = undefined;
    return { errors: [this.translate(error)] };
  }

  /** Translates and records a result. */
  settle(operation: Operation, result: ExecutionResult): ExecutionResult {
    return recordResult(result, operation, this.translate);
  }

  /**
   * Creates the HTTP response. Every single result is translated, passes all policies and gets its headers here.
   *
   * @param results of a subscription, or a single result.
   */
  respond(
    operation: Operation,
    results: ExecutionResult | Results,
  ): MaybePromise<OperationResponse> {
    const response = this.#toResponse(operation, results);
    const { onAnswer } = this.#policies;
    for (let i = 0; i < onAnswer.length; i++) {
      const waiting = onAnswer[i]!(operation, response);
      if (waiting) return this.#respondLater(operation, response, waiting, i + 1);
    }
    return finished(operation, response);
  }

  /** Reports an operation as ended; a response in parts after its last part. */
  end(operation: Operation, status: number): void {
    const { parts } = operation;
    if (parts && !parts.isOver) parts.onEnd = () => this.#report(operation, status);
    else this.#report(operation, status);
  }

  #contextOf(operation: Operation): OperationContext {
    const { any, parse } = this.#hooks;
    const isOfHttp = operation.method !== undefined;
    const context = new OperationContext(operation, any && isOfHttp ? this.#requestOf : undefined);
    // A rule of Yoga's, which `operationKind` replaces, reads it after parsing.
    context.hidesRequest = !parse;
    return context;
  }

  #prepare(
    operation: Operation,
    context: OperationContext,
  ): MaybePromise<readonly GraphQLError[] | Perform> {
    const { params } = operation;
    context.params = params;
    operation.contextValue = context;
    const enveloped = this.#getEnveloped(context);
    const schema = enveloped.schema as GraphQLSchema;
    const document = timed(operation, 'parse', () => enveloped.parse(params.query) as DocumentNode);
    const errors = timed(
      operation,
      'validate',
      () => enveloped.validate(schema, document) as readonly GraphQLError[],
    );
    if (errors.length > 0) return errors;
    const execution = (contextValue: unknown): Perform => {
      const args = {
        schema,
        document,
        contextValue,
        variableValues: params.variables,
        operationName: params.operationName,
      };
      const isSubscription = operation.operationType === 'subscription';
      const execute = isSubscription ? enveloped.subscribe : enveloped.execute;
      return () => execute(args) as ReturnType<Perform>;
    };
    const contextValue: unknown = enveloped.contextFactory();
    return isPromiseLike(contextValue)
      ? Promise.resolve(contextValue).then(execution)
      : execution(contextValue);
  }

  async #runThroughParams(operation: Operation): Promise<ExecutionResult | Results> {
    const context = this.#contextOf(operation);
    checkRequest(this.#policies, operation);
    const params = operation.transport.readParams(operation) as GraphQLParams; // checked in `onParams`
    const request = (context.request = this.#requestOf(operation));
    const results = this.#yoga.getResultForParams({ params, request }, context);
    return this.#withoutParts(operation, results as MaybePromise<ExecutionResult | Results>);
  }

  /** Performs an operation between hooks of parameters and of results. */
  async #performSafely(context: OperationContext): Promise<ExecutionResult | Results> {
    const { operation } = context;
    try {
      return await performed(await this.#prepare(operation, context));
    } catch (error) {
      return this.failed(operation, error);
    }
  }

  /** Returns the first result of an operation after plugins have seen all parts. */
  async #withoutParts(
    operation: Operation,
    running: MaybePromise<ExecutionResult | Results>,
  ): Promise<ExecutionResult | Results> {
    const results = await running;
    const { parts } = operation;
    if (!parts || !this.#hooks.results) return results;
    if (Symbol.asyncIterator in results) {
      const all = results[Symbol.asyncIterator]() as AsyncIterator<ResultPart>;
      try {
        const first = await parts.replace(all);
        if (parts.isOver) operation.parts = undefined;
        return first;
      } catch (error) {
        return this.failed(operation, error);
      }
    }
    // A plugin replaced the parts by a single result.
    parts.end();
    operation.parts = undefined;
    return results;
  }

  #toResponse(operation: Operation, results: ExecutionResult | Results): OperationResponse {
    const { stream } = operation;
    if (stream && Symbol.asyncIterator in results) {
      return responseInEvents({ results, stream });
    }
    // A plugin replaced the stream by a single result.
    stream?.close('left');
    const result = this.settle(operation, results as ExecutionResult);
    // Set by a policy of `onExecuteDone`.
    const { parts } = operation;
    return parts
      ? responseInParts(parts.written(result))
      : responseOf(result, negotiateMediaType(operation.accept) ?? 'application/json');
  }

  async #respondLater(
    operation: Operation,
    response: OperationResponse,
    waiting: Promise<void>,
    next: number,
  ): Promise<OperationResponse> {
    await waiting;
    for (const answer of this.#policies.onAnswer.slice(next)) await answer(operation, response);
    return finished(operation, response);
  }

  #report(operation: Operation, status: number): void {
    operation.status = status;
    operation.outcome = outcomeOf(operation, status);
    operation.durationMs = performance.now() - operation.startedMs;
    for (const report of this.#policies.onAnswered) report(operation);
    const { cut, permit } = operation.arrival;
    if (cut) permit?.answered(operation.bytes ?? 0, cut);
    else permit?.leave();
    // The operation is retained while a slow reader reads the response.
    operation.rest = undefined;
    operation.errors = undefined;
    // Contexts of events are derived from it.
    if (!operation.stream) operation.contextValue = undefined;
    else if (operation.contextValue instanceof OperationContext) operation.contextValue.release();
    this.#underWay -= 1;
    if (this.#underWay === 0) for (const resolve of this.#whenIdle.splice(0)) resolve();
  }
}

/** Runs a phase and takes its time, even if it throws. */
function timed<Result>(operation: Operation, name: PhaseTime['name'], phase: () => Result): Result {
  const startMs = performance.now();
  try {
    return phase();
  } finally {
    operation.endPhase(name, startMs);
  }
}

const performed = (
  prepared: readonly GraphQLError[] | Perform,
): MaybePromise<ExecutionResult | Results> =>
  typeof prepared === 'function' ? prepared() : { errors: prepared };

function finished(operation: Operation, response: OperationResponse): OperationResponse {
  response.headers.push('x-request-id', operation.requestId);
  finish(response);
  if (!response.events) {
    if (!response.parts) response.text = framed(response);
    operation.bytes = response.bytes?.length ?? Buffer.byteLength(response.text);
  }
  return response;
}
