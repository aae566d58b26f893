/** What an HTTP server serves on a port. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { PlainLane } from '../carriers/plain-lane.ts';
import type { Logger } from '../../observe/logs/logger.ts';
import type { Readiness } from '../../observe/readiness.ts';
import type { RequestRecord } from '../../operation/request/request-record.ts';
import type { Subscriptions } from '../../operation/result/subscriptions.ts';
import type { Explorer } from './explorer.ts';

export interface Site {
  readonly readiness: Readiness;
  readonly logger: Logger;
  /** Ended when the process stops. */
  readonly subscriptions: Subscriptions;
  /** Requests as Yoga reads them fastest; Node's own cost three times as much. */
  readonly Request: typeof Request;
  /** Answers a plain request, if it is one; other requests go to `answer`, with the same record. */
  readonly answerPlain?: PlainLane | undefined;
  /**
   * Answers any request; never rejects.
   *
   * @param record begun before: what the HTTP server refuses by itself is reported like the rest.
   */
  answer(request: Request, record: RequestRecord): Promise<Response>;
  /** Takes a connection for WebSocket, or answers why not. */
  upgrade(incoming: IncomingMessage, socket: Duplex, head: Buffer): Response | undefined;
  /** GraphiQL, where it is served. */
  readonly explorer?: Explorer;
  /** Resolves when no GraphQL request is being answered. */
  idle(): Promise<void>;
}
