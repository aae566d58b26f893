/**
 * What the document will cost, beside the Play button and before it is pressed.
 */
import { useGraphiQL } from '@graphiql/react';
import { parse as parseJsonc } from 'jsonc-parser';
import { useEffect, useState } from 'react';
import { useApiKey } from '../exchange/api-key.ts';
import type { Count, Plan } from '../exchange/extensions.ts';
import { askPlan, type Planned } from './plan.ts';

/** How long the author has to pause before the gateway is asked, in milliseconds. */
const PAUSE_MS = 300;

export function CostBadge() {
  const planned = usePlan();
  if (!planned) return <output className="cost" aria-label="Cost of this document" />;
  if ('refused' in planned) {
    return (
      <output className="cost cost-unknown" aria-label="Cost of this document">
        <span title={planned.refused}>No plan: {planned.refused}</span>
      </output>
    );
  }
  const { plan } = planned;
  const excess = excessOf(plan);
  return (
    <output
      className={excess ? `cost cost-${excess.kind}` : 'cost'}
      aria-label="Cost of this document"
    >
      <strong>
        {range(plan.calls)} {plan.calls.most === 1 ? 'call' : 'calls'}
      </strong>
      <span>{plan.rounds === 1 ? '1 round' : `${plan.rounds} rounds`}</span>
      {plan.values && (
        <span>{range({ least: plan.values.atLeast, most: plan.values.atMost })} values</span>
      )}
      {plan.dearest && <span title="The field that costs most">dearest: {plan.dearest}</span>}
      {excess && <em>{excess.words}</em>}
    </output>
  );
}

/** What is said of a document that is, or may turn out to be, above the budget of a request. */
function excessOf({ calls, values, budget }: Plan) {
  if (!budget) return undefined;
  const { least = 0, most = 0 } = { least: calls.least, most: calls.most ?? Infinity };
  if (least > budget.calls || (values?.atLeast ?? 0) > budget.values) {
    const limit =
      least > budget.calls ? `${budget.calls} calls` : `${format(budget.values)} values`;
    return { kind: 'over', words: `Over budget: a request may have ${limit}.` };
  }
  if (most > budget.calls) {
    return { kind: 'near', words: `May be cut at ${budget.calls} calls.` };
  }
  return undefined;
}

const format = (count: number): string => count.toLocaleString('en');

const range = ({ least, most }: Count): string => {
  if (most === null) return `${format(least)} or more`;
  return least === most ? format(least) : `${format(least)}–${format(most)}`;
};

/** The plan of what stands in the editors; undefined until the first answer. */
function usePlan(): Planned | undefined {
  const query = useEditorText('queryEditor');
  const variables = useEditorText('variableEditor');
  const operationName = useGraphiQL((state) => state.operationName);
  const apiKey = useApiKey();
  const [planned, setPlanned] = useState<Planned>();
  useEffect(() => {
    if (!query.trim()) {
      setPlanned(undefined);
      return;
    }
    const asking = new AbortController();
    const timer = setTimeout(() => {
      const values = parseJsonc(variables) as Record<string, unknown> | undefined;
      askPlan({ query, variables: values, operationName }, asking.signal).then(setPlanned, () => {
        // A newer text was written, or nobody answers: Play will say so.
        if (!asking.signal.aborted) setPlanned({ refused: 'the gateway does not answer.' });
      });
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      asking.abort();
    };
  }, [query, variables, operationName, apiKey]);
  return planned;
}

/** The text of an editor, as it is now. */
function useEditorText(name: 'queryEditor' | 'variableEditor'): string {
  const editor = useGraphiQL((state) => state[name]);
  const [text, setText] = useState('');
  useEffect(() => {
    if (!editor) return undefined;
    setText(editor.getValue());
    const listening = editor.onDidChangeModelContent(() => setText(editor.getValue()));
    return () => listening.dispose();
  }, [editor]);
  return text;
}
