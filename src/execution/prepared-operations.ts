/**
 * Operations that are kept prepared: each once for every way in which its `@skip` and `@include`
 * come out.
 */
import {
  Kind,
  visit,
  type DocumentNode,
  type GraphQLObjectType,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { PreparedSelection } from './prepared.ts';
import { fragmentsOf, type Document } from './selection.ts';

/** What is kept at the most, in bytes. */
const MAX_BYTES = 32_000_000;

/** Assumed weights, in bytes; measured: 500 to 750, and 30 to 110. */
const BYTES_PER_FIELD = 700;
const BYTES_PER_CHARACTER = 100;

/** What is known of a document whatever is asked of it. */
interface KnownDocument {
  readonly id: number;
  readonly fragments: Document['fragments'];
  /** The variables that decide what is selected. */
  readonly deciders: readonly string[];
}

export class PreparedOperations {
  /** Let go by the cache of parsed documents. */
  readonly #documents = new WeakMap<DocumentNode, KnownDocument>();
  readonly #roots = new LRUCache<string, PreparedSelection>({ maxSize: MAX_BYTES });
  #ids = 0;

  document(document: DocumentNode): KnownDocument {
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
   * @throws {GraphQLError} when a condition is null.
   */
  root(
    { id, deciders }: KnownDocument,
    operation: OperationDefinitionNode,
    type: GraphQLObjectType,
    document: Document,
  ): PreparedSelection {
    let key = `${id} ${operation.name?.value ?? ''}`;
    for (const name of deciders) key += ` ${signOf(document.variableValues[name])}`;
    let root = this.#roots.get(key);
    if (!root) {
      // The array is this way's own: what is found below it is remembered by it.
      root = new PreparedSelection(document, type, [operation]);
      this.#roots.set(key, root, { size: weightOf(operation, document.fragments) });
    }
    return root;
  }
}

/** Of an operation when an execution has got everywhere in it. */
const weightOf = (operation: OperationDefinitionNode, fragments: Document['fragments']): number =>
  1 +
  BYTES_PER_CHARACTER * (operation.loc?.source.body.length ?? 0) +
  BYTES_PER_FIELD * countFields(operation.selectionSet, fragments);

function countFields(set: SelectionSetNode | undefined, fragments: Document['fragments']): number {
  let count = 0;
  for (const selection of set?.selections ?? []) {
    if (selection.kind === Kind.FIELD) count += 1;
    const below =
      selection.kind === Kind.FRAGMENT_SPREAD ? fragments[selection.name.value] : selection;
    count += countFields(below?.selectionSet, fragments);
  }
  return count;
}

/** Other operations may use its name for what is no boolean. */
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
