/**
 * Cache of prepared operations of a schema, by the values of their `@skip` and `@include`.
 */
import {
  Kind,
  type DocumentNode,
  type GraphQLObjectType,
  type OperationDefinitionNode,
  type SelectionNode,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import {
  collectFields,
  eachSelection,
  fragmentsOf,
  sumSelections,
  type OperationContext,
} from './collect-fields.ts';
import { PreparedSelection } from './prepared-selection.ts';

/** Maximum size of the cache, in bytes. */
const MAX_BYTES = 32_000_000;

/** Memory in bytes; measured: 500 to 750, and 30 to 110. */
const BYTES_PER_FIELD = 700;
const BYTES_PER_CHARACTER = 100;

/** State shared by all operations of a document. */
interface PreparedDocument {
  readonly id: number;
  readonly fragments: OperationContext['fragments'];
  /** Variables of `@skip` and `@include`. */
  readonly deciders: readonly string[];
}

/** Cache of prepared operations of one schema. */
export class PreparedOperations {
  /** Weak: the cache of documents owns them. */
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
   * Returns the prepared selection of an operation.
   *
   * @throws {GraphQLError} if a condition is null.
   */
  root(
    { id, deciders }: PreparedDocument,
    operation: OperationDefinitionNode,
    type: GraphQLObjectType,
    context: OperationContext,
  ): PreparedSelection {
    let key = `${context.isIncremental ? 'incremental' : 'plain'} ${id} ${operation.name?.value ?? ''}`;
    for (const name of deciders) key += ` ${signOf(context.variableValues[name])}`;
    let root = this.#roots.get(key);
    if (!root) {
      root = new PreparedSelection(context, type, collectFields(context, type, [operation]));
      this.#roots.set(key, root, { size: weightOf(operation, context.fragments) });
    }
    return root;
  }
}

/** Memory of an operation with all fields prepared. */
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

/** Operations may declare a name with different types. */
const signOf = (value: unknown): string => (typeof value === 'boolean' ? String(value) : '-');

function decidersOf(document: DocumentNode): readonly string[] {
  const names = new Set<string>();
  eachSelection(document, ({ directives = [] }) => {
    for (const { arguments: given = [] } of directives) {
      for (const { value } of given) if (value.kind === Kind.VARIABLE) names.add(value.name.value);
    }
  });
  return [...names];
}
