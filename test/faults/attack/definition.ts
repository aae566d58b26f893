/**
 * What an attack is made of: data that says how it is measured, and a function that carries it out.
 *
 * The function runs in the attacker's process (`attacker.ts`); `run-attack.ts` reads the rest.
 */
import type { Socket } from 'node:net';
import type { BackendRules } from './backend.ts';
import type { Plan } from './victim.ts';

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
  /** Requests that are also measured alone. Their text changes each turn, so that no cache helps. */
  readonly requests?: readonly ((turn: number) => Post)[];
  /** Callers beside the attacker; null for none. @default the legitimate mix */
  readonly victim?: Plan | null;
  /** The attack lasts at least so long, whatever `--seconds` says. */
  readonly leastSeconds?: number;
  /** True where memory must return to within 60 MB of what it was. */
  readonly returnsMemory?: boolean;
  /** True where the attack itself ends the gateway. */
  readonly endsGateway?: boolean;
  /** Returns soon after the time is over. Absent where the backend's faults are the attack. */
  readonly run?: (attacker: Attacker) => Promise<void>;
}

/** What an attack can do, and how it reports what it saw. */
export interface Attacker {
  readonly port: number;
  readonly gatewayPid: number;
  readonly backendUrl: string;
  /** How long the attack lasts. */
  readonly seconds: number;
  /** REST calls that the control of an attack makes. */
  readonly callsASecond: number;
  /** Whether its time is over. */
  readonly over: boolean;
  /** Milliseconds left. */
  readonly leftMs: number;
  /** Sends a request; resolves with the answer. Rejects when the connection breaks or time is over. */
  ask(post: Post): Promise<Reply>;
  /** As `ask`, but discards the answer while it arrives. */
  send(post: Post): Promise<Omit<Reply, 'text'>>;
  /** Runs `turn` again and again in so many callers at once. Failures are counted, not thrown. */
  loop(callers: number, turn: (caller: number) => Promise<unknown>): Promise<void>;
  /** Opens a raw connection. */
  connect(): Socket;
  /** Counts something for the remarks below the table; `requests` for the table itself. */
  count(fact: string, by?: number): void;
  /** Reports what must not happen. Equal complaints are counted. */
  wrong(complaint: string): void;
}

export interface Reply {
  readonly status: number;
  readonly bytes: number;
  readonly text: string;
}

/** What an attacker spent and saw. */
export interface AttackReport {
  readonly requests: number;
  readonly bytesSent: number;
  readonly connections: number;
  readonly facts: Readonly<Record<string, number>>;
  readonly wrong: readonly string[];
}
