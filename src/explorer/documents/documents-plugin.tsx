/** The pane of documents: examples by what they are about, and what the user has saved. */
import {
  StarFilledIcon,
  useGraphiQL,
  useGraphiQLActions,
  type GraphiQLPlugin,
} from '@graphiql/react';
import { Fragment, useCallback } from 'react';
import { GROUPS, type FindIds } from './examples.ts';
import { savedDocuments } from './stored-documents.ts';

export const documentsPlugin = (findIds: FindIds): GraphiQLPlugin => ({
  title: 'Examples and saved documents',
  icon: StarFilledIcon,
  content: () => <Documents findIds={findIds} />,
});

function Documents({ findIds }: { findIds: FindIds }) {
  const open = useOpenDocument();
  const saved = savedDocuments.useItems();
  return (
    <section className="documents" aria-label="Examples and saved documents">
      <h2>Examples</h2>
      {Object.entries(GROUPS).map(([group, examples]) => (
        <Fragment key={group}>
          <h3>{group}</h3>
          <ul>
            {examples.map(({ title, document, variables }) => (
              <li key={title}>
                <button
                  type="button"
                  onClick={() =>
                    void findIds(isMutation(document)).then((ids) =>
                      open(document, JSON.stringify(variables(ids), null, 2)),
                    )
                  }
                >
                  {title}
                </button>
              </li>
            ))}
          </ul>
        </Fragment>
      ))}
      <h2>Saved in this browser</h2>
      {saved.length === 0 && <p>None yet. Press “Save” above the query.</p>}
      <ul>
        {saved.map(({ name, document, variables }) => (
          <li key={name}>
            <button type="button" onClick={() => open(document, variables)}>
              {name}
            </button>
            <button
              type="button"
              aria-label={`Delete ${name}`}
              onClick={() => savedDocuments.remove(name)}
            >
              ×
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Mutations need a fresh object: a version is published once. */
const isMutation = (document: string): boolean => /^mutation\b/m.test(document);

/** Whether the style sheet's layout for phones applies. */
export const isPhone = (): boolean => matchMedia('(max-width: 700px)').matches;

export function useOpenDocument(): (document: string, variables: string) => void {
  const { addTab, setVisiblePlugin } = useGraphiQLActions();
  const queryEditor = useGraphiQL((state) => state.queryEditor);
  const variableEditor = useGraphiQL((state) => state.variableEditor);
  const headerEditor = useGraphiQL((state) => state.headerEditor);
  return useCallback(
    (document, variables) => {
      // Headers belong to an environment more often than to a document.
      const headers = headerEditor?.getValue() ?? '';
      addTab();
      headerEditor?.setValue(headers);
      queryEditor?.setValue(document);
      variableEditor?.setValue(variables === '{}' ? '' : variables);
      // On a phone the pane covers the editors.
      if (isPhone()) setVisiblePlugin(null);
    },
    [addTab, setVisiblePlugin, queryEditor, variableEditor, headerEditor],
  );
}
