/**
 * A POST as the fast path takes it: its parameters, and as much of a request as plugins ask for.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { GraphQLParams } from 'graphql-yoga';
import { readParams } from './params.ts';

export type PlainParams = GraphQLParams & { readonly query: string };

/** A POST to `/graphql`, its body read. */
export interface Post {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Undefined for what Yoga should refuse. */
export function paramsIn(body: string): PlainParams | undefined {
  try {
    const params = readParams(JSON.parse(body));
    const { query, operationName, variables, extensions } = params;
    const plain =
      typeof query === 'string' &&
      typeof (operationName ?? '') === 'string' &&
      isObject(variables ?? {}) &&
      isObject(extensions ?? {});
    return plain ? (params as PlainParams) : undefined;
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export class PostRequest {
  readonly method = 'POST';
  readonly headers: Pick<Headers, 'get'>;

  constructor(headers: IncomingHttpHeaders) {
    this.headers = new PostHeaders(headers);
  }
}

class PostHeaders {
  readonly #headers: IncomingHttpHeaders;

  constructor(headers: IncomingHttpHeaders) {
    this.#headers = headers;
  }

  /** @param name in lower case. */
  get(name: string): string | null {
    // What may come twice is joined by Node, but for set-cookie, which no request carries.
    return (this.#headers[name] as string | undefined) ?? null;
  }
}
