/**
 * Runs operations of every transport through Yoga, and calls the policies in its phases.
 *
 * Yoga's own hooks around the phases of Envelop run only if a plugin has one: `getResultForParams` for hooks of
 * parameters and results, `handleRequest` for hooks of HTTP, which need requests and responses of the Fetch API.
 */
import type {
  DocumentNode,
  ExecutionArgs,
  ExecutionResult,
  GraphQLError,
  GraphQLSchema,
  ValidationRule,
} from 'graphql';
import { createYoga, type GraphQLParams, type YogaServerInstance } from 'graphql-yoga';
import { isPromiseLike, type MaybePromise } from '../../execution/core/resolved-value.ts';
import type { Documents } from '../documents/documents.ts';
import type { Document, OperationDefinition } from '../operation/document.ts';
import { translateResult, type Translate } from '../operation/error-translation.ts';
import { GatewayContext } from '../operation/gateway-context.ts';
import { negotiateMediaType, partsReaderOf } from '../operation/negotiation.ts';
import {
  Operation,
  outcomeOf,
  type Arrival,
  type ReadyOperation,
  type Transport,
  type TransportRequest,
} from '../operation/operation.ts';
import { badRequest, readParams, readRequest } from '../operation/params.ts';
import {
  fetchResponseOf,
  finish,
  responseInEvents,
  responseInParts,
  responseOf,
  statusOf,
  type OperationResponse,
} from '../operation/response.ts';
import {
  compile,
  inOrder,
  type CompiledPolicies,
  type Executed,
  type Next,
  type Policy,
} from '../policy.ts';
import {
  hooksOf,
  plainParts,
  policyOf,
  withPlainData,
  type GatewayPlugin,
  type HookContext,
} from './gateway-plugin.ts';

type Execute = () => MaybePromise<Executed>;

interface OperationServerOptions {
  readonly schema: GraphQLSchema;
  readonly policies: readonly Policy[];
  readonly documents: Documents;
  readonly translate: Translate;
  /** Plugins of the operator, after the gateway's own. */
  readonly plugins: readonly GatewayPlugin[];
}

type Yoga = YogaServerInstance<HookContext, GatewayContext>;

const NO_URL_ENDS_LIKE_THIS = '\n';

export class OperationServer {
  readonly translate: Translate;
  readonly #documents: Documents;
  readonly #policies: CompiledPolicies;
  readonly #yoga: Yoga;
  readonly #getEnveloped: Yoga['getEnveloped'];
  readonly #requestOf: (operation: Operation) => Request;
  /** The gateway's responses by those that hooks of HTTP get. */
  readonly #responses = new WeakMap<Response, OperationResponse>();
  readonly #whenIdle: (() => void)[] = [];
  #hooks = hooksOf([]);
  #inFlight = 0;

  constructor({ schema, policies, documents, translate, plugins }: OperationServerOptions) {
    this.translate = translate;
    this.#documents = documents;
    this.#policies = compile([...policies, ...plugins.map(policyOf)]);
    this.#yoga = createYoga<HookContext, GatewayContext>({
      schema,
      plugins: [this.#plugin(plugins), ...plugins],
      // Responses translate all errors. Plugins see them translated too.
      maskedErrors: plugins.length > 0 && { maskError: translate },
      logging: false,
      // `Documents` is the cache.
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

  /** Whether there are plugins, to which a WebSocket shows what its client sent in `connection_init`. */
  get hasPlugins(): boolean {
    return this.#hooks.any;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** Resolves when no operation is in flight. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#inFlight === 0) resolve();
      else this.#whenIdle.push(resolve);
    });
  }

  async close(): Promise<void> {
    await this.#yoga.dispose();
  }

  /** Creates an operation, which must `end`. */
  begin(transport: Transport, arrival: Arrival, request: TransportRequest): Operation {
    this.#inFlight += 1;
    return new Operation(transport, arrival, request);
  }

  /**
   * Prepares an operation for a transport that executes later.
   *
   * @returns a function that executes it, or validation errors.
   * @throws client errors: synchronously, or as a rejection.
   */
  prepare(operation: Operation): MaybePromise<readonly GraphQLError[] | Execute> {
    const context = this.#contextOf(operation);
    const waiting = this.#receive(context, this.#readParams(operation));
    return waiting ? waiting.then(() => this.#prepare(context)) : this.#prepare(context);
  }

  /** Executes an operation; never rejects. */
  async run(operation: Operation): Promise<Executed> {
    try {
      let executed: Executed;
      if (this.#hooks.params) {
        executed = await this.#runThroughYoga(operation);
      } else {
        const prepared = this.prepare(operation);
        executed = await execute(prepared instanceof Promise ? await prepared : prepared);
      }
      return this.#hooks.results ? await this.#firstOf(operation, executed) : executed;
    } catch (error) {
      return this.#failed(operation, error);
    }
  }

  /**
   * Executes and ends an operation of HTTP.
   *
   * @throws if there is no response to send.
   */
  async respond(operation: Operation): Promise<OperationResponse> {
    let status = 500;
    try {
      const response = this.#hooks.http
        ? await this.#respondThroughYoga(operation)
        : await this.#responseTo(operation, await this.run(operation));
      ({ status } = response);
      if (operation.stream) operation.releaseRequest();
      return response;
    } finally {
      this.end(operation, status);
    }
  }

  /** Translates the errors of a result for its caller, and records errors and data for the log and the metrics. */
  settle(operation: Operation, executed: ExecutionResult): ExecutionResult {
    const { writes } = operation;
    const hasWritten = (writes?.size ?? 0) > 0;
    // A mutation that has written is a result, and has status 200, whatever failed afterwards.
    const isLost = hasWritten && executed.data === undefined;
    const whole = isLost ? { ...executed, data: null } : executed;
    const result = translateResult(whole, this.translate, writes);
    operation.errors = result.errors ?? [];
    operation.hasData = hasWritten || hasValue(result.data);
    operation.strictStatus = statusOf(result);
    return result;
  }

  /** Reports an operation as ended; an incremental response after its last part. */
  end(operation: Operation, status: number): void {
    const { parts } = operation;
    if (parts && !parts.isOver) {
      // Named, so that V8 does not allocate it in its old generation.
      const onEnd = (): void => this.end(operation, status);
      parts.onEnd = onEnd;
      return;
    }
    const outcome = outcomeOf(operation, status);
    const durationMs = performance.now() - operation.arrival.startedMs;
    const answered = { status, outcome, durationMs };
    for (const report of this.#policies.onAnswered) report(operation, answered);
    const { cut, permit } = operation.arrival;
    if (cut) permit?.holdResponse(operation.bytes ?? 0, cut);
    else permit?.release();
    // The operation is retained while a slow reader reads the response.
    operation.rest = undefined;
    operation.errors = [];
    this.#inFlight -= 1;
    if (this.#inFlight === 0) for (const resolve of this.#whenIdle.splice(0)) resolve();
  }

  /** The first plugin: its functions parse, validate and execute, and later plugins may wrap or replace them. */
  #plugin(given: readonly GatewayPlugin[]): GatewayPlugin {
    const policies = this.#policies;
    const documents = this.#documents;
    /** All plugins: Yoga's and the operator's, with those that they add. */
    let all: readonly unknown[] = [];
    let yogas = new Set<unknown>();
    return {
      onPluginInit: ({ plugins }) => {
        all = plugins;
        yogas = new Set(plugins.filter((plugin) => !given.includes(plugin)));
      },
      onYogaInit: () => {
        this.#hooks = hooksOf(all.filter((one) => !yogas.has(one)) as readonly GatewayPlugin[]);
      },
      onRequestParse: ({ setRequestParser, serverContext: { record: operation } }) => {
        for (const check of policies.onRequestParse) check(operation);
        setRequestParser(() => unchecked(operation) as GraphQLParams); // checked in `onParams`
      },
      onParams: ({ params: given, context, setParams, setParamsHandler }) => {
        const own = context as GatewayContext; // created with the operation
        const waiting = this.#receive(own, given);
        setParams(own.params as GraphQLParams);
        setParamsHandler(async ({ params, request }) => {
          Object.assign(own, { params: { ...own.params, ...params }, request });
          try {
            return (await execute(await this.#prepare(own))) as never;
          } catch (error) {
            return this.#failed(own.record, error);
          }
        });
        return waiting;
      },
      onParse: ({ context: { record: operation, params }, setParseFn, setParsedDocument }) => {
        for (const find of policies.onParse) {
          operation.document = find(operation, params) ?? operation.document;
        }
        operation.document ??= documents.find(params.query);
        const { failure, syntax, hash } = operation.document;
        setParseFn(() => {
          if (failure) throw failure;
          return syntax;
        });
        if (hash !== undefined && !failure) setParsedDocument(syntax);
        return ({ result }) => {
          if (!result || result instanceof Error) return;
          // Now: Yoga's next plugin has its own message for unknown operations. Envelop has no type for the result.
          this.#select(operation, result as DocumentNode, params.operationName);
        };
      },
      onValidate: ({ context: { record: operation }, addValidationRule, setValidationFn }) => {
        const hasRules = this.#hooks.rules;
        if (hasRules) for (const rule of documents.ownRules) addValidationRule(rule);
        setValidationFn((schema: GraphQLSchema, syntax: DocumentNode, rules?: ValidationRule[]) => {
          const document = this.#documentOf(operation, syntax);
          return documents.validate(document, schema, hasRules ? rules : undefined);
        });
      },
      onExecute: ({ context, setExecuteFn }) => {
        setExecuteFn((args: ExecutionArgs) => this.#execute(context, args, policies.execute));
      },
      onSubscribe: ({ context, setSubscribeFn }) => {
        // Read now, since its headers are released before the first event.
        void context.request;
        setSubscribeFn((args: ExecutionArgs) => this.#execute(context, args, policies.subscribe));
      },
      onResultProcess: ({ serverContext, setResultProcessor }) => {
        const { record: operation } = serverContext as HookContext; // of every request
        setResultProcessor(async (result, { Response }) => {
          const executed = result as Executed; // batching is off
          const first = await this.#firstOf(operation, executed).catch((error: unknown) =>
            this.#failed(operation, error),
          );
          const own = await this.#responseTo(operation, first);
          const response = fetchResponseOf(own, Response);
          this.#responses.set(response, own);
          return response;
        }, 'application/json');
      },
    };
  }

  #contextOf(operation: Operation): GatewayContext {
    const context = new GatewayContext(operation);
    // Otherwise it is shown after parsing, where a rule of Yoga's reads it, which `operationKind` replaces.
    if (this.#hooks.parse) this.#showRequest(context);
    return context;
  }

  /** Lets plugins read the request, which is created when they do. */
  #showRequest(context: GatewayContext): void {
    const isOfHttp = context.record.method !== undefined;
    if (this.#hooks.any && isOfHttp) context.requestOf = this.#requestOf;
  }

  /** @throws a client error if a request is not GraphQL. */
  #readParams(operation: Operation): unknown {
    for (const check of this.#policies.onRequestParse) check(operation);
    return unchecked(operation);
  }

  /**
   * Takes over parameters; waits if the document has to.
   *
   * @throws a client error if they are not those of a request.
   */
  #receive(context: GatewayContext, given: unknown): Promise<void> | undefined {
    const { record: operation } = context;
    context.params = readParams(given);
    operation.body = undefined;
    return inOrder(this.#policies.onParams, operation, context.params);
  }

  #prepare(context: GatewayContext): MaybePromise<readonly GraphQLError[] | Execute> {
    const policies = this.#policies;
    const { record: operation } = context;
    const enveloped = this.#getEnveloped(context);
    const { params } = context;
    const schema = enveloped.schema as GraphQLSchema;
    const parseMs = performance.now();
    const document = enveloped.parse(params.query) as DocumentNode;
    operation.endPhase('parse', parseMs);
    const definition = this.#select(operation, document, params.operationName);
    const validateMs = performance.now();
    this.#showRequest(context);
    for (const check of policies.onValidate) check(operation, definition);
    const errors = enveloped.validate(schema, document) as readonly GraphQLError[];
    operation.endPhase('validate', validateMs);
    if (errors.length > 0) return errors;
    for (const build of policies.onContextBuilding) build(operation, context);
    const executing = (contextValue: unknown): Execute => {
      const args = {
        schema,
        document,
        contextValue,
        variableValues: params.variables,
        operationName: params.operationName,
      };
      const isSubscription = operation.operationType === 'subscription';
      const run = isSubscription ? enveloped.subscribe : enveloped.execute;
      return () => run(args) as ReturnType<Execute>;
    };
    const contextValue: unknown = enveloped.contextFactory();
    return isPromiseLike(contextValue)
      ? Promise.resolve(contextValue).then(executing)
      : executing(contextValue);
  }

  async #runThroughYoga(operation: Operation): Promise<Executed> {
    const context = this.#contextOf(operation);
    const params = this.#readParams(operation) as GraphQLParams; // checked in `onParams`
    const request = (context.request = this.#requestOf(operation));
    const results = await this.#yoga.getResultForParams({ params, request }, context);
    return results as Executed;
  }

  async #respondThroughYoga(operation: Operation): Promise<OperationResponse> {
    const context = this.#contextOf(operation);
    const request = (context.request = this.#requestOf(operation));
    let response: Response;
    try {
      response = await this.#yoga.handleRequest(request, context);
    } catch (error) {
      // A hook has thrown: Yoga leaves errors to its server.
      return this.#responseTo(operation, this.#failed(operation, error));
    }
    const { status } = response;
    response.headers.delete('content-length');
    const headers = [...response.headers].flat();
    const own = this.#responses.get(response);
    // Hooks may have changed the head; the body is written from the operation's response.
    if (own) return { ...own, status, headers };
    const bytes = Buffer.from(await response.arrayBuffer());
    headers.push('x-request-id', operation.requestId);
    return { status, headers, text: '', bytes, mediaType: 'application/json' };
  }

  /** Returns the document of a syntax tree, which may be a plugin's. */
  #documentOf({ document }: Operation, syntax: DocumentNode): Document {
    return document?.syntax === syntax ? document : this.#documents.of(syntax, document);
  }

  #select(
    operation: Operation,
    syntax: DocumentNode,
    name: string | null | undefined,
  ): OperationDefinition {
    operation.document = this.#documentOf(operation, syntax);
    const definition = operation.document.select(name);
    if (operation.definition === definition) return definition;
    operation.definition = definition;
    for (const check of this.#policies.onSelect) check(operation);
    return definition;
  }

  /** Executes an operation with the arguments that plugins may have replaced. */
  #execute(
    { record: operation, params }: GatewayContext,
    args: ExecutionArgs,
    run: Next<Executed>,
  ): MaybePromise<Executed> {
    const { schema, document, operationName, variableValues, rootValue } = args;
    const definition = this.#select(operation, document, operationName);
    const { isIncremental } = definition.document.facts;
    const partsReader = isIncremental ? partsReaderOf(operation.accept) : undefined;
    const ready: ReadyOperation = {
      record: operation,
      definition,
      schema,
      document,
      operation: definition.node,
      operationName,
      variableValues,
      contextValue: args.contextValue as GatewayContext, // of plugins, whose concern it is
      rootValue,
      onError: params.onError,
      isIncremental: partsReader !== undefined,
      fragmentDelivery: partsReader?.fragmentDelivery,
      partsReader,
    };
    const startMs = performance.now();
    const done = (executed: Executed): Executed => {
      if (Symbol.asyncIterator in executed) return executed;
      let result: ExecutionResult = executed;
      for (const phase of this.#policies.onExecuteDone) result = phase(ready, result) ?? result;
      operation.endPhase('execute', startMs);
      if (!this.#hooks.results) return result;
      const shown = withPlainData(result);
      const { parts } = operation;
      return parts ? (plainParts(parts.all(shown)) as Executed) : shown; // parts are results
    };
    const failed = (error: unknown) => done(this.#failed(operation, error));
    let executed: MaybePromise<Executed>;
    try {
      executed = run(ready);
    } catch (error) {
      return failed(error);
    }
    return executed instanceof Promise ? executed.then(done, failed) : done(executed);
  }

  #failed(operation: Operation, error: unknown): ExecutionResult {
    operation.parts?.end();
    return { errors: [this.translate(error)] };
  }

  /** Returns the first result of an operation after plugins have seen all parts. */
  async #firstOf(operation: Operation, executed: Executed): Promise<Executed> {
    const { parts } = operation;
    return parts && this.#hooks.results ? parts.replace(executed) : executed;
  }

  /** Creates the HTTP response. Every single result is translated, passes all policies and gets its headers here. */
  #responseTo(operation: Operation, executed: Executed): MaybePromise<OperationResponse> {
    const { stream, parts } = operation;
    let response: OperationResponse;
    if (stream && Symbol.asyncIterator in executed) {
      response = responseInEvents(executed, stream);
    } else {
      // A plugin replaced the stream by a single result.
      stream?.close('left');
      const result = this.settle(operation, executed as ExecutionResult);
      response =
        parts && !parts.isOver
          ? responseInParts(parts.stream(result), parts.format)
          : responseOf(result, negotiateMediaType(operation.accept) ?? 'application/json');
    }
    const waiting = inOrder(this.#policies.onAnswer, operation, response);
    return waiting ? waiting.then(() => finish(response, operation)) : finish(response, operation);
  }
}

/** @throws BAD_REQUEST */
function unchecked(operation: Operation): unknown {
  const { body = '' } = operation;
  const given = typeof body === 'string' ? readRequest(operation, body) : body;
  if (!Array.isArray(given)) return given;
  throw badRequest('Batching is not supported. Send one operation per request.');
}

const execute = (prepared: readonly GraphQLError[] | Execute): MaybePromise<Executed> =>
  typeof prepared === 'function' ? prepared() : { errors: prepared };

/** Whether a root field has a value. */
function hasValue(data: Readonly<Record<string, unknown>> | null | undefined): boolean {
  for (const name in data) if (data[name] !== null) return true;
  return false;
}
