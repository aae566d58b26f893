/**
 * Limits and facts of a GraphQL document, checked before validation.
 *
 * The cost of validation and execution is not linear in a document's length: fragments multiply, and fields of one name
 * are compared with each other. One walk visits the document as it is executed, by response path with fragments inlined
 * (unused fragments too), and stops at the first exceeded limit.
 */
import {
  Kind,
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { fragmentsOf } from '../../execution/operation/collect-fields.ts';
import { isIncremental } from '../../execution/operation/defer-and-stream.ts';

export interface DocumentLimits {
  /** Lexical tokens; also lines, since each error counts lines to find its location. */
  readonly tokens: number;
  /** Nested fields. Introspection is not counted: graphql-js bounds its nested lists. */
  readonly depth: number;
  /** Fields of all operations, with fragments inlined. */
  readonly fields: number;
  /** Aliases of an operation: each can repeat an expensive field. */
  readonly aliases: number;
  readonly directives: number;
  /** Inlined spreads, and pairs of fields or fragments that validation compares at one response path. */
  readonly growth: number;
}

export const DEFAULT_LIMITS: DocumentLimits = {
  tokens: 2_000,
  depth: 12,
  fields: 2_000,
  aliases: 30,
  directives: 20,
  growth: 5_000,
};

/** Maximum length of names that responses and log lines repeat, in characters. */
export const MAX_NAME = 200;

/** Returns the error message for a query string that is too large to parse. */
export function findTextExcess(source: string, { tokens }: DocumentLimits): string | undefined {
  const lines = 1 + (source.match(LINE_ENDS)?.length ?? 0);
  return lines > tokens ? excess('lines', tokens, lines, 'Remove empty lines.') : undefined;
}

const LINE_ENDS = /\r\n|[\n\r]/g;

/** Returns the facts of a document, and the error message of the first exceeded limit; undefined within limits. */
export function complexityOf(document: DocumentNode, limits: DocumentLimits) {
  const walk = new DocumentWalk(document, limits);
  const { definitions } = document;
  const operations = definitions.filter((one) => one.kind === Kind.OPERATION_DEFINITION);
  const fragments = definitions.filter((one) => one.kind === Kind.FRAGMENT_DEFINITION);
  for (const one of operations) walk.visit(one);
  // Validation visits unused fragments too.
  for (const one of fragments) if (!walk.spread.has(one.name.value)) walk.visit(one);
  return { excess: walk.excess, facts: walk.facts };
}

export const excess = (what: string, limit: number, found?: number, fix = 'Split the query.') =>
  `Query exceeds the limit of ${limit} ${what}${found === undefined ? '' : ` (${found})`}. ${fix}`;

/** Introspection fields; `_service` is that of a subgraph. */
const SCHEMA_FIELDS = new Set(['__schema', '__type', '_service']);

/** A selection set at one response path. */
interface Visited {
  readonly set: SelectionSetNode;
  /** Number of fields above it; undefined inside introspection. */
  readonly depth: number;
  readonly within: Spread | undefined;
}

/** A spread fragment and the chain of fragments that contain it. */
interface Spread {
  readonly name: string;
  readonly outer: Spread | undefined;
}

class DocumentWalk {
  readonly #limits: DocumentLimits;
  readonly #fragments: Readonly<Record<string, FragmentDefinitionNode>>;
  readonly #roots = new Set<string>();
  /** Names of fragments visited through a spread. */
  readonly spread = new Set<string>();
  #isCyclic = false;
  #isIncremental = false;
  excess: string | undefined = undefined;
  #fields = 0;
  #growth = 0;
  /** Counts for the current definition. */
  #depth = 0;
  #aliases = 0;
  #directives = 0;

  constructor(document: DocumentNode, limits: DocumentLimits) {
    this.#limits = limits;
    this.#fragments = fragmentsOf(document);
  }

  get facts() {
    const roots = [...this.#roots];
    // Plugins may replace a document by one above the limits, whose facts are assumed.
    const isCut = this.excess !== undefined;
    return {
      isOfSchema: !isCut && roots.every((name) => name === '__typename' || SCHEMA_FIELDS.has(name)),
      asksSchema: isCut || roots.some((name) => SCHEMA_FIELDS.has(name)),
      isCyclic: this.#isCyclic,
      isIncremental: isCut || this.#isIncremental,
    };
  }

  visit(definition: OperationDefinitionNode | FragmentDefinitionNode): void {
    if (this.excess) return;
    this.#depth = 0;
    this.#aliases = 0;
    this.#directives = 0;
    this.#visitName(definition.name?.value);
    this.#visitDirectives(definition);
    const roots = definition.kind === Kind.OPERATION_DEFINITION ? this.#roots : undefined;
    this.#visitPlace([{ set: definition.selectionSet, depth: 0, within: undefined }], roots);
    const { depth, aliases, directives } = this.#limits;
    if (this.#depth > depth) {
      this.#report('nested fields', depth, this.#depth, 'Query deeper objects by id.');
    }
    if (this.#aliases > aliases) this.#report('aliases', aliases, this.#aliases);
    if (this.#directives > directives) this.#report('directives', directives, this.#directives);
  }

  /** @param roots gets the names of fields. */
  #visitPlace(visited: readonly Visited[], roots?: Set<string>): void {
    const open = [...visited];
    const fields = new Map<string, { nodes: Set<FieldNode>; below: Visited[] }>();
    const spread = new Set<string>();
    // Sets of fragments are appended during iteration.
    for (const { set, depth, within } of open) {
      for (const one of set.selections) {
        if (this.#isTooMuch()) return;
        this.#visitDirectives(one);
        if (one.kind === Kind.INLINE_FRAGMENT) {
          open.push({ set: one.selectionSet, depth, within });
        } else if (one.kind === Kind.FRAGMENT_SPREAD) {
          const name = one.name.value;
          const fragment = this.#fragments[name];
          this.#growth += 1;
          if (!fragment) continue;
          this.spread.add(name);
          spread.add(name);
          if (isWithin(within, name)) {
            // Validation rejects cycles with a specific error.
            this.#isCyclic = true;
            continue;
          }
          this.#visitDirectives(fragment);
          open.push({ set: fragment.selectionSet, depth, within: { name, outer: within } });
        } else {
          const { name, alias, selectionSet } = one;
          const key = (alias ?? name).value;
          this.#fields += 1;
          this.#depth = Math.max(this.#depth, depth + 1);
          if (alias) this.#aliases += 1;
          this.#visitName(key);
          roots?.add(name.value);
          let place = fields.get(key);
          if (!place) fields.set(key, (place = { nodes: new Set(), below: [] }));
          place.nodes.add(one);
          if (!selectionSet) continue;
          const isOfSchema = name.value === '__schema' || name.value === '__type';
          const below = isOfSchema ? -Infinity : depth + 1;
          place.below.push({ set: selectionSet, depth: below, within });
        }
      }
    }
    this.#growth += pairsOf(spread.size);
    for (const { nodes, below } of fields.values()) {
      this.#growth += pairsOf(nodes.size);
      if (below.length > 0) this.#visitPlace(below);
    }
    this.#isTooMuch();
  }

  /** Whether a limit is exceeded, which ends the walk. */
  #isTooMuch(): boolean {
    const { fields, growth } = this.#limits;
    if (this.#fields > fields) this.#report('fields', fields);
    if (this.#growth > growth) {
      const what = 'spreads and pairs of equally named fields';
      this.#report(what, growth, undefined, 'Select each once.');
    }
    return this.excess !== undefined;
  }

  #visitDirectives({ directives = [] }: { readonly directives?: readonly DirectiveNode[] }): void {
    this.#directives += directives.length;
    for (const one of directives) {
      if (!isIncremental(one)) continue;
      this.#isIncremental = true;
      // Labels of `@defer` and `@stream` are repeated in each part of the response.
      for (const { value } of one.arguments ?? []) {
        if (value.kind === Kind.STRING) this.#visitName(value.value);
      }
    }
  }

  #visitName(name = ''): void {
    if (name.length <= MAX_NAME) return;
    this.#report('characters in a name', MAX_NAME, name.length, 'Use a shorter name.');
  }

  #report(...parts: Parameters<typeof excess>): void {
    this.excess ??= excess(...parts);
  }
}

function isWithin(spread: Spread | undefined, name: string): boolean {
  for (let one = spread; one; one = one.outer) if (one.name === name) return true;
  return false;
}

const pairsOf = (count: number): number => (count * (count - 1)) / 2;
