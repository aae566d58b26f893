/**
 * Counts fields, arguments and enum values by app, version and document, since the start of the process.
 *
 * Coordinates are computed once per document; a request only increments a counter. Untrusted documents are reported
 * together, since callers choose their texts and names.
 */
import type { GraphQLSchema } from 'graphql';
import { OTHER_APP, type AppVersion } from '../../gateway/operation/app-version.ts';
import {
  perDefinition,
  type Document,
  type OperationDefinition,
} from '../../gateway/operation/document.ts';
import type { Operation } from '../../gateway/operation/operation.ts';
import type { UsageReport } from './usage-report.ts';

/** Maximum number of separately counted operations, of trusted and of other documents. */
const MAX_OPERATIONS = 2_000;

interface CountedOperation {
  readonly document: string;
  readonly name: string;
  readonly coordinates: ReadonlySet<string>;
  readonly executions: Map<AppVersion, number>;
  /** Whether the next report includes it in the sums. */
  isListed: boolean;
}

/** Properties of an operation that are read. */
type Countable = Pick<Operation, 'app' | 'definition'>;

const OTHER = 'other';

export class Usage {
  readonly #schema: GraphQLSchema;
  readonly #since: string;
  readonly #countedOf = perDefinition((definition) => this.#learn(definition));
  readonly #trusted = new Map<string, CountedOperation>();
  #others: CountedOperation[] = [];
  /** Executions of evicted documents, with counts by coordinate. */
  readonly #sums = new Map<AppVersion, { executions: number; uses: Map<string, number> }>();

  constructor(schema: GraphQLSchema, now = new Date()) {
    this.#schema = schema;
    this.#since = now.toISOString();
  }

  /** Computes the coordinates of a valid document in advance. */
  prepare({ operations }: Document): void {
    for (const one of operations) one.coordinatesIn(this.#schema);
  }

  /** Counts an execution of a valid document. */
  count({ app = OTHER_APP, definition }: Countable): void {
    if (!definition) return;
    const counted = this.#countedOf(definition);
    if (!counted.isListed) this.#list(counted);
    const { executions } = counted;
    executions.set(app, (executions.get(app) ?? 0) + 1);
  }

  report(): UsageReport {
    this.#sumOthers();
    const trusted = [...this.#trusted.values()].flatMap(
      ({ document, name, coordinates, executions }) =>
        [...executions].map(([app, count]) => ({
          app: app.app,
          version: app.version,
          document,
          operation: name,
          executions: count,
          uses: Object.fromEntries([...coordinates].map((one) => [one, count])),
        })),
    );
    const others = [...this.#sums].map(([app, { executions, uses }]) => ({
      app: app.app,
      version: app.version,
      document: OTHER,
      operation: OTHER,
      executions,
      uses: Object.fromEntries(uses),
    }));
    return { since: this.#since, documents: [...trusted, ...others] };
  }

  #learn(definition: OperationDefinition): CountedOperation {
    const { hash } = definition.document;
    const key = `${hash} ${definition.name ?? ''}`;
    const known = hash === undefined ? undefined : this.#trusted.get(key);
    if (known) return known;
    const isTrusted = hash !== undefined && this.#trusted.size < MAX_OPERATIONS;
    const counted: CountedOperation = {
      document: isTrusted ? hash : OTHER,
      name: isTrusted ? (definition.name ?? 'anonymous') : OTHER,
      coordinates: definition.coordinatesIn(this.#schema),
      executions: new Map(),
      isListed: isTrusted,
    };
    if (isTrusted) this.#trusted.set(key, counted);
    return counted;
  }

  /** Adds an operation to those reported together. */
  #list(counted: CountedOperation): void {
    if (this.#others.length >= MAX_OPERATIONS) {
      this.#sumOthers();
      for (const other of this.#others) other.isListed = false;
      this.#others = [];
    }
    counted.isListed = true;
    this.#others.push(counted);
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
