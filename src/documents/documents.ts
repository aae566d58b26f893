/**
 * Documents by their text: parsed within limits, validated, and what is known of each.
 *
 * Yoga keeps parsed documents in caches of ours, which are bounded by what the documents weigh: comments
 * cost no tokens, and a thousand documents of comments alone took 300 MB.
 */
import {
  GraphQLError,
  Kind,
  NoFragmentCyclesRule,
  NoSchemaIntrospectionCustomRule,
  parse,
  specifiedRules,
  validate,
  type DocumentNode,
  type GraphQLSchema,
  type ValidationRule,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { incrementalRules } from '../execution/incremental/validation.ts';
import { fragmentsOf } from '../execution/operation/collect-fields.ts';
import { operationRules, withoutFaults } from '../execution/operation/validation.ts';
import { documentRefusal, notUnderstood } from '../operation/refusal.ts';
import {
  DEFAULT_LIMITS,
  fieldsIn,
  findTextExcess,
  measure,
  type DocumentLimits,
  type Measured,
} from './document-limits.ts';

interface DocumentsOptions {
  /** @default all of them */
  readonly limits?: Partial<DocumentLimits> | undefined;
  readonly introspection: IntrospectionAudience;
}

/**
 * Who may ask for the schema: all callers, those who bring a key, or none. Errors name what was perhaps meant where all
 * may: they are kept with a document, whoever sends it.
 */
export type IntrospectionAudience = 'on' | 'keys' | 'off';

/** What is known of a document, whatever is sent with it. */
interface DocumentFacts extends Omit<Measured, 'excess'> {
  /** Whether it asks for nothing but the schema and `__typename`: then no key is needed. */
  readonly isOfSchema: boolean;
  /** Whether it asks for the schema. */
  readonly asksSchema: boolean;
}

/** Assumed weight of a parsed document, in bytes a character; measured: 30 to 110. */
const BYTES_PER_CHARACTER = 100;

const MAX_BYTES = 32_000_000;

/** Errors reported for one document; further ones show when these are corrected. */
const MAX_ERRORS = 20;

/** Fields that answer the schema; `_service` does where the gateway is a subgraph. */
const SCHEMA_FIELDS = new Set(['__schema', '__type', '_service']);

const facts = new WeakMap<DocumentNode, DocumentFacts>();

export function factsOf(document: DocumentNode): DocumentFacts {
  return facts.get(document) ?? learn(document, measure(document, DEFAULT_LIMITS));
}

function learn(document: DocumentNode, { isCyclic, isIncremental }: Measured): DocumentFacts {
  const names = rootFieldsOf(document);
  const isOfSchema = names.every((name) => name === '__typename' || SCHEMA_FIELDS.has(name));
  const asksSchema = names.some((name) => SCHEMA_FIELDS.has(name));
  const learnt = { isOfSchema, asksSchema, isCyclic, isIncremental };
  facts.set(document, learnt);
  return learnt;
}

export class Documents {
  /** Parsed documents and errors of others by their texts, for Yoga's cache. */
  readonly caches = {
    documentCache: cacheByText<DocumentNode>(),
    errorCache: cacheByText<Error>(),
    validationCache: false,
  };
  readonly #limits: DocumentLimits;
  /** Beside those of the specification. */
  readonly ownRules: readonly ValidationRule[];
  readonly #hideSuggestions: boolean;
  readonly #validated = new WeakMap<DocumentNode, Validated>();

  constructor({ limits, introspection }: DocumentsOptions) {
    this.#limits = { ...DEFAULT_LIMITS, ...limits };
    this.ownRules = [
      ...operationRules,
      ...incrementalRules,
      ...(introspection === 'off' ? [NoSchemaIntrospectionCustomRule] : []),
    ];
    this.#hideSuggestions = introspection !== 'on';
  }

  /** Whether a text was parsed and validated, or refused; true for the absence of one. */
  isKnown(source: string): boolean {
    if (source === '') return true;
    const document = this.caches.documentCache.get(source);
    return document
      ? this.#validated.has(document)
      : this.caches.errorCache.get(source) !== undefined;
  }

  /** @throws GRAPHQL_PARSE_FAILED, QUERY_TOO_LARGE */
  parse(source: string): DocumentNode {
    const { tokens } = this.#limits;
    const textExcess = findTextExcess(source, this.#limits);
    if (textExcess) throw documentRefusal('QUERY_TOO_LARGE', textExcess);
    let document: DocumentNode;
    try {
      document = parse(source, { maxTokens: tokens });
    } catch (error) {
      throw isTokenLimit(error)
        ? documentRefusal('QUERY_TOO_LARGE', `A query may have ${tokens} tokens: split the query.`)
        : coded(error as GraphQLError, 'GRAPHQL_PARSE_FAILED');
    }
    const measured = measure(document, this.#limits);
    if (measured.excess) throw documentRefusal('QUERY_TOO_LARGE', measured.excess);
    learn(document, measured);
    return document;
  }

  /** As `parse` and `validate`; never throws. */
  prepare(
    schema: GraphQLSchema,
    source: string,
  ): {
    readonly document: DocumentNode | GraphQLError;
    readonly errors: readonly GraphQLError[];
  } {
    try {
      const document = this.parse(source);
      return { document, errors: this.validate(schema, document) };
    } catch (error) {
      // The parser throws nothing else.
      const refusal = error as GraphQLError;
      return { document: refusal, errors: [refusal] };
    }
  }

  /**
   * The errors of a document that does not fit the schema; kept with the document.
   *
   * Yoga's own cache of them writes down the names of all rules for every request.
   */
  validate(
    schema: GraphQLSchema,
    document: DocumentNode,
    rules: readonly ValidationRule[] = [...specifiedRules, ...this.ownRules],
  ): readonly GraphQLError[] {
    const known = this.#validated.get(document);
    if (known && known.schema === schema && areAlike(known.rules, rules)) return known.errors;
    const errors = this.#validate(schema, document, rules);
    this.#validated.set(document, { schema, rules, errors });
    return errors;
  }

  #validate(
    schema: GraphQLSchema,
    document: DocumentNode,
    rules: readonly ValidationRule[],
  ): readonly GraphQLError[] {
    const options = { maxErrors: MAX_ERRORS, hideSuggestions: this.#hideSuggestions };
    // Other rules follow cycles, at an unknown cost.
    const applied = factsOf(document).isCyclic ? [NoFragmentCyclesRule] : withoutFaults(rules);
    let errors: readonly GraphQLError[];
    try {
      errors = validate(schema, document, applied, options);
    } catch (error) {
      // Rules of graphql-js fail at some documents. Whoever sends one is refused: the gateway has not failed.
      errors = [error instanceof GraphQLError ? error : notUnderstood(error)];
    }
    return errors.map((error) => coded(error, 'GRAPHQL_VALIDATION_FAILED'));
  }
}

interface Validated {
  readonly schema: GraphQLSchema;
  readonly rules: readonly ValidationRule[];
  readonly errors: readonly GraphQLError[];
}

/** Whether lists of rules have the same names, as Yoga compares them: some plugins make theirs anew each time. */
const areAlike = (some: readonly ValidationRule[], others: readonly ValidationRule[]): boolean =>
  some.length === others.length &&
  some.every((rule, i) => rule === others[i] || rule.name === others[i]!.name);

/** An error of graphql-js, with the code that graphql-js leaves out; a rule of ours may have given one. */
function coded(error: GraphQLError, code: string): GraphQLError {
  Object.assign(error.extensions, { code, ...error.extensions, http: { status: 400, spec: true } });
  return error;
}

/** The names of the fields at the root of its operations, those in fragments as well. */
function rootFieldsOf(document: DocumentNode): readonly string[] {
  const operations = document.definitions.filter((one) => one.kind === Kind.OPERATION_DEFINITION);
  const sets = operations.map(({ selectionSet }) => selectionSet);
  return [...fieldsIn(sets, fragmentsOf(document))].map(({ name }) => name.value);
}

/** graphql-js has no class or code for this one. */
const isTokenLimit = (error: unknown): boolean =>
  error instanceof GraphQLError && /contains more tha[nt] \d+ tokens/.test(error.message);

/**
 * A cache for Yoga. A trusted document that is asked for by its id has no text: what were kept under the empty text
 * would be the answer to every other id.
 */
function cacheByText<Value extends object>() {
  const cache = new LRUCache<string, Value>({
    max: 1_000,
    maxSize: MAX_BYTES,
    sizeCalculation: (_value, source) => source.length * BYTES_PER_CHARACTER,
  });
  return {
    get: (source: string): Value | undefined => cache.get(source),
    set: (source: string, value: Value): void => {
      if (source !== '') cache.set(source, value);
    },
  };
}
