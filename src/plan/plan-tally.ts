/**
 * The planner's count: which calls, how often at least and at most, and after which round each ends.
 */
import type { RouteLabel } from '../rest/client/errors.ts';

/** How many of something there are. */
export interface Count {
  readonly least: number;
  readonly most: number;
}

/** What one route will be called for. */
export interface RoutePlan extends Count {
  readonly method: string;
  readonly route: string;
  /** Paths of the fields that cause the calls. */
  readonly fields: readonly string[];
}

export interface Plan {
  readonly calls: Count;
  /** The longest chain of calls that wait for each other. */
  readonly rounds: number;
  readonly routes: readonly RoutePlan[];
  /** The field that costs most at least, for whoever has to cut something. */
  readonly dearest: string | null;
}

interface Row {
  readonly route: RouteLabel;
  readonly fields: Map<string, { least: number; most: number }>;
}

export class Tally {
  /** Rounds after which calls end, by identity; kept between passes, because they only shrink. */
  readonly #ends = new Map<string, number>();
  readonly #symbols = new Map<string, number>();
  #primed = new Map<string, number>();
  #counted = new Map<string, number>();
  #rows = new Map<RouteLabel, Row>();
  #epoch = 0;
  #learnt = false;
  #rounds = 0;

  /** Whether the last pass found a call to end earlier than it had first been counted. */
  get learnt(): boolean {
    return this.#learnt;
  }

  /** The last round so far. */
  get rounds(): number {
    return this.#rounds;
  }

  /** Begins a pass. */
  begin(): void {
    this.#primed = new Map();
    this.#counted = new Map();
    this.#rows = new Map();
    this.#epoch = 0;
    this.#learnt = false;
    this.#rounds = 0;
  }

  /** After a write: nothing read before it answers for what comes after. */
  forget(): void {
    this.#epoch++;
    this.#primed = new Map();
    this.#counted = new Map();
  }

  /** A symbol and how many values it may stand for. */
  symbol(name: string, most: number): string {
    this.#symbols.set(name, Math.min(most, this.#symbols.get(name) ?? Infinity));
    return name;
  }

  /** Something a list or a parent brings after a round. */
  prime(identity: string, ready: number): void {
    this.#primed.set(identity, Math.min(ready, this.#primed.get(identity) ?? Infinity));
  }

  /** Whether a list or a parent has brought it by then. */
  isPrimed(identity: string, at: number): boolean {
    return (this.#primed.get(identity) ?? Infinity) <= at;
  }

  /** One call for one identity, begun after round `at`; answers the round after which it has ended. */
  call(route: RouteLabel, field: string, identity: string, at: number, count: Count): number {
    return this.pages(route, field, identity, at, count, { count: 1, open: false });
  }

  /** A list read in pages that wait for each other; `open` when nobody can know how many. */
  pages(
    route: RouteLabel,
    field: string,
    identity: string,
    at: number,
    count: Count,
    pages: { readonly count: number; readonly open: boolean },
  ): number {
    if (this.isPrimed(identity, at)) return at;
    const id = `${this.#epoch} ${identity}`;
    const known = this.#ends.get(id);
    const end = Math.min(at + pages.count, known ?? Infinity);
    if (known !== undefined && end < known) this.#learnt = true;
    this.#ends.set(id, end);
    this.#rounds = Math.max(this.#rounds, end);

    // What only looks like a symbol is a caller's own text.
    const symbols = identity.match(SYMBOL)?.filter((name) => this.#symbols.has(name)) ?? [];
    const most = symbols.length > 0 ? Math.min(count.most, this.#mostOf(symbols)) : 1;
    const before = this.#counted.get(id) ?? 0;
    const grown = Math.max(before, pages.count);
    this.#counted.set(id, grown);
    this.#add(route, field, {
      least: symbols.length > 0 || before > 0 ? 0 : Math.min(1, count.least),
      most: pages.open ? Infinity : most * (grown - before),
    });
    return end;
  }

  plan(): Plan {
    const routes = [...this.#rows.values()].map(({ route, fields }) => {
      const counts = [...fields.values()];
      return {
        method: route.method,
        route: route.path,
        least: sum(counts.map(({ least }) => least)),
        most: sum(counts.map(({ most }) => most)),
        fields: [...fields.keys()],
      };
    });
    const byField = [...this.#rows.values()].flatMap(({ fields }) => [...fields]);
    const dearest = byField.reduce<[string, Count] | null>(
      (worst, one) => (!worst || one[1].least > worst[1].least ? one : worst),
      null,
    );
    return {
      calls: { least: sum(routes.map((r) => r.least)), most: sum(routes.map((r) => r.most)) },
      rounds: this.#rounds,
      routes,
      dearest: dearest?.[0] ?? null,
    };
  }

  /** Parts of one key come from one object: the deepest decides how many keys there are. */
  #mostOf(symbols: readonly string[]): number {
    return Math.max(...symbols.map((symbol) => this.#symbols.get(symbol)!));
  }

  #add(route: RouteLabel, field: string, { least, most }: Count): void {
    if (most === 0) return;
    const row: Row = this.#rows.get(route) ?? { route, fields: new Map() };
    const counted = row.fields.get(field) ?? { least: 0, most: 0 };
    row.fields.set(field, { least: counted.least + least, most: counted.most + most });
    this.#rows.set(route, row);
  }
}

const SYMBOL = /\?\w+@[^"\]]*/g;

const sum = (numbers: readonly number[]): number => numbers.reduce((total, n) => total + n, 0);
