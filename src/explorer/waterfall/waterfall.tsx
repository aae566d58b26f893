/**
 * Below the answer: a row for each REST call of the last request, with its bar in time.
 */
import { useState, type CSSProperties } from 'react';
import { useExchange, type Exchange } from '../exchange/exchange.ts';
import { journalOf, type Journal, type Plan } from '../exchange/extensions.ts';
import { usePlanOf } from '../exchange/plan.ts';
import { isEvents, isParts } from '../exchange/results.ts';
import { copyText, saveFile } from '../page/files.ts';
import { curlOf } from './curl.ts';
import { harOf } from './har.ts';
import { useHighlight } from './highlight.ts';
import { waterfallOf, type Round, type Row } from './rows.ts';

export function WaterfallPane() {
  const exchange = useExchange();
  if (!exchange) {
    return (
      <p className="waterfall-hint">
        Press Play to see which REST calls a query makes. Fields are suggested while you write, from
        the first letter after a brace; the star has examples.
      </p>
    );
  }
  const journal = journalOf(exchange.result);
  return (
    <section className="waterfall" aria-label="REST calls of this request">
      <header>
        <Totals exchange={exchange} journal={journal} />
        <Actions exchange={exchange} />
      </header>
      {journal ? (
        // The row that was pressed is one of this request.
        <Calls key={exchange.startedAt.getTime()} exchange={exchange} journal={journal} />
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
  const gatewayMs = gatewayMsOf(exchange, backendMs);
  return (
    <p>
      <strong>
        {counted(calls, 'call')}, {counted(rounds, 'round')}
      </strong>
      {isOfEvents(exchange) && <span>of the last event</span>}
      {plan && <span className="planned">planned: {planned(plan)}</span>}
      <span>backend {ms(backendMs)}</span>
      {gatewayMs !== undefined && <span>gateway {ms(gatewayMs)}</span>}
    </p>
  );
}

const contentTypeOf = ({ headers }: Exchange): string =>
  headers.find(([name]) => name === 'content-type')?.[1] ?? '';

const isOfEvents = (exchange: Exchange): boolean => isEvents(contentTypeOf(exchange));

/**
 * The time at the gateway during which no call was under way, in milliseconds; undefined where the browser
 * has not measured it, and of subscriptions, which wait for changes most of it.
 */
function gatewayMsOf(exchange: Exchange, backendMs: number): number | undefined {
  const { timing } = exchange;
  if (!timing || isOfEvents(exchange)) return undefined;
  // Calls go on between the parts of an answer; a whole one is sent when all have ended.
  const isInParts = isParts(contentTypeOf(exchange));
  return Math.max(0, timing.waitMs + (isInParts ? timing.receiveMs : 0) - backendMs);
}

const counted = (count: number | string, noun: string): string =>
  `${count} ${noun}${String(count) === '1' ? '' : 's'}`;

const planned = ({ calls: { least, most }, rounds }: Plan): string =>
  `${counted(least === most ? least : `${least}–${most ?? '?'}`, 'call')}, ${counted(rounds, 'round')}`;

function Actions({ exchange }: { exchange: Exchange }) {
  const har = () => JSON.stringify(harOf(exchange), null, 2);
  return (
    <div className="waterfall-actions">
      <button type="button" onClick={() => void copyText(curlOf(exchange))}>
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
  return <p className="waterfall-hint">This answer came without a journal of its REST calls.</p>;
}

function Calls({ exchange, journal }: { exchange: Exchange; journal: Journal }) {
  const { rows, rounds, endMs } = waterfallOf(journal);
  const highlight = useHighlight();
  const [chosen, choose] = useState<number>();
  if (rows.length === 0) return <p className="waterfall-hint">No REST call was needed.</p>;
  const requestId = exchange.headers.find(([name]) => name === 'x-request-id')?.[1];
  return (
    <div className="waterfall-rows">
      <table>
        <thead>
          <tr>
            <th scope="col">Call and its field</th>
            <th scope="col">Status</th>
            <th scope="col" className="bars">
              Rounds
              <Bands rounds={rounds} endMs={endMs} isNumbered />
            </th>
            <th scope="col">Time</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr
              key={index}
              className={`call call-${row.how}`}
              title={requestId && `Request id ${requestId}`}
            >
              <td>
                <button
                  type="button"
                  aria-pressed={index === chosen}
                  onClick={() => {
                    choose(index);
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
                <Bands rounds={rounds} endMs={endMs} />
                <b className="bar" style={place(row, endMs)} />
              </td>
              <td>{row.durationMs === null ? '' : ms(row.durationMs)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const howText = ({ how, attempt }: Row): string => (how === 'retried' ? `attempt ${attempt}` : how);

interface BandsProps {
  readonly rounds: readonly Round[];
  readonly endMs: number;
  readonly isNumbered?: boolean;
}

function Bands({ rounds, endMs, isNumbered = false }: BandsProps) {
  return rounds.map((round, index) => (
    <i key={index} className="band" style={place(round, endMs)}>
      {isNumbered && index + 1}
    </i>
  ));
}

const place = ({ startMs, endMs }: Round, totalMs: number): CSSProperties => {
  const scale = 100 / Math.max(1, totalMs);
  return { left: `${startMs * scale}%`, width: `${Math.max(0.4, (endMs - startMs) * scale)}%` };
};

const ms = (value: number): string => `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`;
