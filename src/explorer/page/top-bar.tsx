/** The top bar: API key, actions on the document, and its cost, each of a fixed size, so that nothing below moves. */
import { DropdownMenu, useGraphiQL } from '@graphiql/react';
import { printSchema } from 'graphql';
import { useState } from 'react';
import type { PageSettings } from '../../client/page-settings.ts';
import { useApiKey, useIsKeyRejected, writeApiKey } from '../exchange/api-key.ts';
import { COPIES, type Copied } from '../documents/copies.ts';
import { CostBadge } from './cost-badge.tsx';
import { saveFile, trustedDocument } from '../documents/exports.ts';
import { objectIn } from '../exchange/json.ts';
import { linkTo, savedDocuments, wouldReplace } from '../documents/stored-documents.ts';
import { NOT_KEPT, say, useMessage } from '../state.ts';

export function TopBar({ settings }: { settings: PageSettings }) {
  const { needsKey, introspection, note } = settings;
  const isKeyRejected = useIsKeyRejected();
  const isKeyMissing = useApiKey() === '' && needsKey;
  const message = useMessage();
  let hint = note;
  if (isKeyMissing) hint = 'Enter an API key. It is sent with each operation.';
  else if (isKeyRejected) hint = 'The backend rejected the API key (401). Enter another one.';
  else if (introspection === 'off')
    hint = 'Docs and completion are unavailable: introspection is off (INTROSPECTION).';
  return (
    <header className="graphiql-container top-bar">
      <h1>
        Content Pages <small>GraphiQL</small>
      </h1>
      <KeyField isMissing={isKeyMissing} isRejected={isKeyRejected} />
      {/* Messages are next to the buttons, hints next to the key. */}
      <output id={HINT_ID} className={message ? 'message message-new' : 'message'}>
        {message || hint}
      </output>
      <DocumentMenu />
      {settings.explain !== 'off' && <CostBadge canAsk={!isKeyMissing} />}
    </header>
  );
}

const HINT_ID = 'message';

function KeyField({
  isMissing,
  isRejected,
}: Readonly<Record<'isMissing' | 'isRejected', boolean>>) {
  const key = useApiKey();
  const [draft, setDraft] = useState(key);
  const use = () => {
    if (draft.trim() !== key) writeApiKey(draft);
  };
  return (
    <form
      className={isMissing || isRejected ? 'key-field key-missing' : 'key-field'}
      onSubmit={(event) => {
        event.preventDefault();
        use();
      }}
    >
      <label>
        API key
        <input
          type="password"
          autoComplete="off"
          spellCheck={false}
          value={draft}
          placeholder="x-api-key"
          aria-invalid={isRejected}
          aria-describedby={HINT_ID}
          onChange={({ target }) => setDraft(target.value)}
          onBlur={use}
        />
      </label>
    </form>
  );
}

function DocumentMenu() {
  const read = useDocument();
  const schema = useGraphiQL((state) => state.schema);
  return (
    <nav aria-label="This document" className="document-menu">
      <button
        type="button"
        onClick={() => {
          const { document, variables } = read();
          const name = nameOf(document);
          const saved = { name, document, variables };
          if (wouldReplace(saved) && !confirm(`Replace the saved document "${name}"?`)) {
            say('Not saved. Rename the operation to keep both documents.');
            return;
          }
          const isKept = savedDocuments.save(saved);
          say(isKept ? `Saved as ${name}.` : `Saved as ${name} ${NOT_KEPT}.`);
        }}
      >
        Save
      </button>
      <button
        type="button"
        onClick={() => {
          const { document, variables } = read();
          void copy(linkTo({ query: document, variables }), 'Link');
        }}
      >
        Share
      </button>
      <DropdownMenu>
        <DropdownMenu.Button type="button">Copy as ▾</DropdownMenu.Button>
        <DropdownMenu.Content align="end">
          {Object.entries(COPIES).map(([name, textOf]) => (
            <DropdownMenu.Item key={name} onSelect={() => copyAs(name, textOf, read())}>
              {name}
            </DropdownMenu.Item>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu>
      <button
        type="button"
        onClick={() => {
          const { document, variables, operationName } = read();
          void trustedDocument({
            query: document,
            variables: objectIn(variables),
            operationName,
          }).then(
            (manifest) => {
              saveFile(`${nameOf(document)}.json`, 'application/json', manifest);
              say('Exported as a trusted document.');
            },
            () => say(CANNOT_EXPORT),
          );
        }}
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
    </nav>
  );
}

function useDocument() {
  const queryEditor = useGraphiQL((state) => state.queryEditor);
  const variableEditor = useGraphiQL((state) => state.variableEditor);
  const headerEditor = useGraphiQL((state) => state.headerEditor);
  const operationName = useGraphiQL((state) => state.operationName);
  return () => ({
    document: queryEditor?.getValue() ?? '',
    variables: variableEditor?.getValue() ?? '',
    headers: headerEditor?.getValue() ?? '',
    operationName,
  });
}

function copyAs(
  name: string,
  textOf: (copied: Copied) => string,
  { document, variables, headers, operationName }: ReturnType<ReturnType<typeof useDocument>>,
): void {
  try {
    const text = textOf({
      document,
      variables: objectIn(variables),
      headers: Object.keys(objectIn(headers)),
      operationName,
    });
    void copy(text, name);
  } catch (error) {
    say(`Not copied: ${(error as Error).message}`);
  }
}

async function copy(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    say(`${what} copied.`);
  } catch {
    say('Not copied: this browser blocks the clipboard.');
  }
}

/** `crypto.subtle` exists in secure contexts only. */
const CANNOT_EXPORT =
  'Not exported. Use a valid document, and open this page on localhost or over HTTPS.';

/** The name of the first operation. GraphiQL's own state lags behind the editor. */
const nameOf = (document: string): string =>
  /\b(?:query|mutation|subscription)\s+(\w+)/.exec(document)?.[1] ?? 'operation';
