/**
 * A document: all that is known of a text that callers send again and again, or of a trusted one.
 *
 * One look-up finds it, so that nothing of it is worked out twice or looked for in another cache.
 */
import {
  Kind,
  type DocumentNode,
  type GraphQLError,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type ValidationRule,
} from 'graphql';

/** What is known of a document, whatever is sent with it. */
export interface DocumentFacts {
  /** Whether it asks for nothing but the schema and `__typename`: then no key is needed. */
  readonly isOfSchema: boolean;
  /** Whether it asks for the schema. */
  readonly asksSchema: boolean;
  /** Whether fragments spread themselves. */
  readonly isCyclic: boolean;
  /** Whether it has `@defer` or `@stream`. */
  readonly isIncremental: boolean;
}

/** Errors of a document by some rules, against a schema. */
export interface Validated {
  readonly schema: GraphQLSchema;
  /** Undefined for the gateway's own rules. */
  readonly rules: readonly ValidationRule[] | undefined;
  readonly errors: readonly GraphQLError[];
}

interface DocumentParts {
  readonly text: string;
  readonly syntax?: DocumentNode;
  readonly failure?: GraphQLError;
  readonly facts?: DocumentFacts;
  readonly hash?: string | undefined;
}

const NO_SYNTAX: DocumentNode = { kind: Kind.DOCUMENT, definitions: [] };

const NO_FACTS: DocumentFacts = {
  isOfSchema: false,
  asksSchema: false,
  isCyclic: false,
  isIncremental: false,
};

export class Document {
  readonly text: string;
  /** Empty for a text that does not parse. */
  readonly syntax: DocumentNode;
  /** Why it is not parsed: its syntax, or a limit; undefined for one that is. */
  readonly failure: GraphQLError | undefined;
  readonly facts: DocumentFacts;
  /** The SHA-256 of the text of a trusted document; undefined for every other. */
  readonly hash: string | undefined;
  /** Its latest validation; undefined until it is validated. */
  validated: Validated | undefined;
  /** The operation that is meant where none is named: the only one. */
  readonly #only: OperationDefinitionNode | undefined;
  readonly #named = new Map<string, OperationDefinitionNode>();

  constructor({ text, syntax = NO_SYNTAX, failure, facts = NO_FACTS, hash }: DocumentParts) {
    this.text = text;
    this.syntax = syntax;
    this.failure = failure;
    this.facts = facts;
    this.hash = hash;
    this.validated = undefined;
    const { operations } = this;
    this.#only = operations.length === 1 ? operations[0] : undefined;
    for (const one of operations) {
      const name = one.name?.value;
      if (name !== undefined && !this.#named.has(name)) this.#named.set(name, one);
    }
  }

  get operations(): readonly OperationDefinitionNode[] {
    return this.syntax.definitions.filter((one) => one.kind === Kind.OPERATION_DEFINITION);
  }

  /** The errors of its latest validation; those of its syntax where it has none. */
  get errors(): readonly GraphQLError[] {
    return this.failure ? [this.failure] : (this.validated?.errors ?? []);
  }

  /** The operation of a name, or the only one; undefined where none is meant. */
  operation(name: string | null | undefined): OperationDefinitionNode | undefined {
    return name == null ? this.#only : this.#named.get(name);
  }
}
