/**
 * A page of nodes, as connections answer it.
 *
 * Most queries want the nodes and perhaps one cursor: edges are made, and cursors sealed, when they
 * are asked for.
 */
import type { Key } from '../entity/key.ts';

export interface Edge<Node> {
  readonly cursor: string;
  /** An error stands for a node the backend broke. */
  readonly node: Node;
}

export interface PageInfo {
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  readonly startCursor: string | null;
  readonly endCursor: string | null;
}

export interface Connection<Node> {
  readonly nodes: readonly Node[];
  readonly edges: readonly Edge<Node>[];
  readonly pageInfo: PageInfo;
  /** Null where the backend does not count; a function where counting costs a call. */
  readonly totalCount: number | null | (() => Promise<number | null>);
}

type Told<Node> = Pick<PageInfo, 'hasPreviousPage'> &
  Pick<Connection<Node>, 'totalCount'> & {
    /** An error stands for what the backend broke. */
    readonly hasNextPage: boolean | Error;
    /** Why no cursor leads to the next page. */
    readonly endFault?: Error | undefined;
  };

/** A connection that is its own page info. */
export class NodePage<Node> implements Connection<Node>, PageInfo {
  readonly nodes: readonly Node[];
  /** Seals the cursor of the node at a place. */
  readonly cursorAt: (place: number) => string;
  readonly hasPreviousPage: boolean;
  readonly totalCount: Connection<Node>['totalCount'];
  readonly #hasNextPage: boolean | Error;
  readonly #endFault: Error | undefined;

  constructor(
    nodes: readonly Node[],
    cursorAt: (place: number) => string,
    { hasNextPage, hasPreviousPage, totalCount, endFault }: Told<Node>,
  ) {
    this.nodes = nodes;
    this.cursorAt = cursorAt;
    this.hasPreviousPage = hasPreviousPage;
    this.totalCount = totalCount;
    this.#hasNextPage = hasNextPage;
    this.#endFault = endFault;
  }

  get edges(): readonly Edge<Node>[] {
    return this.nodes.map((node, place) => new PlacedEdge(node, place, this.cursorAt));
  }

  get pageInfo(): PageInfo {
    return this;
  }

  /** @throws where the backend did not say. */
  get hasNextPage(): boolean {
    if (this.#hasNextPage instanceof Error) throw this.#hasNextPage;
    return this.#hasNextPage;
  }

  get startCursor(): string | null {
    return this.nodes.length > 0 ? this.cursorAt(0) : null;
  }

  /** @throws where the backend promises more and does not say how to read on. */
  get endCursor(): string | null {
    if (this.#endFault) throw this.#endFault;
    return this.nodes.length > 0 ? this.cursorAt(this.nodes.length - 1) : null;
  }
}

class PlacedEdge<Node> implements Edge<Node> {
  readonly node: Node;
  readonly #place: number;
  readonly #cursorAt: (place: number) => string;

  constructor(node: Node, place: number, cursorAt: (place: number) => string) {
    this.node = node;
    this.#place = place;
    this.#cursorAt = cursorAt;
  }

  get cursor(): string {
    return this.#cursorAt(this.#place);
  }
}

/** A node of which the backend gave the key only. It is read when more is selected. */
export class NodeReference {
  readonly key: Key;

  constructor(key: Key) {
    this.key = key;
  }
}
