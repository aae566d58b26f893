/**
 * Below the answer: a row for each REST call of the last request, with its bar in time.
 */
import { Fragment, useState, type CSSProperties } from 'react';
import { useExchange, type Exchange } from '../exchange/exchange.ts';
import { usePlanOf } from '../cost/plan.ts';
import { journalOf, type Journal, type Plan } from '../exchange/extensions.ts';
import { copyText, saveFile } from '../page/files.ts';
import { curlOf } from './curl.ts';
import { harOf } from './har.ts';
import { useHighlight } from './highlight.ts';
import { waterfallOf, type Round, type Row } from './rows.ts';

export function WaterfallPane() {
  const exchange = useExchange();
  if (!exchange) {
    return <p className="waterfall-hint">Press Play to see which REST calls a query makes.</p>;
  }
  const journal = journalOf(exchange.result);
  return (
    <section className="waterfall" aria-label="REST calls of this request">
      <header>
        <Totals exchange={exchange} journal={journal} />
        <Actions exchange={exchange} />
      </header>
      {journal ? (
        <Calls exchange={exchange} journal={journal} />
      ) : (
        <NoJournal exchange={exchange} />
      )}
    </section>
  );
}

function Totals({ exchange, journal }: { exchange: Exchange; journal: Journal | undefined }) {
  const plan = usePlanOf(exchange.request);
  if (!journal) return <p />;
  const { calls, rounds, backendMs } = journal;
  const gatewayMs = exchange.waitMs === undefined ? undefined : exchange.waitMs - backendMs;
  return (
    <p>
      <strong>
        {calls} {calls === 1 ? 'call' : 'calls'}, {rounds} {rounds === 1 ? 'round' : 'rounds'}
      </strong>
      {plan && <span className="planned">planned: {planned(plan)}</span>}
      <span>backend {ms(backendMs)}</span>
      {gatewayMs !== undefined && <span>gateway {ms(Math.max(0, gatewayMs))}</span>}
    </p>
  );
}

const planned = ({ calls: { least, most }, rounds }: Plan): string =>
  `${least === most ? least : `${least}–${most ?? '?'}`} calls, ${rounds} rounds`;

function Actions({ exchange }: { exchange: Exchange }) {
  const har = () => JSON.stringify(harOf(exchange), null, 2);
  return (
    <div className="waterfall-actions">
      <button type="button" onClick={() => void copyText(curlOf(exchange.request))}>
        Copy as curl
      </button>
      <button type="button" onClick={() => void copyText(har())}>
        Copy as HAR
      </button>
      <button type="button" onClick={() => saveFile('request.har', 'application/json', har())}>
        Save HAR
      </button>
    </div>
  );
}

function NoJournal({ exchange: { result } }: { exchange: Exchange }) {
  // The status line says why there is no answer.
  if (!result) return null;
  return (
    <p className="waterfall-hint">
      {result?.extensions?.['plan']
        ? 'This answer is a plan: nothing was called.'
        : 'This answer came without a journal of its REST calls.'}
    </p>
  );
}

function Calls({ exchange, journal }: { exchange: Exchange; journal: Journal }) {
  const { rows, rounds, endMs } = waterfallOf(journal);
  const highlight = useHighlight();
  const [chosen, choose] = useState<Row>();
  if (rows.length === 0) return <p className="waterfall-hint">No REST call was needed.</p>;
  const requestId = exchange.headers.find(([name]) => name === 'x-request-id')?.[1];
  return (
    <div className="waterfall-rows">
      <table>
        <thead>
          <tr>
            <th scope="col">REST call, and the field that caused it</th>
            <th scope="col">Status</th>
            <th scope="col">Time</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr
              key={index}
              className={`call call-${row.how}`}
              aria-selected={row.field === chosen?.field && row.startMs === chosen.startMs}
              title={requestId && `Request id ${requestId}`}
            >
              <td>
                <button
                  type="button"
                  onClick={() => {
                    choose(row);
                    highlight(row.path);
                  }}
                >
                  {row.method} {row.route}
                </button>
                <small>{row.field}</small>
              </td>
              <td>
                {row.how === 'primed' ? '' : (row.status ?? '–')} <small>{howText(row)}</small>
              </td>
              <td className="bars">
                <Bars row={row} rounds={rounds} endMs={endMs} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const howText = ({ how, attempt }: Row): string => (how === 'retried' ? `attempt ${attempt}` : how);

/** The rounds as bands, the call as a bar over them. */
function Bars({ row, rounds, endMs }: { row: Row; rounds: readonly Round[]; endMs: number }) {
  return (
    <Fragment>
      {rounds.map((round, index) => (
        <i key={index} className="band" style={place(round, endMs)} />
      ))}
      <b className="bar" style={place(row, endMs)} />
      <small>{row.durationMs === null ? '' : ms(row.durationMs)}</small>
    </Fragment>
  );
}

const place = ({ startMs, endMs }: Round, totalMs: number): CSSProperties => {
  const scale = 100 / Math.max(1, totalMs);
  return { left: `${startMs * scale}%`, width: `${Math.max(0.4, (endMs - startMs) * scale)}%` };
};

const ms = (value: number): string => `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`;
