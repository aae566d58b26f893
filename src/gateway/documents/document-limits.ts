/**
 * Limits of a GraphQL document, and facts of it, before it is validated.
 *
 * Validation and execution both cost more than a document's length: fragments multiply, and fields of one name are
 * compared with each other. One walk visits a document as it is executed: by places of the response, with fragments
 * written out, those that no operation spreads as well, until a limit is exceeded.
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
import { isIncremental } from '../../execution/incremental/defer-and-stream.ts';
import type { DocumentFacts } from '../operation/document.ts';

export interface DocumentLimits {
  /** Lexical tokens, at which the parser stops; and lines, which each error counts to find its place. */
  readonly tokens: number;
  /** Levels of fields. Below `__schema` and `__type` graphql-js bounds the lists inside each other. */
  readonly depth: number;
  /** Of all operations: what is prepared for execution. */
  readonly fields: number;
  /** Of an operation: each repeats a field, such as one with a hundred ids, or all of the schema. */
  readonly aliases: number;
  /** Of an operation. */
  readonly directives: number;
  /** Spreads, written out, and pairs of fields or fragments in one place, each of which validation compares. */
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

/** Characters of a name that responses and log lines repeat. */
const MAX_NAME = 200;

/** The message about a text that is too large to be parsed. */
export function findTextExcess(source: string, { tokens }: DocumentLimits): string | undefined {
  const lines = 1 + (source.match(LINE_ENDS)?.length ?? 0);
  return lines > tokens ? excess('lines', tokens, lines, 'leave out empty ones') : undefined;
}

const LINE_ENDS = /\r\n|[\n\r]/g;

export interface Measured {
  /** The message about a document that is too large; undefined within limits. */
  readonly excess: string | undefined;
  readonly facts: DocumentFacts;
}

export function measure(document: DocumentNode, limits: DocumentLimits): Measured {
  const walk = new Walk(document, limits);
  const { definitions } = document;
  const operations = definitions.filter((one) => one.kind === Kind.OPERATION_DEFINITION);
  const fragments = definitions.filter((one) => one.kind === Kind.FRAGMENT_DEFINITION);
  for (const one of operations) walk.visit(one);
  // Validation visits fragments that no operation spreads like the rest.
  for (const one of fragments) if (!walk.spread.has(one.name.value)) walk.visit(one);
  return { excess: walk.excess, facts: walk.facts };
}

const excess = (what: string, limit: number, found: number | string, instead = 'split the query') =>
  `A query may have ${limit} ${what}, this one has ${found}: ${instead}.`;

/** Fields of introspection; `_service` does where the gateway is a subgraph. */
const SCHEMA_FIELDS = new Set(['__schema', '__type', '_service']);

/** A selection set in a place of the response. */
interface Visited {
  readonly set: SelectionSetNode;
  /** Levels of fields above it; no number below introspection, whose levels are not counted. */
  readonly depth: number;
  readonly within: Spread | undefined;
}

/** A fragment that is spread, and those that it is spread in. */
interface Spread {
  readonly name: string;
  readonly outer: Spread | undefined;
}

class Walk {
  readonly #limits: DocumentLimits;
  readonly #fragments: Readonly<Record<string, FragmentDefinitionNode>>;
  /** Names of the fields at the root of operations. */
  readonly #roots = new Set<string>();
  /** Names of fragments that were visited where they are spread. */
  readonly spread = new Set<string>();
  #isCyclic = false;
  #isIncremental = false;
  /** The first message. */
  excess: string | undefined = undefined;
  #fields = 0;
  #growth = 0;
  /** Of the definition that is visited. */
  #depth = 0;
  #aliases = 0;
  #directives = 0;

  constructor(document: DocumentNode, limits: DocumentLimits) {
    this.#limits = limits;
    this.#fragments = fragmentsOf(document);
  }

  get facts(): DocumentFacts {
    const roots = [...this.#roots];
    // A plugin's document may be larger than those of callers: it may have what was not visited.
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
      this.#report('levels of fields', depth, this.#depth, 'ask for deeper objects by id');
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
            // Nothing can be said of what it comes to; validation rejects it by name.
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

  /** Whether there is too much to go on. */
  #isTooMuch(): boolean {
    const { fields, growth } = this.#limits;
    if (this.#fields > fields) this.#report('fields', fields, 'more');
    if (this.#growth > growth) {
      const what = 'spreads and pairs of fields with one name';
      this.#report(what, growth, 'more', 'name each once');
    }
    return this.excess !== undefined;
  }

  #visitDirectives({ directives = [] }: { readonly directives?: readonly DirectiveNode[] }): void {
    this.#directives += directives.length;
    for (const one of directives) {
      if (!isIncremental(one)) continue;
      this.#isIncremental = true;
      // Each part of a response has its label.
      for (const { value } of one.arguments ?? []) {
        if (value.kind === Kind.STRING) this.#visitName(value.value);
      }
    }
  }

  #visitName(name = ''): void {
    if (name.length <= MAX_NAME) return;
    this.#report('characters in a name', MAX_NAME, name.length, 'use a shorter one');
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
