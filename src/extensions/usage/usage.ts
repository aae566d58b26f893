/**
 * Which fields, arguments and enum values were asked for, by app, version and document: of this process, since it began.
 *
 * What an operation uses is worked out once, when its document is new; a request adds one to a count. Documents that
 * are not trusted are told together, since callers choose their texts and names.
 */
import { Kind, type DocumentNode, type GraphQLSchema, type OperationDefinitionNode } from 'graphql';
import { OTHER_APP, type AppVersion } from '../../gateway/operation/app-version.ts';
import type { Operation } from '../../gateway/operation/operation.ts';
import { usedBy } from '../../plan/coordinates.ts';
import type { UsageReport } from './usage-report.ts';

/** Operations that are counted one by one, of trusted documents as well as of others. */
const MAX_OPERATIONS = 2_000;

interface Counted {
  readonly document: string;
  readonly name: string;
  readonly coordinates: ReadonlySet<string>;
  readonly executions: Map<AppVersion, number>;
}

/** What is read of an operation. */
type Countable = Pick<Operation, 'app' | 'document' | 'definition'>;

const OTHER = 'other';

export class Usage {
  readonly #schema: GraphQLSchema;
  readonly #since: string;
  readonly #uses = new WeakMap<OperationDefinitionNode, ReadonlySet<string>>();
  readonly #trusted = new Map<string, Counted>();
  /** By their syntax trees, which live as long as the document is kept. */
  #known = new WeakMap<OperationDefinitionNode, Counted>();
  #others: Counted[] = [];
  /** Executions of evicted documents, with counts by coordinate. */
  readonly #sums = new Map<AppVersion, { executions: number; uses: Map<string, number> }>();

  constructor(schema: GraphQLSchema, now = new Date()) {
    this.#schema = schema;
    this.#since = now.toISOString();
  }

  /** Coordinates of an operation, computed once. */
  readonly usesOf = (
    document: DocumentNode,
    operation: OperationDefinitionNode,
  ): ReadonlySet<string> => {
    let uses = this.#uses.get(operation);
    if (!uses) this.#uses.set(operation, (uses = usedBy(this.#schema, document, operation)));
    return uses;
  };

  /** Computes the coordinates of a valid document in advance. */
  prepare(document: DocumentNode): void {
    for (const one of document.definitions) {
      if (one.kind === Kind.OPERATION_DEFINITION) this.usesOf(document, one);
    }
  }

  /** An operation of a valid document is about to be executed. */
  count({ app = OTHER_APP, document, definition }: Countable): void {
    if (!document || !definition) return;
    const { hash, syntax } = document;
    const { executions } =
      this.#trustedOf(hash, syntax, definition) ?? this.#otherOf(syntax, definition);
    executions.set(app, (executions.get(app) ?? 0) + 1);
  }

  report(): UsageReport {
    this.#sumOthers();
    const trusted = [...this.#trusted.values()].flatMap(
      ({ document, name, coordinates, executions }) =>
        [...executions].map(([app, count]) => ({
          ...{ ...app, document, operation: name, executions: count },
          uses: Object.fromEntries([...coordinates].map((one) => [one, count])),
        })),
    );
    const others = [...this.#sums].map(([app, { executions, uses }]) => ({
      ...{ ...app, document: OTHER, operation: OTHER, executions },
      uses: Object.fromEntries(uses),
    }));
    return { since: this.#since, documents: [...trusted, ...others] };
  }

  /** Undefined for operations that are counted under `other`. */
  #trustedOf(
    hash: string | undefined,
    document: DocumentNode,
    operation: OperationDefinitionNode,
  ): Counted | undefined {
    if (hash === undefined) return undefined;
    const name = operation.name?.value ?? '';
    const key = `${hash} ${name}`;
    let known = this.#trusted.get(key);
    if (known || this.#trusted.size >= MAX_OPERATIONS) return known;
    known = this.#learn(hash, name || 'anonymous', document, operation);
    this.#trusted.set(key, known);
    return known;
  }

  #otherOf(document: DocumentNode, operation: OperationDefinitionNode): Counted {
    let known = this.#known.get(operation);
    if (known) return known;
    if (this.#others.length >= MAX_OPERATIONS) {
      this.#sumOthers();
      this.#others = [];
      this.#known = new WeakMap();
    }
    known = this.#learn(OTHER, OTHER, document, operation);
    this.#known.set(operation, known);
    this.#others.push(known);
    return known;
  }

  #learn(
    document: string,
    name: string,
    syntax: DocumentNode,
    operation: OperationDefinitionNode,
  ): Counted {
    const coordinates = this.usesOf(syntax, operation);
    return { document, name, coordinates, executions: new Map() };
  }

  #sumOthers(): void {
    for (const { coordinates, executions } of this.#others) {
      for (const [app, count] of executions) {
        let sum = this.#sums.get(app);
        if (!sum) this.#sums.set(app, (sum = { executions: 0, uses: new Map() }));
        sum.executions += count;
        for (const one of coordinates) sum.uses.set(one, (sum.uses.get(one) ?? 0) + count);
      }
      executions.clear();
    }
  }
}
