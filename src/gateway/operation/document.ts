/** A document, trusted or sent by a caller: its syntax tree, errors, facts, costs and weights. */
import {
  Kind,
  type DocumentNode,
  type GraphQLError,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type ValidationRule,
} from 'graphql';
import { leastCost } from '../../plan/cost.ts';
import type { Budget } from '../../plan/planner.ts';
import { Weights } from '../../plan/weight.ts';
import { clientError } from './client-error.ts';

export interface DocumentFacts {
  /** Whether it selects only introspection and `__typename`, which need no key. */
  readonly isOfSchema: boolean;
  readonly asksSchema: boolean;
  readonly isCyclic: boolean;
  /** Whether it may have fragments, inline ones too. */
  readonly hasFragments: boolean;
  /** Whether it may have directives. */
  readonly hasDirectives: boolean;
  /** Whether it uses `@defer` or `@stream`. */
  readonly isIncremental: boolean;
}

export interface Validated {
  readonly schema: GraphQLSchema;
  /** Undefined for the gateway's own rules. */
  readonly rules: readonly ValidationRule[] | undefined;
  readonly errors: readonly GraphQLError[];
}

const NO_SYNTAX: DocumentNode = { kind: Kind.DOCUMENT, definitions: [] };

const NO_FACTS: DocumentFacts = {
  isOfSchema: false,
  asksSchema: false,
  isCyclic: false,
  hasFragments: true,
  hasDirectives: true,
  isIncremental: false,
};

export class OperationDefinition {
  readonly document: Document;
  readonly node: OperationDefinitionNode;
  readonly name: string | undefined;
  readonly type: 'query' | 'mutation' | 'subscription';
  readonly weights = new Weights();

  constructor(document: Document, node: OperationDefinitionNode) {
    this.document = document;
    this.node = node;
    this.name = node.name?.value;
    this.type = node.operation;
  }
}

export class Document {
  readonly text: string;
  /** Empty for a syntax error. */
  readonly syntax: DocumentNode;
  /** A syntax error or an exceeded limit; undefined for a parsed document. */
  readonly failure: GraphQLError | undefined;
  readonly facts: DocumentFacts;
  /** SHA-256 of the text of a trusted document; undefined for other documents. */
  readonly hash: string | undefined;
  /** Latest validation; undefined before the first. */
  validated: Validated | undefined;
  readonly operations: readonly OperationDefinition[];
  #least: Budget | undefined = undefined;

  constructor({
    text = '',
    syntax = NO_SYNTAX,
    failure,
    facts = NO_FACTS,
    hash,
  }: Partial<Pick<Document, 'text' | 'syntax' | 'failure' | 'facts' | 'hash'>>) {
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

  /** Lower bound of its cost for any variables. */
  get least(): Budget {
    return (this.#least ??= leastCost(this.syntax));
  }

  get errors(): readonly GraphQLError[] {
    return this.failure ? [this.failure] : (this.validated?.errors ?? []);
  }

  /**
   * Returns the operation of a name, or the only one.
   *
   * @throws the document's failure, or OPERATION_RESOLUTION_FAILURE.
   */
  select(name: string | null | undefined): OperationDefinition {
    if (this.failure) throw this.failure;
    const { operations } = this;
    const found =
      name == null
        ? operations.length === 1 && operations[0]
        : operations.find((one) => one.name === name);
    if (!found) throw noOperation(operations, name);
    return found;
  }
}

const MAX_NAMES = 10;

function noOperation(
  operations: readonly OperationDefinition[],
  requested: string | null | undefined,
): GraphQLError {
  const names = operations.map(({ name }) =>
    name === undefined ? 'one without a name' : JSON.stringify(name),
  );
  const more = names.length > MAX_NAMES ? `, and ${names.length - MAX_NAMES} more` : '';
  const list = `The document has ${names.slice(0, MAX_NAMES).join(', ')}${more}.`;
  const message =
    names.length === 0
      ? 'The document has only fragments. Add an operation.'
      : requested
        ? `Unknown operation ${JSON.stringify(requested)}. ${list}`
        : `Missing \`operationName\`. ${list}`;
  return clientError(400, 'OPERATION_RESOLUTION_FAILURE', message);
}
