/**
 * Documents by their text: parsed, measured and validated once, and kept for the next time.
 *
 * Comments cost no tokens but are kept with a parsed document, so what is kept is bounded by what
 * it weighs and not by how many there are.
 */
import {
  getOperationAST,
  GraphQLError,
  Kind,
  NoFragmentCyclesRule,
  NoSchemaIntrospectionCustomRule,
  parse,
  specifiedRules,
  validate,
  type DocumentNode,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type ValidationRule,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { fragmentsOf } from '../../execution/operation/collect-fields.ts';
import { incrementalRules } from '../../execution/incremental/validation.ts';
import { documentRefusal } from '../reply/refusal.ts';
import { replyOf, type Reply } from '../reply/reply.ts';
import {
  DEFAULT_LIMITS,
  fieldsIn,
  findTextExcess,
  measure,
  type DocumentLimits,
  type Measured,
} from './document-limits.ts';

export interface DocumentsOptions {
  readonly schema: GraphQLSchema;
  readonly limits?: Partial<DocumentLimits>;
  /** @default true */
  readonly introspection?: boolean;
  /** Whether errors may name what was perhaps meant. @default true */
  readonly suggestions?: boolean;
}

/** Assumed weight of a parsed document, in bytes a character; measured: 30 to 110. */
const BYTES_PER_CHARACTER = 100;

const MAX_BYTES = 32_000_000;

/** Errors reported for one document; further ones show when these are corrected. */
const MAX_ERRORS = 20;

/** A document within its limits. */
export class KnownDocument {
  readonly source: string;
  readonly document: DocumentNode;
  /** Whether it asks for nothing but the schema and `__typename`: then no key is needed. */
  readonly isOfSchema: boolean;
  /** Whether it asks for the schema and nothing else than that and `__typename`. */
  readonly introspects: boolean;
  /** Whether parts of its answers may come later, for callers who read them. */
  readonly isIncremental: boolean;
  /** Whether fragments spread themselves. */
  readonly isCyclic: boolean;
  /** Undefined until it is validated; then its refusal, or null for a sound one. */
  refusal: Reply | null | undefined;
  readonly #only: OperationDefinitionNode | undefined;

  constructor(source: string, document: DocumentNode, { isCyclic, isIncremental }: Measured) {
    this.source = source;
    this.document = document;
    this.isCyclic = isCyclic;
    this.isIncremental = isIncremental;
    this.#only = getOperationAST(document) ?? undefined;
    const names = rootFieldsOf(document);
    this.isOfSchema = names.every((name) => META_FIELDS.has(name));
    this.introspects = this.isOfSchema && names.some((name) => name !== '__typename');
  }

  /** Undefined when there is no such operation, or several without a name. */
  operation(name: string | null | undefined): OperationDefinitionNode | undefined {
    return name == null ? this.#only : (getOperationAST(this.document, name) ?? undefined);
  }
}

const META_FIELDS = new Set(['__typename', '__schema', '__type']);

/** The names of the fields at the root of its operations, those in fragments as well. */
function rootFieldsOf(document: DocumentNode): readonly string[] {
  const operations = document.definitions.filter((one) => one.kind === Kind.OPERATION_DEFINITION);
  const sets = operations.map(({ selectionSet }) => selectionSet);
  return [...fieldsIn(sets, fragmentsOf(document))].map(({ name }) => name.value);
}

export class Documents {
  readonly #schema: GraphQLSchema;
  readonly #limits: DocumentLimits;
  readonly #rules: readonly ValidationRule[];
  readonly #hideSuggestions: boolean;
  readonly #known = cacheByText<KnownDocument>();
  readonly #refused = cacheByText<Reply>();

  constructor({ schema, limits, introspection = true, suggestions = true }: DocumentsOptions) {
    this.#schema = schema;
    this.#limits = { ...DEFAULT_LIMITS, ...limits };
    this.#rules = [
      ...specifiedRules,
      ...incrementalRules,
      ...(introspection ? [] : [NoSchemaIntrospectionCustomRule]),
    ];
    this.#hideSuggestions = !suggestions;
  }

  /** Parses and measures a text; its refusal when it is none, or too large. */
  read(source: string): KnownDocument | Reply {
    const found = this.#known.get(source) ?? this.#refused.get(source);
    if (found) return found;
    try {
      const known = this.#parse(source);
      this.#known.set(source, known);
      return known;
    } catch (error) {
      const refusal = refusalOf(error);
      this.#refused.set(source, refusal);
      return refusal;
    }
  }

  /** As `read` and `validate`, without keeping the document here. */
  prepare(source: string): KnownDocument | Reply {
    try {
      const known = this.#parse(source);
      this.validate(known);
      return known;
    } catch (error) {
      return refusalOf(error);
    }
  }

  /** Whether a text is known to ask for nothing but the schema and `__typename`. */
  isOfSchema(source: string): boolean {
    return this.#known.get(source)?.isOfSchema ?? false;
  }

  /** The refusal of a document that does not fit the schema; null for a sound one. */
  validate(known: KnownDocument): Reply | null {
    if (known.refusal === undefined) {
      const options = { maxErrors: MAX_ERRORS, hideSuggestions: this.#hideSuggestions };
      // Other rules follow cycles, at an unknown cost.
      const rules = known.isCyclic ? [NoFragmentCyclesRule] : this.#rules;
      const errors = validate(this.#schema, known.document, rules, options);
      known.refusal =
        errors.length > 0 ? replyOf({ errors }, { code: 'GRAPHQL_VALIDATION_FAILED' }) : null;
    }
    return known.refusal;
  }

  /** @throws {GraphQLError} */
  #parse(source: string): KnownDocument {
    const { tokens } = this.#limits;
    const textExcess = findTextExcess(source, this.#limits);
    if (textExcess) throw documentRefusal('QUERY_TOO_LARGE', textExcess);
    let document: DocumentNode;
    try {
      document = parse(source, { maxTokens: tokens });
    } catch (error) {
      throw isTokenLimit(error)
        ? documentRefusal('QUERY_TOO_LARGE', `A query may have ${tokens} tokens: split the query.`)
        : error;
    }
    const measured = measure(document, this.#limits);
    if (measured.excess) throw documentRefusal('QUERY_TOO_LARGE', measured.excess);
    return new KnownDocument(source, document, measured);
  }
}

const refusalOf = (error: unknown): Reply =>
  replyOf({ errors: [error] }, { code: 'GRAPHQL_PARSE_FAILED' });

/** graphql-js has no class or code for this one. */
const isTokenLimit = (error: unknown): boolean =>
  error instanceof GraphQLError && /contains more tha[nt] \d+ tokens/.test(error.message);

const cacheByText = <Value extends object>() =>
  new LRUCache<string, Value>({
    max: 1_000,
    maxSize: MAX_BYTES,
    sizeCalculation: (_value, source) => Math.max(1, source.length * BYTES_PER_CHARACTER),
  });
