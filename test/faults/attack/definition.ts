/**
 * What an attack is made of: data that says how it is judged, and one function that carries it out.
 *
 * The function runs in a process of its own (`attacker.ts`); everything else is read by `arena.ts`.
 */
import type { Socket } from 'node:net';
import type { BackendRules } from './backend.ts';
import type { Asking } from './victim.ts';

/** A POST to `/graphql`. */
export interface Post {
  readonly query?: string;
  readonly variables?: unknown;
  readonly operationName?: string;
  /** Absent: sent without a key. */
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The bytes of the body, in place of the JSON that the fields above make. */
  readonly body?: string;
}

/** The backend knows no key that begins like this. */
export const INVENTED = 'invented-';

export const bodyOf = ({ query, variables, operationName, body }: Post): string =>
  body ?? JSON.stringify({ query, variables, operationName });

export const headersOf = ({ key, headers }: Post): Record<string, string> => ({
  'content-type': 'application/json',
  accept: 'application/json',
  ...(key !== undefined && { 'x-api-key': key }),
  ...headers,
});

export interface Attack {
  /** `--only=3,7` chooses by it. */
  readonly point: number;
  readonly name: string;
  /** Settings of the gateway. */
  readonly env?: Readonly<Record<string, string>>;
  /** How the backend behaves all the time. */
  readonly backend?: BackendRules;
  /** What goes wrong in the backend while the attack lasts. */
  readonly faults?: BackendRules['faults'];
  /** Requests that are also measured alone; another text each turn, so that no cache helps. */
  readonly requests?: readonly ((turn: number) => Post)[];
  /** The caller who is harmed; null for an attack that ends the gateway or needs no time. */
  readonly victim?: { readonly perSecond: number; readonly mix: readonly Asking[] } | null;
  /** Lasts so long, however short the others are: what it hits looks at a longer time. */
  readonly leastSeconds?: number;
  /** True where memory must return to within 60 MB of what it was. */
  readonly returnsMemory?: boolean;
  /** Ends soon after the time is over. Absent: the faults of the backend are all of it. */
  readonly run?: (attacker: Attacker) => Promise<void>;
}

/** What an attack may do, and where it says what it saw. */
export interface Attacker {
  readonly port: number;
  readonly gatewayPid: number;
  readonly backendUrl: string;
  /** How long the attack lasts. */
  readonly seconds: number;
  /** Whether its time is over. */
  readonly over: boolean;
  /** Milliseconds left. */
  readonly leftMs: number;
  /** Sends a request; answers the whole text. Rejects when the connection breaks or the time is over. */
  ask(post: Post): Promise<Reply>;
  /** Sends a request; throws the answer away as it arrives. */
  spend(post: Post): Promise<Omit<Reply, 'text'>>;
  /** So many callers, each again as soon as it was answered. Failures are counted, not thrown. */
  loop(callers: number, turn: (caller: number) => Promise<unknown>): Promise<void>;
  /** A connection of its own, as bytes. */
  connect(): Socket;
  /** Counts what is worth telling. */
  count(fact: string, by?: number): void;
  /** Says what must not happen; the same words are counted. */
  wrong(complaint: string): void;
}

export interface Reply {
  readonly status: number;
  readonly bytes: number;
  readonly text: string;
}

/** What an attack spent and saw. */
export interface AttackReport {
  readonly requests: number;
  readonly bytesSent: number;
  readonly connections: number;
  readonly facts: Readonly<Record<string, number>>;
  readonly wrong: readonly string[];
}
