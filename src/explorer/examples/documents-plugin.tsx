/**
 * The pane of documents: examples by what they are about, and what the user has saved.
 */
import {
  StarFilledIcon,
  useGraphiQL,
  useGraphiQLActions,
  type GraphiQLPlugin,
} from '@graphiql/react';
import { Kind, parse, type OperationDefinitionNode } from 'graphql';
import { useCallback, useState } from 'react';
import { isPhone } from '../page/phone.ts';
import type { FindIds } from './example-ids.ts';
import { GROUPS } from './example.ts';
import { EXAMPLES } from './examples.ts';
import { forget, readSaved } from './saved.ts';

export const documentsPlugin = (findIds: FindIds): GraphiQLPlugin => ({
  title: 'Examples and saved documents',
  icon: StarFilledIcon,
  content: () => <Documents findIds={findIds} />,
});

function Documents({ findIds }: { findIds: FindIds }) {
  const open = useOpenDocument();
  const [saved, setSaved] = useState(readSaved);
  return (
    <section className="documents" aria-label="Examples and saved documents">
      <h2>Examples</h2>
      {GROUPS.map((group) => (
        <Group key={group} title={group}>
          {EXAMPLES.filter((one) => one.group === group).map(({ title, document, variables }) => (
            <li key={title}>
              <button
                type="button"
                onClick={() =>
                  void findIds().then((ids) =>
                    open(document, JSON.stringify(variables(ids), null, 2)),
                  )
                }
              >
                {title}
              </button>
            </li>
          ))}
        </Group>
      ))}
      <h2>Saved in this browser</h2>
      {saved.length === 0 && <p>None yet: use “Save” above the query.</p>}
      <ul>
        {saved.map(({ name, document, variables }) => (
          <li key={name}>
            <button type="button" onClick={() => open(document, variables)}>
              {name}
            </button>
            <button
              type="button"
              aria-label={`Forget ${name}`}
              onClick={() => {
                forget(name);
                setSaved(readSaved());
              }}
            >
              ×
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Group({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <>
      <h3>{title}</h3>
      <ul>{children}</ul>
    </>
  );
}

/** Opens a document in a tab of its own. */
export function useOpenDocument(): (document: string, variables: string) => void {
  const { addTab, setOperationFacts, setVisiblePlugin } = useGraphiQLActions();
  const queryEditor = useGraphiQL((state) => state.queryEditor);
  const variableEditor = useGraphiQL((state) => state.variableEditor);
  return useCallback(
    (document, variables) => {
      addTab();
      queryEditor?.setValue(document);
      variableEditor?.setValue(variables === '{}' ? '' : variables);
      // GraphiQL finds operations a little later; until then Play would name one of the tab before.
      setOperationFacts(operationsOf(document));
      // There the pane covers the editors.
      if (isPhone()) setVisiblePlugin(null);
    },
    [addTab, setOperationFacts, setVisiblePlugin, queryEditor, variableEditor],
  );
}

function operationsOf(document: string) {
  try {
    const documentAST = parse(document);
    const operations = documentAST.definitions.filter(
      (node): node is OperationDefinitionNode => node.kind === Kind.OPERATION_DEFINITION,
    );
    const operationName = operations[0]?.name?.value;
    return { documentAST, operations, ...(operationName !== undefined && { operationName }) };
  } catch {
    // What was saved may be half a document.
    return {};
  }
}
