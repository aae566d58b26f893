/** What an attack is made of: data that says how it is measured, and a function that executes it. */
import { POST_JSON } from '../support/client.ts';
import type { BackendRules } from './backend.ts';

/** The backend knows no key that begins like this. */
export const INVENTED = 'invented-';

export interface Attack {
  readonly name: string;
  /** Settings of the gateway. */
  readonly env?: Readonly<Record<string, string>>;
  readonly backend?: Partial<BackendRules>;
  /** Requests whose CPU is measured alone. Their text changes with the turn, so that no cache helps. */
  readonly requests?: Readonly<Record<string, (turn: number) => Post>>;
  /** Whether the memory that is left after it is measured, which takes up to a minute. */
  readonly settles?: true;
  /** Runs in the attacker's process; returns soon after the time is over. */
  readonly run: (attacker: Attacker) => Promise<void>;
}

/** A POST to `/graphql`. */
export interface Post {
  readonly query?: string;
  readonly variables?: unknown;
  readonly documentId?: string;
  /** Absent: sent without a key. */
  readonly key?: string;
  readonly accept?: string;
  /** The bytes of the body, instead of the JSON that the fields above make. */
  readonly body?: string;
}

export interface Reply {
  readonly status: number;
  readonly text: string;
}

/** What an attack can do, and how it reports what it saw. */
export interface Attacker {
  /** Of the gateway. */
  readonly url: string;
  readonly backendUrl: string;
  readonly isOver: boolean;
  /** Sends a request and counts the response's status. Rejects when the connection breaks or `signal` fires. */
  ask(post: Post, signal?: AbortSignal): Promise<Reply>;
  /** Runs `turn` again and again in so many callers at once. Failures are counted, not thrown. */
  loop(callers: number, turn: (caller: number) => Promise<unknown>): Promise<void>;
  count(fact: string): void;
  /** Reports what must not happen. */
  wrong(complaint: string): void;
}

export interface AttackReport {
  readonly requests: number;
  readonly facts: Readonly<Record<string, number>>;
  /** Complaints, and how often. */
  readonly wrong: Readonly<Record<string, number>>;
}

export const bodyOf = ({ query, variables, documentId, body }: Post): string =>
  body ?? JSON.stringify({ query, variables, documentId });

export const headersOf = ({ key, accept }: Post): Record<string, string> => ({
  ...POST_JSON,
  ...(accept !== undefined && { accept }),
  ...(key !== undefined && { 'x-api-key': key }),
});
