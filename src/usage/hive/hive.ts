/**
 * Reports to GraphQL Hive who uses which parts of the schema: loaded only where HIVE_TOKEN is set.
 *
 * An executed operation is a line of the next report, which is sent every ten seconds, one at a time. Hive's library
 * works out what an operation uses; its client is not used, because it hashes the document of each request again, which
 * costs more than the rest of a request's plugins together.
 *
 * Source: https://the-guild.dev/graphql/hive/docs/api-reference/usage-reports
 */
import type { DocumentNode, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import type { GatewayPlugin } from '../../operation/gateway-plugin.ts';
import { OTHER_APP } from '../../operation/request/caller.ts';
import type { RequestRecord } from '../../operation/request/request-record.ts';
import type { ExecutePayload } from '../usage.plugin.ts';
import { hiveOperationOf, type HiveOperation } from './hive-operation.ts';

export interface HiveOptions {
  readonly token: string;
  /** Where reports are posted to, with the target where the token is not one of a target. */
  readonly endpoint: string;
  /** Of the gateway. */
  readonly version: string;
  /** Called when reports are not taken, at most once a minute. */
  readonly onRefused: (why: string, lost: number) => void;
  /** How often a report is sent, in milliseconds. @default 10,000 */
  readonly everyMs?: number;
}

/** Operations that wait; a report begins when half of them do, so that the others find room while it is sent. */
const MAX_OPERATIONS = 4_000;

/** Characters of their documents that wait: Hive takes reports of 15 MB. */
const MAX_TEXT = 4_000_000;

const MAX_TRIES = 3;
const TIMEOUT_MS = 5_000;
/** How long the last report is waited for when the process ends, in milliseconds. */
const CLOSE_MS = 2_000;
const COMPLAIN_MS = 60_000;

/** An operation that may be reported again and again. */
interface Known {
  readonly key: string;
  readonly told: HiveOperation;
  /** Of its text and coordinates, in characters. */
  readonly length: number;
}

interface Report {
  readonly body: string;
  readonly size: number;
  tries: number;
}

export class Hive {
  readonly plugin: GatewayPlugin;
  readonly #options: HiveOptions;
  readonly #timer: NodeJS.Timeout;
  readonly #closing = new AbortController();
  readonly #known = new WeakMap<OperationDefinitionNode, Known>();
  readonly #executed = new WeakMap<RequestRecord, Known>();
  #keys = 0;
  #map = new Map<string, HiveOperation>();
  #operations: object[] = [];
  #subscriptions: object[] = [];
  #text = 0;
  /** What Hive has not taken yet. */
  #report: Report | undefined;
  #sending: Promise<void> | undefined;
  /** Executions that were never reported, and how many of them the operator knows of. */
  #lost = 0;
  #told = 0;
  #complainedMs = -Infinity;

  constructor(options: HiveOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#send(), options.everyMs ?? 10_000).unref();
    const begin = ({ args: { schema, document }, context: { record } }: ExecutePayload): void => {
      const { operation } = record;
      if (operation) this.#executed.set(record, this.#knownOf(schema, document, operation));
    };
    this.plugin = {
      onExecute: begin,
      onSubscribe: begin,
      onAnswered: (_answered, { record }) => {
        const known = this.#executed.get(record);
        // A report with an operation without coordinates is refused as a whole.
        if (known && known.told.fields.length > 0) this.#add(known, record);
      },
    };
  }

  /** Sends what waits; resolves within two seconds. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    const timer = setTimeout(() => this.#closing.abort(), CLOSE_MS);
    await this.#sending;
    // One that has not been taken may stand before what came since.
    for (let reports = 0; reports < 2; reports++) {
      this.#send();
      await this.#sending;
    }
    clearTimeout(timer);
  }

  #knownOf(
    schema: GraphQLSchema,
    document: DocumentNode,
    operation: OperationDefinitionNode,
  ): Known {
    let known = this.#known.get(operation);
    if (known) return known;
    const told = hiveOperationOf(schema, document, operation);
    const length = told.operation.length + told.fields.join().length;
    known = { key: `${this.#keys++}`, told, length };
    this.#known.set(operation, known);
    return known;
  }

  #add(known: Known, { app, errors, startedAt, operationType }: RequestRecord): void {
    const waiting = this.#operations.length + this.#subscriptions.length;
    if (waiting >= MAX_OPERATIONS || this.#text >= MAX_TEXT) {
      this.#lost += 1;
      return;
    }
    const { key, told, length } = known;
    if (!this.#map.has(key)) {
      this.#map.set(key, told);
      this.#text += length;
    }
    const isKnownApp = app !== undefined && app !== OTHER_APP;
    const line = {
      ...{ operationMapKey: key, timestamp: Date.now() },
      metadata: isKnownApp ? { client: { name: app.app, version: app.version } } : null,
    };
    if (operationType === 'subscription') {
      this.#subscriptions.push(line);
    } else {
      const errorsTotal = errors?.length ?? 0;
      const duration = Math.round((performance.now() - startedAt) * 1e6); // in nanoseconds
      this.#operations.push({
        ...line,
        execution: { ok: errorsTotal === 0, duration, errorsTotal },
      });
    }
    const isMuch = waiting * 2 >= MAX_OPERATIONS || this.#text * 2 >= MAX_TEXT;
    // One that was not taken is tried again by the timer alone.
    if (isMuch && !this.#report) this.#send();
  }

  /** One report at a time: while it is sent, others wait. */
  #send(): void {
    if (this.#sending) return;
    this.#report ??= this.#take();
    if (!this.#report) return;
    this.#sending = this.#post(this.#report).finally(() => {
      this.#sending = undefined;
    });
  }

  #take(): Report | undefined {
    const [map, operations, subscriptions] = [this.#map, this.#operations, this.#subscriptions];
    const size = operations.length + subscriptions.length;
    if (size === 0) return undefined;
    [this.#map, this.#operations, this.#subscriptions, this.#text] = [
      new Map<string, HiveOperation>(),
      [],
      [],
      0,
    ];
    const body = JSON.stringify({
      ...{ size, map: Object.fromEntries(map), operations },
      ...(subscriptions.length > 0 && { subscriptionOperations: subscriptions }),
    });
    return { body, size, tries: 0 };
  }

  /** Never rejects. What is not taken is tried again at the next turn, and given up after three. */
  async #post(report: Report): Promise<void> {
    report.tries += 1;
    const answer = await this.#ask(report.body);
    const isTaken = answer === 'taken';
    const isRefused = /^status 4(?!08|29)/.test(answer) || report.tries === MAX_TRIES;
    if (isTaken || isRefused) this.#report = undefined;
    if (!isTaken && isRefused) this.#lost += report.size;
    if (!isTaken || this.#lost > this.#told) this.#complain(isTaken ? 'too slow' : answer);
  }

  #complain(why: string): void {
    if (performance.now() - this.#complainedMs < COMPLAIN_MS) return;
    this.#complainedMs = performance.now();
    this.#told = this.#lost;
    this.#options.onRefused(why, this.#lost);
  }

  async #ask(body: string): Promise<string> {
    const { endpoint, token, version } = this.#options;
    try {
      const { status, body: answer } = await fetch(endpoint, {
        ...{ method: 'POST', body, redirect: 'manual' },
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          'user-agent': `content-pages-gateway/${version}`,
          'x-usage-api-version': '2',
        },
        signal: AbortSignal.any([this.#closing.signal, AbortSignal.timeout(TIMEOUT_MS)]),
      });
      await answer?.cancel();
      return status < 300 ? 'taken' : `status ${status}`;
    } catch (error) {
      const { name, cause } = error as Error;
      return (cause as { readonly code?: string } | undefined)?.code ?? name;
    }
  }
}
