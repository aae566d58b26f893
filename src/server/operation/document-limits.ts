/**
 * How large a GraphQL document may be, measured before it is validated.
 *
 * Validation and execution both cost more than a document's length: fragments multiply. So depth
 * and counts are of the document with its fragments written out, and each fragment is measured
 * once, however often it is spread.
 */
import {
  Kind,
  type DocumentNode,
  type FragmentDefinitionNode,
  type SelectionSetNode,
} from 'graphql';

export interface DocumentLimits {
  /** Lexical tokens; the parser stops there. */
  readonly tokens: number;
  /** Brackets, braces and parentheses inside each other; looked at before parsing. */
  readonly nesting: number;
  /** An error finds its place by counting lines, and there may be thousands of errors. */
  readonly lines: number;
  /** Characters of a name: messages and log lines repeat it. */
  readonly nameLength: number;
  /** Fields below each other. */
  readonly depth: number;
  /** Fields below each other under `__schema` and `__type`: tools ask for the types of types. */
  readonly introspectionDepth: number;
  readonly aliases: number;
  readonly directives: number;
  readonly fields: number;
  /** Times one selection set may repeat a field: validation compares each with each. */
  readonly repeats: number;
  readonly fragments: number;
  readonly operations: number;
}

export const DEFAULT_LIMITS: DocumentLimits = {
  tokens: 2_000,
  nesting: 100,
  lines: 2_000,
  nameLength: 200,
  depth: 12,
  introspectionDepth: 20,
  aliases: 30,
  directives: 20,
  fields: 2_000,
  repeats: 50,
  fragments: 100,
  operations: 50,
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

/** What is wrong with a document, and what to do instead; undefined when it is within limits. */
export function findExcess(document: DocumentNode, limits: DocumentLimits): string | undefined {
  const { definitions } = document;
  const operations = definitions.filter((one) => one.kind === Kind.OPERATION_DEFINITION);
  const fragments = definitions.filter((one) => one.kind === Kind.FRAGMENT_DEFINITION);
  if (operations.length > limits.operations) {
    return excess('operations', limits.operations, operations.length, 'send only the one to run');
  }
  if (fragments.length > limits.fragments) {
    return excess('fragments', limits.fragments, fragments.length, 'send only those it needs');
  }
  const ruler = new Ruler(fragments);
  for (const operation of operations) {
    const size = ruler.measure(operation.selectionSet);
    const directives = size.directives + (operation.directives?.length ?? 0);
    const complaint =
      tooMuch('levels of fields', limits.depth, size.depth, 'ask for deeper objects by id') ??
      tooMuch('levels of introspection', limits.introspectionDepth, size.introspectionDepth) ??
      tooMuch('aliases', limits.aliases, size.aliases) ??
      tooMuch('directives', limits.directives, directives) ??
      tooMuch('fields', limits.fields, size.fields) ??
      tooMuch('fields of one name side by side', limits.repeats, size.repeats, 'name it once');
    if (complaint) return complaint;
  }
  return undefined;
}

const tooMuch = (what: string, limit: number, found: number, instead?: string) =>
  found > limit ? excess(what, limit, found, instead) : undefined;

const excess = (what: string, limit: number, found: number, instead = 'split the query') =>
  `A query may have ${limit} ${what}, this one has ${found}: ${instead}.`;

interface Size {
  readonly depth: number;
  readonly introspectionDepth: number;
  readonly aliases: number;
  readonly directives: number;
  readonly fields: number;
  readonly repeats: number;
}

const NOTHING: Size = {
  depth: 0,
  introspectionDepth: 0,
  aliases: 0,
  directives: 0,
  fields: 0,
  repeats: 0,
};

class Ruler {
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly #sizes = new Map<string, Size>();

  constructor(fragments: readonly FragmentDefinitionNode[]) {
    this.#fragments = new Map(fragments.map((fragment) => [fragment.name.value, fragment]));
  }

  measure(set: SelectionSetNode): Size {
    const total = { ...NOTHING };
    const seen = new Map<string, number>();
    for (const selection of set.selections) {
      total.directives += selection.directives?.length ?? 0;
      if (selection.kind === Kind.FIELD) {
        const name = selection.name.value;
        const below = selection.selectionSet ? this.measure(selection.selectionSet) : NOTHING;
        const repeats = (seen.get(selection.alias?.value ?? name) ?? 0) + 1;
        seen.set(selection.alias?.value ?? name, repeats);
        add(total, below);
        total.fields += 1;
        total.aliases += selection.alias ? 1 : 0;
        total.repeats = Math.max(total.repeats, repeats);
        if (name === '__schema' || name === '__type') {
          total.introspectionDepth = Math.max(total.introspectionDepth, below.depth + 1);
        } else {
          total.depth = Math.max(total.depth, below.depth + 1);
        }
      } else {
        const inner =
          selection.kind === Kind.INLINE_FRAGMENT
            ? this.measure(selection.selectionSet)
            : this.#fragment(selection.name.value);
        add(total, inner);
        total.depth = Math.max(total.depth, inner.depth);
      }
    }
    return total;
  }

  #fragment(name: string): Size {
    const known = this.#sizes.get(name);
    if (known) return known;
    // A fragment inside itself counts nothing here: validation refuses it by name.
    this.#sizes.set(name, NOTHING);
    const fragment = this.#fragments.get(name);
    const size = fragment ? this.measure(fragment.selectionSet) : NOTHING;
    this.#sizes.set(name, size);
    return size;
  }
}

function add(total: { -readonly [Name in keyof Size]: number }, part: Size): void {
  total.introspectionDepth = Math.max(total.introspectionDepth, part.introspectionDepth);
  total.repeats = Math.max(total.repeats, part.repeats);
  total.aliases += part.aliases;
  total.directives += part.directives;
  total.fields += part.fields;
}
