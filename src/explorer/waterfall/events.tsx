/** The events of a subscription, newest first, with times and changes. */
import { formatResult } from '@graphiql/toolkit';
import { Breakable, exactly } from '../page/cost-badge.tsx';
import { tabInView, type TabExchange } from '../exchange/exchange.ts';
import { callLogOf, withoutCallLog } from '../exchange/extensions.ts';
import { stopSubscription } from '../exchange/subscriptions.ts';
import { changesBetween, type Change } from './event-changes.ts';

export function Events({ exchange }: { exchange: TabExchange }) {
  if (!exchange.stream) return null;
  const { events, ending } = exchange.stream;
  const polls = callLogOf(events.at(-1)?.result)?.polls;
  return (
    <section className="events" aria-label="Events of this subscription">
      <header>
        <p>
          <strong>{exactly(exchange.results, 'event')}</strong>
          {polls && (
            <span>
              {exactly(polls.count, 'poll')} of {polls.method} <Breakable text={polls.route} />
            </span>
          )}
        </p>
        {ending === undefined && (
          <button type="button" onClick={() => stopSubscription(tabInView())}>
            Unsubscribe
          </button>
        )}
      </header>
      <ol reversed>
        <li className="ending" role="status">
          {ending ??
            'Waiting for the next event. The subscription stays active while you use other tabs.'}
        </li>
        {events
          .map(({ number, atMs, result }, index) => (
            <li key={number}>
              <details>
                <summary>
                  <time dateTime={new Date(exchange.startedAtMs + atMs).toISOString()}>
                    {clock(exchange.startedAtMs + atMs)}
                  </time>
                  <span className="event-since">+{(atMs / 1_000).toFixed(1)} s</span>
                  <span className="event-changes">
                    {result.errors?.map(({ message }, at) => (
                      <span key={at} className="failed">
                        {message}
                      </span>
                    ))}
                    {number === 1 ? (
                      'first event'
                    ) : (
                      <Changes changes={changesBetween(events[index - 1]?.result, result)} />
                    )}
                  </span>
                </summary>
                <pre>{formatResult(withoutCallLog(result))}</pre>
              </details>
            </li>
          ))
          .reverse()}
      </ol>
    </section>
  );
}

function Changes({ changes }: { changes: readonly Change[] }) {
  if (changes.length === 0) return <span>no changes</span>;
  return changes.map(({ path, before, after }) => (
    <span key={path}>
      <b title={path}>{path.split('.').at(-1)}</b>: {before ?? '–'} → {after ?? '–'}
    </span>
  ));
}

const clock = (ms: number): string =>
  new Date(ms).toLocaleTimeString('en', { hour12: false }) +
  `.${String(Math.floor(ms) % 1_000).padStart(3, '0')}`;
