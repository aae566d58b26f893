/**
 * The operations of a schema that are kept prepared: once for every outcome of their `@skip` and `@include`.
 */
import {
  GraphQLError,
  Kind,
  visit,
  type DocumentNode,
  type GraphQLObjectType,
  type OperationDefinitionNode,
  type SelectionNode,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import {
  collectFields,
  fragmentsOf,
  sumSelections,
  type OperationContext,
} from './collect-fields.ts';
import { PreparedSelection } from './prepared-selection.ts';

/** Size of the cache of prepared operations, in bytes. */
const MAX_BYTES = 32_000_000;

/** Assumed weights, in bytes; measured: 500 to 750, and 30 to 110. */
const BYTES_PER_FIELD = 700;
const BYTES_PER_CHARACTER = 100;

/** What all operations of a document share. */
interface PreparedDocument {
  readonly id: number;
  readonly fragments: OperationContext['fragments'];
  /** The variables that decide what is selected. */
  readonly deciders: readonly string[];
}

/** How the root of an operation is prepared. */
export interface Preparation {
  /** Tells apart what is prepared of one operation in several ways. */
  readonly name: string;
  /** @throws {GraphQLError} when a condition is null. */
  root(
    context: OperationContext,
    type: GraphQLObjectType,
    operation: OperationDefinitionNode,
  ): PreparedSelection;
}

/** As the specification has it: all that is selected of an object is executed with it. */
export const PLAIN: Preparation = {
  name: 'plain',
  // The array is this outcome's own: what is collected is remembered by it.
  root: (context, type, operation) =>
    new PreparedSelection(context, type, collectFields(context, type, [operation])),
};

/** The operations of one schema that are kept prepared. */
export class PreparedOperations {
  /** Documents are let go by the cache that parsed them. */
  readonly #documents = new WeakMap<DocumentNode, PreparedDocument>();
  readonly #roots = new LRUCache<string, PreparedSelection>({ maxSize: MAX_BYTES });
  #ids = 0;

  document(document: DocumentNode): PreparedDocument {
    let known = this.#documents.get(document);
    if (!known) {
      const id = this.#ids++;
      known = { id, fragments: fragmentsOf(document), deciders: decidersOf(document) };
      this.#documents.set(document, known);
    }
    return known;
  }

  /**
   * What an operation selects.
   *
   * @throws {GraphQLError} when a condition is null, or the schema has no operations of this kind.
   */
  root(
    { id, deciders }: PreparedDocument,
    operation: OperationDefinitionNode,
    context: OperationContext,
    preparation: Preparation,
  ): PreparedSelection {
    const type = context.schema.getRootType(operation.operation);
    if (!type) {
      const message = `Schema is not configured to execute ${operation.operation} operation.`;
      throw new GraphQLError(message, { nodes: operation });
    }
    let key = `${preparation.name} ${id} ${operation.name?.value ?? ''}`;
    for (const name of deciders) key += ` ${signOf(context.variableValues[name])}`;
    let root = this.#roots.get(key);
    if (!root) {
      root = preparation.root(context, type, operation);
      this.#roots.set(key, root, { size: weightOf(operation, context.fragments) });
    }
    return root;
  }
}

/** Of an operation whose fields have all been prepared. */
const weightOf = (
  { loc, selectionSet }: OperationDefinitionNode,
  fragments: OperationContext['fragments'],
): number =>
  1 +
  BYTES_PER_CHARACTER * (loc?.source.body.length ?? 0) +
  BYTES_PER_FIELD * sumSelections(selectionSet, fragments, 0, add, countField);

const add = (a: number, b: number): number => a + b;

const countField = ({ kind }: SelectionNode, below: number): number =>
  below + (kind === Kind.FIELD ? 1 : 0);

/** Another operation may declare the same name with another type. */
const signOf = (value: unknown): string => (typeof value === 'boolean' ? String(value) : '-');

function decidersOf(document: DocumentNode): readonly string[] {
  const names = new Set<string>();
  visit(document, {
    Directive: ({ arguments: given = [] }) => {
      for (const { value } of given) if (value.kind === Kind.VARIABLE) names.add(value.name.value);
    },
  });
  return [...names];
}
