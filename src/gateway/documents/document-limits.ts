/**
 * How large a GraphQL document may be, measured before it is validated.
 *
 * Validation and execution both cost more than a document's length: fragments multiply, and fields of
 * one name are compared with each other. So everything is counted with fragments written out, those
 * that no operation spreads as well, and each fragment is measured once, however often it is spread.
 */
import {
  Kind,
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import {
  fragmentsOf,
  sumSelections,
  type OperationContext,
} from '../../execution/operation/collect-fields.ts';
import { isIncremental } from '../../execution/incremental/defer-and-stream.ts';

/** Of a document, unless something else is named. */
export interface DocumentLimits {
  /** Lexical tokens; the parser stops there. */
  readonly tokens: number;
  /** Brackets, braces and parentheses inside each other; looked at before parsing. */
  readonly nesting: number;
  /** An error finds its place by counting lines, and there may be thousands of errors. */
  readonly lines: number;
  /** Characters of a name: messages and log lines repeat it. */
  readonly nameLength: number;
  /** Levels of fields. */
  readonly depth: number;
  readonly aliases: number;
  readonly directives: number;
  /** `@defer` and `@stream`: each multiplies the parts of an answer by the objects it stands on. */
  readonly incremental: number;
  /**
   * Fields with `ids`, such as `nodes`: each may name a hundred objects, known or not. Routers need a list of
   * references for each type, which is bounded by the aliases alone.
   */
  readonly idLists: number;
  readonly fields: number;
  /** Pairs of fields that end up in one place of the answer: validation compares each of them. */
  readonly pairs: number;
  readonly fragments: number;
  readonly operations: number;
  /** Levels of fields under `__schema` and `__type`: tools select types of types. */
  readonly introspectionDepth: number;
  /** Lists of types or fields inside each other there: each multiplies the answer by some hundred. */
  readonly introspectionLists: number;
  /** Selections of `__schema` and `__type`, and aliases below them. */
  readonly introspectionRepeats: number;
}

export const DEFAULT_LIMITS: DocumentLimits = {
  tokens: 2_000,
  nesting: 100,
  lines: 2_000,
  nameLength: 200,
  depth: 12,
  aliases: 30,
  directives: 20,
  incremental: 10,
  idLists: 5,
  fields: 2_000,
  pairs: 5_000,
  fragments: 100,
  operations: 50,
  introspectionDepth: 20,
  introspectionLists: 2,
  introspectionRepeats: 3,
};

/**
 * What is wrong with a text that is about to be parsed: the parser calls itself for every bracket,
 * and some thousand of them fit into the tokens but not on the stack.
 */
export function findTextExcess(source: string, limits: DocumentLimits): string | undefined {
  const lines = 1 + (source.match(LINE_ENDS)?.length ?? 0);
  if (lines > limits.lines) return excess('lines', limits.lines, lines, 'leave out empty ones');
  let depth = 0;
  for (const [token] of source.matchAll(LEXEMES)) {
    if (CLOSING.has(token)) depth -= 1;
    else if (OPENING.has(token) && ++depth > limits.nesting) {
      return excess('brackets inside each other', limits.nesting, depth, 'ask for less at once');
    } else if (token.length > limits.nameLength && NAME.test(token)) {
      return excess('characters in a name', limits.nameLength, token.length, 'use a shorter one');
    }
  }
  return undefined;
}

const LINE_ENDS = /\r\n|[\n\r]/g;

/**
 * Names and brackets; and block strings, strings and comments, because what is in them does not count. One that
 * does not end reaches to the end: looked for again and again, it would take seconds.
 */
const LEXEMES = /"{3}(?:\\"{3}|[^])*?(?:"{3}|$)|"(?:\\.|[^"\\\n])*"?|#[^\n\r]*|\w+|[[\]{}()]/g;
const NAME = /^\w/;
const OPENING = new Set('[{(');
const CLOSING = new Set(']})');

export interface Measured {
  /** What is wrong with a document, and what to do instead; undefined when it is within limits. */
  readonly excess?: string;
  /** Whether fragments spread themselves: then nothing can be said of what they come to. */
  readonly isCyclic: boolean;
  /** Whether it has `@defer` or `@stream`: parts of its answers may come later, for callers who read them. */
  readonly isIncremental: boolean;
}

export function measure(document: DocumentNode, limits: DocumentLimits): Measured {
  const ruler = new Ruler(document);
  const excess = findExcess(document, ruler, limits);
  const { isCyclic, isIncremental } = ruler;
  return { isCyclic, isIncremental, ...(excess && { excess }) };
}

function findExcess(
  { definitions }: DocumentNode,
  ruler: Ruler,
  limits: DocumentLimits,
): string | undefined {
  const operations = definitions.filter((one) => one.kind === Kind.OPERATION_DEFINITION);
  const fragments = definitions.filter((one) => one.kind === Kind.FRAGMENT_DEFINITION);
  if (operations.length > limits.operations) {
    return excess('operations', limits.operations, operations.length, 'send only the one to run');
  }
  if (fragments.length > limits.fragments) {
    return excess('fragments', limits.fragments, fragments.length, 'send only those it needs');
  }
  let fields = 0;
  let pairs = 0;
  // Validation visits fragments that no operation spreads like the rest.
  for (const one of [...operations, ...fragments]) {
    if (one.kind === Kind.FRAGMENT_DEFINITION && ruler.knows(one)) continue;
    const size = ruler.measure(one);
    fields += size.fields;
    const tooMuch = (what: string, name: Limited, instead?: string, found = size[name]) =>
      found > limits[name] ? excess(what, limits[name], found, instead) : undefined;
    const complaint =
      tooMuch('levels of fields', 'depth', 'ask for deeper objects by id') ??
      tooMuch('levels of introspection', 'introspectionDepth') ??
      tooMuch('lists inside each other in introspection', 'introspectionLists') ??
      tooMuch('repetitions in introspection', 'introspectionRepeats') ??
      tooMuch('aliases', 'aliases') ??
      tooMuch('directives', 'directives') ??
      tooMuch('@defer and @stream', 'incremental') ??
      tooMuch('lists of ids', 'idLists') ??
      tooMuch('fields', 'fields', undefined, fields);
    if (complaint) return complaint;
    if (ruler.isCyclic) continue;
    // Last, because it visits every field that an answer would have.
    pairs += ruler.countPairs([one.selectionSet]);
    if (pairs > limits.pairs) {
      return excess('pairs of fields with one name', limits.pairs, pairs, 'name each once');
    }
  }
  return undefined;
}

const excess = (what: string, limit: number, found: number, instead = 'split the query') =>
  `A query may have ${limit} ${what}, this one has ${found}: ${instead}.`;

const NOTHING = {
  depth: 0,
  aliases: 0,
  directives: 0,
  incremental: 0,
  idLists: 0,
  fields: 0,
  /** `INTROSPECTED_LISTS` inside each other, wherever they stand. */
  lists: 0,
  introspectionDepth: 0,
  introspectionLists: 0,
  introspectionRepeats: 0,
};

/** What a selection comes to with its fragments written out. */
type Size = Readonly<typeof NOTHING>;

type Limited = keyof Size & keyof DocumentLimits;

/** Fields of `__Schema` and `__Type` that answer many types or fields. */
const INTROSPECTED_LISTS = new Set([
  'types',
  'fields',
  'inputFields',
  'interfaces',
  'possibleTypes',
]);

class Ruler {
  readonly #fragments: OperationContext['fragments'];
  readonly #sizes = new Map<SelectionSetNode, Size>();
  isCyclic = false;
  isIncremental = false;

  constructor(document: DocumentNode) {
    this.#fragments = fragmentsOf(document);
  }

  /** Whether it was measured with what spreads it. */
  knows({ selectionSet }: FragmentDefinitionNode): boolean {
    return this.#sizes.has(selectionSet);
  }

  measure(definition: OperationDefinitionNode | FragmentDefinitionNode): Size {
    const size = sumSelections(
      definition.selectionSet,
      this.#fragments,
      NOTHING,
      sum,
      (selection, below) => this.#withDirectives(this.#of(selection, below), selection),
      this.#sizes,
    );
    return this.#withDirectives(size, definition);
  }

  #of(selection: SelectionNode, below: Size): Size {
    if (selection.kind === Kind.FIELD) return this.#ofField(selection, below);
    if (selection.kind === Kind.INLINE_FRAGMENT) return below;
    const fragment = this.#fragments[selection.name.value];
    if (!fragment) return below;
    // Not known yet: it stands inside itself, which validation refuses by name.
    this.isCyclic ||= below === NOTHING;
    return this.#withDirectives(below, fragment);
  }

  #ofField({ name: { value: name }, alias, arguments: given = [] }: FieldNode, below: Size): Size {
    const size = {
      ...below,
      fields: below.fields + 1,
      aliases: below.aliases + (alias ? 1 : 0),
      idLists: below.idLists + (given.some(({ name }) => name.value === 'ids') ? 1 : 0),
      lists: below.lists + (INTROSPECTED_LISTS.has(name) ? 1 : 0),
    };
    if (name !== '__schema' && name !== '__type') return { ...size, depth: below.depth + 1 };
    return {
      ...size,
      depth: 0,
      introspectionDepth: below.depth + 1,
      introspectionLists: below.lists,
      introspectionRepeats: below.aliases + 1,
    };
  }

  #withDirectives(
    size: Size,
    { directives = [] }: { readonly directives?: readonly DirectiveNode[] },
  ): Size {
    if (directives.length === 0) return size;
    const incremental = directives.filter(isIncremental).length;
    this.isIncremental ||= incremental > 0;
    return {
      ...size,
      directives: size.directives + directives.length,
      incremental: size.incremental + incremental,
    };
  }

  /**
   * Pairs of fields with the same path in an answer. Fragments count once where they meet themselves,
   * as validation has it.
   */
  countPairs(sets: readonly SelectionSetNode[]): number {
    const places = new Map<string, { fields: number; below: SelectionSetNode[] }>();
    for (const { alias, name, selectionSet } of fieldsIn(sets, this.#fragments)) {
      const { value: key } = alias ?? name;
      const place = places.get(key) ?? { fields: 0, below: [] };
      place.fields += 1;
      if (selectionSet) place.below.push(selectionSet);
      places.set(key, place);
    }
    let pairs = 0;
    for (const { fields, below } of places.values()) {
      pairs += (fields * (fields - 1)) / 2 + this.countPairs(below);
    }
    return pairs;
  }
}

/** What is selected side by side: by sets and by the fragments in them, each once. */
export function* fieldsIn(
  sets: Iterable<SelectionSetNode>,
  fragments: OperationContext['fragments'],
): Generator<FieldNode, void> {
  const open = new Set(sets);
  // It grows while it is walked.
  for (const { selections } of open) {
    for (const one of selections) {
      const isSpread = one.kind === Kind.FRAGMENT_SPREAD;
      const inner = isSpread ? fragments[one.name.value]?.selectionSet : one.selectionSet;
      if (one.kind === Kind.FIELD) yield one;
      else if (inner) open.add(inner);
    }
  }
}

const sum = (a: Size, b: Size): Size => ({
  depth: Math.max(a.depth, b.depth),
  aliases: a.aliases + b.aliases,
  directives: a.directives + b.directives,
  incremental: a.incremental + b.incremental,
  idLists: a.idLists + b.idLists,
  fields: a.fields + b.fields,
  lists: Math.max(a.lists, b.lists),
  introspectionDepth: Math.max(a.introspectionDepth, b.introspectionDepth),
  introspectionLists: Math.max(a.introspectionLists, b.introspectionLists),
  introspectionRepeats: a.introspectionRepeats + b.introspectionRepeats,
});
