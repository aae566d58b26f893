/**
 * Above the editors: the key, the cost of the document, and what can be done with the document.
 */
import { useGraphiQL } from '@graphiql/react';
import { printSchema } from 'graphql';
import { parse as parseJsonc } from 'jsonc-parser';
import { useState } from 'react';
import type { ExplorerSettings } from '../../server/http/explorer.ts';
import { useApiKey } from '../exchange/api-key.ts';
import { askPlan } from '../exchange/plan.ts';
import { CostBadge } from './cost-badge.tsx';
import { copyText, saveFile } from './files.ts';
import { KeyField } from './key-field.tsx';
import { save } from './saved.ts';
import { linkTo } from './share.ts';
import { trustedDocument } from './trusted-document.ts';

export function TopBar({ settings }: { settings: ExplorerSettings }) {
  const { needsKey } = settings;
  const canAsk = useApiKey() !== '' || !needsKey;
  return (
    <header className="graphiql-container top-bar">
      <h1>
        Content Pages <small>GraphiQL</small>
      </h1>
      <KeyField needsKey={needsKey} />
      {settings.explain !== 'off' && <CostBadge canAsk={canAsk} />}
      {!settings.introspection && (
        <p className="notice">This gateway keeps its schema to itself: no docs, no completion.</p>
      )}
      <DocumentMenu />
    </header>
  );
}

function DocumentMenu() {
  const queryEditor = useGraphiQL((state) => state.queryEditor);
  const variableEditor = useGraphiQL((state) => state.variableEditor);
  const operationName = useGraphiQL((state) => state.operationName);
  const schema = useGraphiQL((state) => state.schema);
  const [said, say] = useState('');
  const query = () => queryEditor?.getValue() ?? '';
  const variables = () => variableEditor?.getValue() ?? '';
  return (
    <nav aria-label="This document" className="document-menu">
      <button
        type="button"
        onClick={() => {
          const name = nameOf(query());
          save({ name, document: query(), variables: variables() });
          say(`Saved as ${name}.`);
        }}
      >
        Save
      </button>
      <button
        type="button"
        onClick={() =>
          void copyText(linkTo({ query: query(), variables: variables() })).then((copied) =>
            say(copied ? 'Link copied.' : 'This browser does not let pages copy.'),
          )
        }
      >
        Share
      </button>
      <button
        type="button"
        onClick={() =>
          void exportTrusted(query(), variables(), operationName).then(
            (manifest) => {
              saveFile(`${nameOf(query())}.json`, 'application/json', manifest);
              say('Exported as a trusted document.');
            },
            () => say(CANNOT_EXPORT),
          )
        }
      >
        Export
      </button>
      <button
        type="button"
        disabled={!schema}
        onClick={() => schema && saveFile('schema.graphql', 'text/plain', printSchema(schema))}
      >
        Schema
      </button>
      <output>{said}</output>
    </nav>
  );
}

/** Browsers hash for pages from this machine and by HTTPS only. */
const CANNOT_EXPORT = 'Only a document without errors can be exported, on localhost or by HTTPS.';

async function exportTrusted(
  query: string,
  variables: string,
  operationName: string | undefined,
): Promise<string> {
  const values = parseJsonc(variables) as Record<string, unknown> | undefined;
  const planned = await askPlan({ query, variables: values, operationName });
  return trustedDocument(query, operationName, 'plan' in planned ? planned.plan : undefined);
}

/** The first operation's, read from the text: GraphiQL's own state is a moment behind the editor. */
const nameOf = (document: string): string =>
  /\b(?:query|mutation|subscription)\s+(\w+)/.exec(document)?.[1] ?? 'operation';
