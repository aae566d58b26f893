/**
 * Cache of documents by source: parsed within limits, and validated.
 *
 * Bounded by bytes: comments are no tokens, and a thousand documents of comments took 300 MB.
 */
import {
  FragmentsOnCompositeTypesRule,
  GraphQLError,
  KnownDirectivesRule,
  KnownFragmentNamesRule,
  NoFragmentCyclesRule,
  NoSchemaIntrospectionCustomRule,
  NoUnusedFragmentsRule,
  parse,
  PossibleFragmentSpreadsRule,
  specifiedRules,
  UniqueDirectivesPerLocationRule,
  UniqueFragmentNamesRule,
  validate,
  type DocumentNode,
  type GraphQLSchema,
  type ValidationRule,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { incrementalRules } from '../../execution/incremental/validation.ts';
import { operationRules, withoutFaults } from '../../execution/operation/validation.ts';
import { isGraphQLError } from '../../graph/errors.ts';
import { documentError, notUnderstood } from '../operation/client-error.ts';
import { Document, type DocumentFacts, type Validated } from '../operation/document.ts';
import {
  complexityOf,
  DEFAULT_LIMITS,
  excess,
  findTextExcess,
  type DocumentLimits,
} from './document-limits.ts';
import { sha256 } from './manifest.ts';

interface DocumentsOptions {
  readonly schema: GraphQLSchema;
  /** @default all of them */
  readonly limits?: Partial<DocumentLimits> | undefined;
  readonly introspection: IntrospectionAudience;
}

/**
 * Audience of introspection: all callers, those with a key, or none. Suggestions ("Did you mean") are shown only with
 * `on`, since cached errors are the same for all callers.
 */
export type IntrospectionAudience = 'on' | 'keys' | 'off';

/** Memory of an executed document, in bytes per character; measured: 170 to 190. */
const BYTES_PER_CHARACTER = 180;

const MAX_BYTES = 32_000_000;

export const MAX_ERRORS = 20;

/** Rules that find nothing in a document without what they are about; each costs a new document as much as a field. */
const RULES = {
  hasFragments: [
    FragmentsOnCompositeTypesRule,
    KnownFragmentNamesRule,
    NoFragmentCyclesRule,
    NoUnusedFragmentsRule,
    PossibleFragmentSpreadsRule,
    UniqueFragmentNamesRule,
  ],
  hasDirectives: [KnownDirectivesRule, UniqueDirectivesPerLocationRule],
  isIncremental: incrementalRules,
};

const NAMES = Object.keys(RULES) as readonly (keyof typeof RULES)[];

/** Omits rules that find nothing. */
function rulesFor(facts: DocumentFacts, rules: readonly ValidationRule[]) {
  const idle = new Set<ValidationRule>(NAMES.flatMap((name) => (facts[name] ? [] : RULES[name])));
  return rules.filter((rule) => !idle.has(rule));
}

export class Documents {
  readonly #schema: GraphQLSchema;
  readonly #limits: DocumentLimits;
  /** Rules in addition to those of the specification. */
  readonly ownRules: readonly ValidationRule[];
  readonly #hideSuggestions: boolean;
  readonly #byText: LRUCache<string, Document>;
  /** Documents supplied by plugins, by syntax tree. */
  readonly #bySyntax = new WeakMap<DocumentNode, Document>();

  constructor({ schema, limits, introspection }: DocumentsOptions) {
    this.#schema = schema;
    this.#limits = { ...DEFAULT_LIMITS, ...limits };
    this.ownRules = [
      ...operationRules,
      ...incrementalRules,
      ...(introspection === 'off' ? [NoSchemaIntrospectionCustomRule] : []),
    ];
    this.#hideSuggestions = introspection !== 'on';
    this.#byText = new LRUCache({
      max: 1_000,
      maxSize: MAX_BYTES,
      sizeCalculation: (_document, text) => (text.length + 1) * BYTES_PER_CHARACTER,
    });
  }

  /** Whether the result of parsing and validating a query string is cached; true for an empty one. */
  isKnown(text: string): boolean {
    if (text === '') return true;
    const document = this.#byText.peek(text);
    return document !== undefined && (document.failure ?? document.validated) !== undefined;
  }

  /** Returns the document of a query string. Its `failure` is set if it cannot be parsed. */
  find(text: string): Document {
    let document = this.#byText.get(text);
    if (!document) {
      document = this.#read(text, undefined);
      this.#byText.set(text, document);
    }
    return document;
  }

  /** Returns the document of a plugin's syntax tree. @param replaced the document that it replaces. */
  of(syntax: DocumentNode, { text = '', hash }: Partial<Document> = {}): Document {
    let document = this.#bySyntax.get(syntax);
    if (!document) {
      const { facts } = complexityOf(syntax, this.#limits);
      // The text is that of the document it replaces.
      const unknown = { hasFragments: true, hasDirectives: true };
      document = new Document({ text, hash, syntax, facts: { ...facts, ...unknown } });
      this.#bySyntax.set(syntax, document);
    }
    return document;
  }

  /** Parses and validates a document that the caller stores, such as a trusted one. */
  prepare(text: string): Document {
    const document = this.#read(text, sha256(text));
    if (!document.failure) this.validate(document, this.#schema);
    return document;
  }

  /**
   * Returns the validation errors of a document, and caches the latest.
   *
   * @param rules replace the gateway's own.
   */
  validate(
    document: Document,
    schema: GraphQLSchema,
    rules?: readonly ValidationRule[],
  ): readonly GraphQLError[] {
    const known = document.validated;
    if (known?.schema === schema && areAlike(known.rules, rules)) return known.errors;
    const options = { maxErrors: MAX_ERRORS, hideSuggestions: this.#hideSuggestions };
    // Other rules follow cycles at unbounded cost.
    const applied = document.facts.isCyclic
      ? [NoFragmentCyclesRule]
      : withoutFaults(rules ?? rulesFor(document.facts, [...specifiedRules, ...this.ownRules]));
    let found: readonly GraphQLError[];
    try {
      found = validate(schema, document.syntax, applied, options);
    } catch (error) {
      // Rules of graphql-js throw for some invalid documents, which are client errors.
      found = [isGraphQLError(error) ? error : notUnderstood(error)];
    }
    const errors = found.map((error) => withCode(error, 'GRAPHQL_VALIDATION_FAILED'));
    document.validated = { schema, rules, errors };
    return errors;
  }

  #read(text: string, hash: string | undefined): Document {
    try {
      return this.#parse(text, hash);
    } catch (error) {
      // The parser throws GraphQLErrors only.
      return new Document({ text, hash, failure: error as GraphQLError });
    }
  }

  /** @throws GRAPHQL_PARSE_FAILED, QUERY_TOO_LARGE */
  #parse(text: string, hash: string | undefined): Document {
    const { tokens } = this.#limits;
    const textExcess = findTextExcess(text, this.#limits);
    if (textExcess) throw documentError('QUERY_TOO_LARGE', textExcess);
    let syntax: DocumentNode;
    try {
      syntax = parse(text, { maxTokens: tokens });
    } catch (error) {
      // The parser is recursive: deep nesting can overflow the stack within the token limit.
      throw isTokenLimit(error) || error instanceof RangeError
        ? documentError('QUERY_TOO_LARGE', excess('tokens', tokens))
        : withCode(error as GraphQLError, 'GRAPHQL_PARSE_FAILED');
    }
    const complexity = complexityOf(syntax, this.#limits);
    if (complexity.excess) throw documentError('QUERY_TOO_LARGE', complexity.excess);
    // Strings and comments may contain both too.
    const hasFragments = /\.\.\.|\bfragment\b/.test(text);
    const facts = { ...complexity.facts, hasFragments, hasDirectives: text.includes('@') };
    return new Document({ text, hash, syntax, facts });
  }
}

/** Compares lists of rules by name, since some plugins create their rules for each request. */
const areAlike = (some: Validated['rules'], others: Validated['rules']): boolean =>
  some?.length === others?.length && (some ?? []).every(({ name }, i) => name === others![i]!.name);

/** Adds a code to an error of graphql-js unless a rule has set one. */
function withCode(error: GraphQLError, code: string): GraphQLError {
  const http = { status: 400, spec: true };
  if (error instanceof GraphQLError) {
    Object.assign(error.extensions, { code, ...error.extensions, http });
    return error;
  }
  // The error may be an instance of another copy of graphql.
  const { message, nodes, extensions } = error as GraphQLError;
  return new GraphQLError(message, {
    nodes: nodes ?? null,
    extensions: { code, ...extensions, http },
  });
}

/** Matched by message: graphql-js has no class or code for the token limit. */
const isTokenLimit = (error: unknown): boolean =>
  error instanceof GraphQLError && /contains more tha[nt] \d+ tokens/.test(error.message);
