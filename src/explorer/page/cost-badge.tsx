/** The cost of the document in the editor, before it is sent. */
import { useGraphiQL } from '@graphiql/react';
import { Fragment, useEffect, useState } from 'react';
import { useApiKey } from '../exchange/api-key.ts';
import type { PriceRange } from '../../plan/price.ts';
import type { DocumentPlan } from '../exchange/extensions.ts';
import { askPlan, type Planned } from '../exchange/plan.ts';
import { objectIn } from '../exchange/json.ts';
import { useEditorText } from './editors.tsx';

/** Debounce of plan requests, in milliseconds. */
const DEBOUNCE_MS = 300;

/** Delay of errors, in milliseconds: half a word is not an error. */
const ERROR_DELAY_MS = 1_000;

const EXPLANATION_ID = 'cost-explanation';

const STATUS = { role: 'status', 'aria-label': 'Cost of this document' };

export function CostBadge({ canAsk }: { canAsk: boolean }) {
  const planned = usePlan(canAsk);
  if (!planned) return <div className="cost" {...STATUS} />;
  if ('problem' in planned) {
    return (
      <div className="cost cost-unknown" title={planned.problem} {...STATUS}>
        Cost unknown: {planned.problem}
      </div>
    );
  }
  const { plan, isSubscription } = planned;
  const excess = excessOf(plan);
  const mostCalls = mostCallsOf(plan);
  return (
    <div className={excess ? `cost cost-${excess.kind}` : 'cost'} {...STATUS}>
      <button type="button" popoverTarget={EXPLANATION_ID}>
        <strong>
          {countText(plan.calls, 'call')}
          {isSubscription && ' per event'}
        </strong>
        {isSubscription && <span>plus polls</span>}
        {excess && <em>{excess.words}</em>}
        <span>{exactly(plan.rounds, 'round trip')}</span>
        <span>{countText(valuesOf(plan), 'value')}</span>
        {mostCalls && <span>most calls: {mostCalls}</span>}
      </button>
      <Explanation {...planned} />
    </div>
  );
}

function Explanation({ plan, isSubscription }: Exclude<Planned, { problem: string }>) {
  const { routes, missing = [], budget } = plan;
  return (
    <div id={EXPLANATION_ID} popover="auto" className="cost-explanation">
      {routes.length > 0 && (
        <table>
          <thead>
            <tr>
              <th scope="col">Calls</th>
              <th scope="col">Route</th>
              <th scope="col">Fields</th>
            </tr>
          </thead>
          <tbody>
            {routes.map(({ method, route, fields, ...calls }) => (
              <tr key={`${method} ${route}`}>
                <td>{range(calls)}</td>
                <td>
                  {method} <Breakable text={route} />
                </td>
                <td>
                  <Breakable text={fields.join(', ')} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {missing.length > 0 && (
        <p>
          The backend lacks {missing.join(', ')}. Fields that need it use other routes, or are null
          with an error (UPSTREAM_ROUTES).
        </p>
      )}
      <p>
        A <b>call</b> is a request to the REST API behind this gateway. Calls of one{' '}
        <b>round trip</b> run concurrently. <b>Values</b> are the fields and list items of the
        response. The length of a list is unknown before it is read, so numbers have a minimum and a
        maximum.
      </p>
      {isSubscription && (
        <p>
          The backend is polled for changes, once for all subscribers with the same API key. These
          numbers are for one event.
        </p>
      )}
      <p>
        Limit per request: {format(budget.calls)} calls and {format(budget.values)} values.
      </p>
    </div>
  );
}

/** A route or a path of fields that wraps only between its parts. */
export function Breakable({ text }: { text: string }) {
  return text.split(/(?<=.)(?=\/)|(?<=\.)/).map((part, index) => (
    <Fragment key={index}>
      <wbr />
      {part}
    </Fragment>
  ));
}

function mostCallsOf({ routes }: DocumentPlan): string | undefined {
  const most = (one: PriceRange): number => one.most ?? Infinity;
  const [called] = [...routes].sort((a, b) => most(b) - most(a) || b.least - a.least);
  if (!called) return undefined;
  const [first, ...others] = called.fields;
  return others.length > 0 ? `${first} and ${others.length} more` : first;
}

const valuesOf = ({ values: { atLeast, atMost } }: DocumentPlan): PriceRange => ({
  least: atLeast,
  most: atMost,
});

/** The warning for a document that exceeds, or may exceed, the limits of a request. */
function excessOf(plan: DocumentPlan) {
  const limits = [
    { ...plan.calls, limit: plan.budget.calls, noun: 'calls' },
    { ...valuesOf(plan), limit: plan.budget.values, noun: 'values' },
  ];
  const over = limits.find(({ least, limit }) => least > limit);
  const near = over ?? limits.find(({ most, limit }) => (most ?? Infinity) > limit);
  const words = near && `Limit: ${format(near.limit)} ${near.noun}`;
  return over ? { kind: 'over', words: `Rejected. ${words}` } : near && { kind: 'near', words };
}

const sleep = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

const format = (count: number): string => count.toLocaleString('en');

export const countText = (count: PriceRange, noun: string): string =>
  `${range(count)} ${noun}${count.most === 1 ? '' : 's'}`;

export const exactly = (count: number, noun: string): string =>
  countText({ least: count, most: count }, noun);

const range = ({ least, most }: PriceRange): string => {
  if (most === null) return `${format(least)} or more`;
  return least === most ? format(least) : `${format(least)}–${format(most)}`;
};

function usePlan(canAsk: boolean): Planned | undefined {
  const query = useEditorText('queryEditor');
  const variables = useEditorText('variableEditor');
  const headers = useEditorText('headerEditor');
  const operationName = useGraphiQL((state) => state.operationName);
  const apiKey = useApiKey();
  const [planned, setPlanned] = useState<Planned>();
  useEffect(() => {
    if (!query.trim() || !canAsk) {
      setPlanned(undefined);
      return;
    }
    const asking = new AbortController();
    const { signal } = asking;
    const pause = async (): Promise<void> => {
      await sleep(DEBOUNCE_MS);
      if (signal.aborted) return;
      const request = { query, variables: objectIn(variables), operationName };
      const answer: Planned = await askPlan(request, objectIn(headers), signal).catch(() => ({
        problem: 'the gateway does not respond.',
      }));
      if ('problem' in answer) await sleep(ERROR_DELAY_MS - DEBOUNCE_MS);
      if (!signal.aborted) setPlanned(answer);
    };
    void pause();
    return () => asking.abort();
  }, [query, variables, headers, operationName, apiKey, canAsk]);
  return planned;
}
