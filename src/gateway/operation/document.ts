/**
 * A document: the one record of a text that callers send, or of a trusted one.
 *
 * Syntax, errors, facts, costs, weights and coordinates are its fields, found by one look-up.
 */
import {
  Kind,
  type DocumentNode,
  type GraphQLError,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type ValidationRule,
} from 'graphql';
import { memoizeIn } from '../../lib/memoize.ts';
import { usedBy } from '../../plan/coordinates.ts';
import { leastCost } from '../../plan/cost.ts';
import type { Budget } from '../../plan/planner.ts';
import { Weights } from '../../plan/weight.ts';

/** Facts that do not depend on variables. */
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

/** An operation of a document. */
export class OperationDefinition {
  readonly document: Document;
  readonly node: OperationDefinitionNode;
  readonly name: string | undefined;
  readonly type: 'query' | 'mutation' | 'subscription';
  /** Weights by its plans. */
  readonly weights = new Weights();
  /** Values of `perDefinition`, by accessor. */
  kept: Map<unknown, unknown> | undefined = undefined;
  #coordinates: ReadonlySet<string> | undefined = undefined;

  constructor(document: Document, node: OperationDefinitionNode) {
    this.document = document;
    this.node = node;
    this.name = node.name?.value;
    this.type = node.operation;
  }

  /** Schema coordinates that it uses, of a valid document. @param schema always the gateway's. */
  coordinatesIn(schema: GraphQLSchema): ReadonlySet<string> {
    return (this.#coordinates ??= usedBy(schema, this.document.syntax, this.node));
  }
}

/** Makes an accessor of one value an operation of a document, made at its first use and kept with the document. */
export const perDefinition = <Value>(
  make: (definition: OperationDefinition) => Value,
): ((definition: OperationDefinition) => Value) =>
  memoizeIn((definition) => (definition.kept ??= new Map<unknown, unknown>()), make);

export class Document {
  readonly text: string;
  /** Empty for a text that does not parse. */
  readonly syntax: DocumentNode;
  /** The error of its syntax or of a limit; undefined for a parsed document. */
  readonly failure: GraphQLError | undefined;
  readonly facts: DocumentFacts;
  /** The SHA-256 of the text of a trusted document; undefined for every other. */
  readonly hash: string | undefined;
  /** Its latest validation; undefined until it is validated. */
  validated: Validated | undefined;
  readonly operations: readonly OperationDefinition[];
  #least: Budget | undefined = undefined;

  constructor({ text, syntax = NO_SYNTAX, failure, facts = NO_FACTS, hash }: DocumentParts) {
    this.text = text;
    this.syntax = syntax;
    this.failure = failure;
    this.facts = facts;
    this.hash = hash;
    this.validated = undefined;
    this.operations = syntax.definitions
      .filter((one) => one.kind === Kind.OPERATION_DEFINITION)
      .map((one) => new OperationDefinition(this, one));
  }

  /** Least cost for any variables. */
  get least(): Budget {
    return (this.#least ??= leastCost(this.syntax));
  }

  /** The errors of its latest validation; those of its syntax where it has none. */
  get errors(): readonly GraphQLError[] {
    return this.failure ? [this.failure] : (this.validated?.errors ?? []);
  }

  /** The operation of a name, or the only one; undefined where none is meant. */
  operation(name: string | null | undefined): OperationDefinition | undefined {
    const { operations } = this;
    if (name == null) return operations.length === 1 ? operations[0] : undefined;
    return operations.find((one) => one.name === name);
  }
}
