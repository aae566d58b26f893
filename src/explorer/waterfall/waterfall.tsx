/** The pane below the response: a row with a bar for each REST call, and the events of a subscription. */
import { useState, type CSSProperties } from 'react';
import { useExchange, type TabExchange } from '../exchange/exchange.ts';
import type { Explained } from '../../plan/explain.ts';
import { callLogOf, type DocumentPlan } from '../exchange/extensions.ts';
import { usePlanOf } from '../exchange/plan.ts';
import { isParts } from '../exchange/results.ts';
import { countText, exactly } from '../page/cost-badge.tsx';
import { saveFile } from '../documents/exports.ts';
import { Events } from './events.tsx';
import { harOf } from './har.ts';
import { useHighlight } from './highlight.ts';
import { labelsOf, waterfallOf, type Round, type CallRow } from './rows.ts';

/** @param suggests whether fields are suggested, which needs the schema. */
export function WaterfallPane({ suggests }: { suggests: boolean }) {
  const exchange = useExchange();
  if (!exchange) {
    return (
      <p className="waterfall-hint">
        Run a query to see its REST calls. Examples are under the star icon.
        {suggests && ' Suggestions appear as you type, and after an opening brace.'}
      </p>
    );
  }
  const explained = callLogOf(exchange.result);
  const saveHar = () =>
    saveFile('request.har', 'application/json', JSON.stringify(harOf(exchange), null, 2));
  return (
    <>
      <Events exchange={exchange} />
      <section className="waterfall" aria-label="REST calls of this request">
        <header>
          {explained ? <Totals exchange={exchange} explained={explained} /> : <p />}
          <div className="waterfall-actions">
            <button type="button" onClick={saveHar}>
              Save HAR
            </button>
          </div>
        </header>
        {explained ? (
          // The pressed row belongs to this request.
          <Calls key={exchange.startedAtMs} exchange={exchange} explained={explained} />
        ) : (
          <NoCallLog exchange={exchange} />
        )}
      </section>
    </>
  );
}

function Totals({ exchange, explained }: { exchange: TabExchange; explained: Explained }) {
  const plan = usePlanOf(exchange.request);
  const { calls, rounds, backendMs } = explained;
  const gatewayMs = gatewayMsOf(exchange, backendMs);
  if (explained.polls && calls === 0) return <p>The last event needed no calls except polls.</p>;
  return (
    <p>
      <strong>
        {exactly(calls, 'call')}, {exactly(rounds, 'round trip')}
      </strong>
      {exchange.stream && <span>for the last event, without polls</span>}
      {plan && <span className="planned">planned: {planned(plan, rounds)}</span>}
      <span>backend {ms(backendMs)}</span>
      {gatewayMs !== undefined && <span>gateway {ms(gatewayMs)}</span>}
    </p>
  );
}

/** Time in the gateway without a pending call; undefined for subscriptions, and without measurements of the browser. */
function gatewayMsOf(exchange: TabExchange, backendMs: number): number | undefined {
  const { timing, stream } = exchange;
  if (!timing || stream) return undefined;
  // Calls continue between the parts of an incremental response.
  const isInParts = isParts(exchange.headers.find(([name]) => name === 'content-type')?.[1] ?? '');
  return Math.max(0, timing.waitMs + (isInParts ? timing.receiveMs : 0) - backendMs);
}

/** @param made the actual round trips, which are not repeated. */
function planned({ calls, rounds }: DocumentPlan, made: number): string {
  const text = countText(calls, 'call');
  return rounds === made ? text : `${text}, ${exactly(rounds, 'round trip')}`;
}

const INVALID = new Set(['GRAPHQL_PARSE_FAILED', 'GRAPHQL_VALIDATION_FAILED']);

function NoCallLog({ exchange: { result } }: { exchange: TabExchange }) {
  // The status line has the reason.
  if (!result) return null;
  const codes = (result.errors ?? []).map(({ extensions }) => String(extensions?.['code']));
  let reason = `No REST calls: the query was rejected with ${codes[0]}.`;
  if (codes.length === 0) reason = 'This gateway does not show its REST calls (EXPLAIN).';
  else if (codes.some((one) => INVALID.has(one))) reason = 'No REST calls: the query is invalid.';
  return <p className="waterfall-hint">{reason}</p>;
}

function Calls({ exchange, explained }: { exchange: TabExchange; explained: Explained }) {
  const { rows, rounds, endMs } = waterfallOf(explained);
  const highlight = useHighlight();
  const [chosen, choose] = useState<number>();
  if (rows.length === 0) {
    return explained.polls ? null : <p className="waterfall-hint">No REST calls were needed.</p>;
  }
  const requestId = exchange.headers.find(([name]) => name === 'x-request-id')?.[1];
  return (
    <div className="calls">
      <div className="calls-head" aria-hidden="true">
        <span>Call and field</span>
        <span>Status</span>
        <span className="bars">
          <span className="bars-title" style={titlePlace(rounds, endMs)}>
            Round trips
          </span>
          <Bands rounds={rounds} endMs={endMs} isNumbered />
        </span>
        <span>Time</span>
      </div>
      <ol>
        {rows.map((row, index) => (
          <li key={index}>
            <button
              type="button"
              className={`call call-${row.how} ${row.isFailed ? 'call-failed' : ''}`}
              title={requestId && `Request id ${requestId}`}
              aria-pressed={index === chosen}
              onClick={() => {
                choose(index);
                highlight(row.path);
              }}
            >
              <Route row={row} />
              <span className="call-field">{row.field}</span>
              <span className="call-status">
                {row.how === 'primed' ? '' : (row.status ?? '–')} <small>{howText(row)}</small>
              </span>
              <span className="bars" aria-hidden="true">
                <Bands rounds={rounds} endMs={endMs} />
                <b className="bar" style={place(row, endMs)} />
              </span>
              <span className="call-time">{row.durationMs === null ? '' : ms(row.durationMs)}</span>
            </button>
          </li>
        ))}
      </ol>
    </div>
  );
}

/** Shortens routes in the middle: their ends tell them apart. */
function Route({ row: { method, route } }: { row: CallRow }) {
  const end = route.lastIndexOf('/');
  return (
    <span className="call-route">
      <span>
        {method} {route.slice(0, end)}
      </span>
      <span>{route.slice(end)}</span>
    </span>
  );
}

function howText({ how, attempt, isFailed }: CallRow): string {
  if (how === 'unused') return 'prefetched, unused';
  if (how === 'ahead') return 'prefetched';
  if (how === 'retried') return `attempt ${attempt}`;
  if (how === 'sent') return isFailed ? 'failed' : '';
  return how;
}

interface BandsProps {
  readonly rounds: readonly Round[];
  readonly endMs: number;
  readonly isNumbered?: boolean;
}

function Bands({ rounds, endMs, isNumbered = false }: BandsProps) {
  const labels = isNumbered ? labelsOf(rounds, endMs) : [];
  return rounds.map((round, index) => (
    <i key={index} className="band" style={place(round, endMs)}>
      {labels[index]}
    </i>
  ));
}

const place = ({ startMs, endMs }: Round, totalMs: number): CSSProperties => {
  const scale = 100 / Math.max(1, totalMs);
  return { left: `${startMs * scale}%`, width: `${Math.max(0.4, (endMs - startMs) * scale)}%` };
};

/** Above the first band, as far as the column has room for the word. */
const titlePlace = ([first]: readonly Round[], totalMs: number): CSSProperties =>
  first ? { left: `min(${place(first, totalMs).left}, 100% - 6em)` } : {};

const ms = (value: number): string => `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`;
