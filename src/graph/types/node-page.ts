/**
 * A page of nodes, the value of connections.
 *
 * Edges and cursors are created on demand, since most queries need only the nodes and perhaps one cursor.
 */
import type { NodeReference } from './key.ts';

/** A connection that is its own page info. Errors replace invalid nodes. */
export class NodePage<Node> {
  readonly nodes: readonly (Node | NodeReference)[];
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  /** Null if the backend does not count; a function if counting costs a call. */
  readonly totalCount: number | null | (() => Promise<number | null>);
  readonly cursorAt: (index: number) => string;
  readonly #end: string | Error | undefined;

  /** @param end the cursor of the next page if there are no nodes, or why there is none. */
  constructor(
    page: Omit<NodePage<Node>, 'edges' | 'pageInfo' | 'startCursor' | 'endCursor'>,
    end?: string | Error,
  ) {
    this.nodes = page.nodes;
    this.cursorAt = page.cursorAt;
    this.hasNextPage = page.hasNextPage;
    this.hasPreviousPage = page.hasPreviousPage;
    this.totalCount = page.totalCount;
    this.#end = end;
  }

  get edges(): Edge<Node>[] {
    return this.nodes.map((node, index) => new Edge(node, index, this.cursorAt));
  }

  get pageInfo(): this {
    return this;
  }

  get startCursor(): string | null {
    return this.nodes.length > 0 ? this.cursorAt(0) : null;
  }

  /** @throws if the start of the next page is unknown. */
  get endCursor(): string | null {
    const end = this.#end;
    if (end instanceof Error) throw end;
    return this.nodes.length > 0 ? this.cursorAt(this.nodes.length - 1) : (end ?? null);
  }
}

export class Edge<Node> {
  readonly node: Node | NodeReference;
  readonly #index: number;
  readonly #cursorAt: (index: number) => string;

  constructor(node: Node | NodeReference, index: number, cursorAt: (index: number) => string) {
    this.node = node;
    this.#index = index;
    this.#cursorAt = cursorAt;
  }

  get cursor(): string {
    return this.#cursorAt(this.#index);
  }
}
