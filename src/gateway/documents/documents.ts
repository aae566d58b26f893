/**
 * Documents by their text: parsed within limits, and validated.
 *
 * The cache is bounded by weight: comments cost no tokens, and a thousand documents of comments
 * alone took 300 MB.
 */
import {
  GraphQLError,
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
import { incrementalRules } from '../../execution/incremental/validation.ts';
import { operationRules, withoutFaults } from '../../execution/operation/validation.ts';
import { isGraphQLError } from '../../graph/errors.ts';
import { documentError, notUnderstood } from '../operation/client-error.ts';
import { Document } from '../operation/document.ts';
import { DEFAULT_LIMITS, findTextExcess, measure, type DocumentLimits } from './document-limits.ts';

interface DocumentsOptions {
  readonly schema: GraphQLSchema;
  /** @default all of them */
  readonly limits?: Partial<DocumentLimits> | undefined;
  readonly introspection: IntrospectionAudience;
  /** Called with each valid document before it is served, to work out what does not change. */
  readonly prepare?: (document: Document) => void;
}

/**
 * Audience of the schema: all callers, those with a key, or none. Errors name what was perhaps meant where all
 * may: they are kept with a document, whoever sends it.
 */
export type IntrospectionAudience = 'on' | 'keys' | 'off';

/** Assumed weight of a document that was executed, in bytes a character; measured: 170 to 190. */
const BYTES_PER_CHARACTER = 180;

const MAX_BYTES = 32_000_000;

/** Errors reported for one document; further ones show when these are corrected. */
const MAX_ERRORS = 20;

export class Documents {
  readonly #schema: GraphQLSchema;
  readonly #limits: DocumentLimits;
  readonly #rules: readonly ValidationRule[];
  /** Beside those of the specification. */
  readonly ownRules: readonly ValidationRule[];
  readonly #hideSuggestions: boolean;
  readonly #prepare: ((document: Document) => void) | undefined;
  readonly #byText: LRUCache<string, Document>;
  /** Documents that plugins have put in the place of others, by their syntax. */
  readonly #bySyntax = new WeakMap<DocumentNode, Document>();

  constructor({ schema, limits, introspection, prepare }: DocumentsOptions) {
    this.#schema = schema;
    this.#limits = { ...DEFAULT_LIMITS, ...limits };
    this.ownRules = [
      ...operationRules,
      ...incrementalRules,
      ...(introspection === 'off' ? [NoSchemaIntrospectionCustomRule] : []),
    ];
    this.#rules = [...specifiedRules, ...this.ownRules];
    this.#hideSuggestions = introspection !== 'on';
    this.#prepare = prepare;
    this.#byText = new LRUCache({
      max: 1_000,
      maxSize: MAX_BYTES,
      sizeCalculation: (_document, text) => (text.length + 1) * BYTES_PER_CHARACTER,
    });
  }

  /** Whether a text was parsed and validated, or rejected; true for the absence of one. */
  isKnown(text: string): boolean {
    if (text === '') return true;
    const document = this.#byText.peek(text);
    return document !== undefined && (document.failure ?? document.validated) !== undefined;
  }

  /** The document of a text, which may be one that does not parse: GRAPHQL_PARSE_FAILED, QUERY_TOO_LARGE. */
  find(text: string): Document {
    let document = this.#byText.get(text);
    if (!document) {
      document = this.#read(text, undefined);
      this.#byText.set(text, document);
    }
    return document;
  }

  /** The document of a syntax tree that a plugin has made. @param replaced whose place it takes. */
  of(syntax: DocumentNode, { text = '', hash }: Partial<Document> = {}): Document {
    let document = this.#bySyntax.get(syntax);
    if (!document) {
      const { facts } = measure(syntax, this.#limits);
      document = new Document({ text, hash, syntax, facts });
      this.#bySyntax.set(syntax, document);
    }
    return document;
  }

  /**
   * A document that is served for as long as it is kept: parsed, validated and prepared at once.
   *
   * @param hash the SHA-256 of its text.
   */
  prepare(text: string, hash: string): Document {
    const document = this.#read(text, hash);
    if (!document.failure && this.validate(document, this.#schema).length === 0) {
      this.#prepare?.(document);
    }
    return document;
  }

  /**
   * The errors of a document that does not fit the schema; the latest ones are kept with it.
   *
   * @param rules in place of the gateway's own.
   */
  validate(
    document: Document,
    schema: GraphQLSchema,
    rules?: readonly ValidationRule[],
  ): readonly GraphQLError[] {
    const known = document.validated;
    if (known?.schema === schema && areAlike(known.rules, rules)) return known.errors;
    const options = { maxErrors: MAX_ERRORS, hideSuggestions: this.#hideSuggestions };
    // Other rules follow cycles, at an unknown cost.
    const applied = document.facts.isCyclic
      ? [NoFragmentCyclesRule]
      : withoutFaults(rules ?? this.#rules);
    let found: readonly GraphQLError[];
    try {
      found = validate(schema, document.syntax, applied, options);
    } catch (error) {
      // Rules of graphql-js throw at some documents: a client error, and no failure of the gateway.
      found = [isGraphQLError(error) ? error : notUnderstood(error)];
    }
    const errors = found.map((error) => coded(error, 'GRAPHQL_VALIDATION_FAILED'));
    document.validated = { schema, rules, errors };
    return errors;
  }

  #read(text: string, hash: string | undefined): Document {
    try {
      return this.#parse(text, hash);
    } catch (error) {
      // The parser throws nothing else.
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
      // The parser calls itself for each bracket: fewer than these tokens may be too many for the stack.
      throw isTokenLimit(error) || error instanceof RangeError
        ? documentError('QUERY_TOO_LARGE', `A query may have ${tokens} tokens: split the query.`)
        : coded(error as GraphQLError, 'GRAPHQL_PARSE_FAILED');
    }
    const { excess, facts } = measure(syntax, this.#limits);
    if (excess) throw documentError('QUERY_TOO_LARGE', excess);
    return new Document({ text, hash, syntax, facts });
  }
}

/** Whether lists of rules have the same names, since some plugins make theirs anew each time. */
function areAlike(
  some: readonly ValidationRule[] | undefined,
  others: readonly ValidationRule[] | undefined,
): boolean {
  if (!some || !others) return some === others;
  return (
    some.length === others.length &&
    some.every((rule, i) => rule === others[i] || rule.name === others[i]!.name)
  );
}

/** An error of graphql-js, with the code that graphql-js leaves out; a rule of ours may have given one. */
function coded(error: GraphQLError, code: string): GraphQLError {
  const http = { status: 400, spec: true };
  if (error instanceof GraphQLError) {
    Object.assign(error.extensions, { code, ...error.extensions, http });
    return error;
  }
  // Of a plugin's own copy of graphql.
  const { message, nodes, extensions } = error as GraphQLError;
  return new GraphQLError(message, {
    nodes: nodes ?? null,
    extensions: { code, ...extensions, http },
  });
}

/** graphql-js has no class or code for this one. */
const isTokenLimit = (error: unknown): boolean =>
  error instanceof GraphQLError && /contains more tha[nt] \d+ tokens/.test(error.message);
