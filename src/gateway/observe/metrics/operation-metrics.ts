/**
 * Metrics of operations: outcomes, apps, errors, and calls to the backend.
 *
 * Only names in manifests of trusted documents are labels; names chosen by callers are `other`.
 */
import type { GraphQLError } from 'graphql';
import { RestError } from '../../../rest/call/errors.ts';
import type { CallLog } from '../../../rest/call/call-log.ts';
import {
  OTHER_APP,
  type Answered,
  type AppVersion,
  type Operation,
  type Outcome,
} from '../../operation/operation.ts';
import { PLANNED, type PlannedCost } from '../../policies/explain.ts';
import type { Instruments } from './instruments.ts';
import type { UpstreamMetrics } from './upstream-metrics.ts';

const OTHER = 'other';

const OPERATION_TYPES = ['query', 'mutation', 'subscription'];

/** Maximum number of label combinations of operation, app and version; further ones are `other`. */
const MAX_ROWS = 2_000;

/** An operation of an app's version; the same object for the same three names. */
interface OperationRow {
  readonly name: string;
  readonly app: AppVersion;
}

const OTHER_ROW: OperationRow = { name: OTHER, app: OTHER_APP };

type PlanCheck = `${'calls' | 'rounds'} ${'fewer' | 'as_planned' | 'more'}`;

export function operationMetrics(instruments: Instruments, upstream: UpstreamMetrics) {
  const requests = instruments.batch(
    'gateway_requests_total',
    'GraphQL requests by operation type and outcome.',
    ['operation', 'outcome'],
    (operation: string, outcome: Outcome) => ({ operation, outcome }),
  );
  // Prometheus computes no increase for a series that starts above 0, so alerts would miss the first failures.
  for (const operation of OPERATION_TYPES) requests.add(operation, 'failed', 0);
  const durations = instruments.durations(
    'gateway_request_duration_seconds',
    'Duration of GraphQL requests, from arrival to response.',
    (operation: string) => ({ operation }),
  );
  const operations = instruments.batch(
    'gateway_operations_total',
    'Operations of trusted documents by name, app, version and outcome; all others are "other".',
    ['operation_name', 'app', 'version', 'outcome'],
    ({ name, app }: OperationRow, outcome: Outcome) => ({ operation_name: name, ...app, outcome }),
  );
  const durationsByName = instruments.durations(
    'gateway_operation_duration_seconds',
    'Duration of operations of trusted documents by name; all others are "other".',
    (name: string) => ({ operation_name: name }),
  );
  const failures = instruments.batch(
    'gateway_errors_total',
    'Responses with an error, by code and by the REST route that failed (empty if none did).',
    ['code', 'method', 'route'],
    (code: string, at: string) => {
      const [method = '', route = ''] = at.split(' ');
      return { code, method, route };
    },
  );
  const calls = instruments.batch(
    'gateway_operation_calls_total',
    'REST calls sent for operations, by name.',
    ['operation_name'],
    (name: string, _all: true) => ({ operation_name: name }),
  );
  const rounds = instruments.batch(
    'gateway_operation_rounds_total',
    'Sequential round trips of operations, by name.',
    ['operation_name'],
    (name: string, _all: true) => ({ operation_name: name }),
  );
  const planChecks = instruments.batch(
    'gateway_plan_checks_total',
    'Explained queries, by whether they made fewer or more calls, and round trips, than planned.',
    ['operation_name', 'what', 'made'],
    (name: string, check: PlanCheck) => {
      const [what = '', made = ''] = check.split(' ');
      return { operation_name: name, what, made };
    },
  );
  const rowOf = createRows();

  /** Counts each code and route once per response, since a list of a hundred fails a hundred times. */
  function addErrors(errors: readonly GraphQLError[]): void {
    const seen = new Set<string>();
    for (const { extensions, originalError } of errors) {
      const code = typeof extensions['code'] === 'string' ? extensions['code'] : 'none';
      const at =
        originalError instanceof RestError
          ? `${originalError.route.method} ${originalError.route.path}`
          : '';
      if (seen.has(code + at)) continue;
      seen.add(code + at);
      failures.add(code, at);
    }
  }

  function addCalls(name: string, callLog: CallLog, plan: PlannedCost | undefined): void {
    let sent = 0;
    let needed = 0;
    let isAsPlanned = true;
    for (const entry of callLog.entries) {
      const { source } = entry;
      if (source === 'sent') sent += 1;
      // Unsent attempts are counted when they end.
      else if (source !== 'unsent') upstream.withoutCall(entry);
      // Plans include no retries, cached responses or speculative reads.
      if (source === 'cached' || entry.attempt > 1 || entry.ahead) isAsPlanned = false;
      else if (source === 'sent' || source === 'shared') needed += 1;
    }
    if (sent === 0 && needed === 0 && !plan) return;
    calls.add(name, true, sent);
    rounds.add(name, true, callLog.rounds);
    if (!plan || !isAsPlanned) return;
    planChecks.add(name, `calls ${comparison(needed, plan.calls.least, plan.calls.most)}`);
    planChecks.add(name, `rounds ${comparison(callLog.rounds, plan.rounds, plan.rounds)}`);
  }

  return (operation: Operation, { outcome, durationMs }: Answered): void => {
    const { operationType = 'none', errors, rest, trace } = operation;
    const seconds = durationMs / 1_000;
    requests.add(operationType, outcome);
    durations.observe(operationType, seconds, trace?.span);
    const row = rowOf(operation);
    operations.add(row, outcome);
    durationsByName.observe(row.name, seconds, trace?.span);
    if (errors.length > 0) addErrors(errors);
    if (rest) addCalls(row.name, rest.callLog, PLANNED.get(operation));
  };
}

function createRows() {
  const rows = new Map<AppVersion, Map<string, OperationRow>>();
  let count = 0;
  return ({ document, operationName, app = OTHER_APP }: Operation): OperationRow => {
    const name = document?.hash === undefined ? OTHER : (operationName ?? OTHER);
    let names = rows.get(app);
    if (!names) rows.set(app, (names = new Map<string, OperationRow>()));
    let row = names.get(name);
    if (row) return row;
    if (count >= MAX_ROWS) return OTHER_ROW;
    count += 1;
    names.set(name, (row = { name, app }));
    return row;
  };
}

const comparison = (made: number, least: number, most: number) =>
  made < least ? 'fewer' : made > most ? 'more' : 'as_planned';
