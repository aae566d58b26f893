/**
 * Messages between the primary and its workers.
 */
import type { Registry } from 'prom-client';

export type ToWorker =
  /** Comes with the socket, which the worker has once it has answered `accepted`. */
  | { readonly type: 'connection' }
  /** Answers `leaving`: no `connection` follows. */
  | { readonly type: 'last connection' }
  | { readonly type: 'own metrics?'; readonly id: number }
  | { readonly type: 'all metrics'; readonly text: string };

export type ToPrimary =
  /** It takes connections. `usable`: the backend answers it. */
  | { readonly type: 'ready'; readonly usable: boolean }
  /** The heartbeat. */
  | { readonly type: 'alive' }
  /** How many connections it serves, when some have closed. */
  | { readonly type: 'open'; readonly open: number }
  | { readonly type: 'accepted'; readonly open: number }
  /** It stops: connections are to go to others. */
  | { readonly type: 'leaving' }
  | { readonly type: 'own metrics'; readonly id: number; readonly metrics: MetricsOfWorker }
  | { readonly type: 'all metrics?' };

/** The metrics of one process, in the form that prom-client adds up. */
export type MetricsOfWorker = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** The time between heartbeats of a worker, in milliseconds. */
export const HEARTBEAT_MS = 1_000;
