/**
 * The page that the first example is about: over a deployment it is found as soon as there is a key to look with.
 */
import { useGraphiQL } from '@graphiql/react';
import { useEffect } from 'react';
import { objectIn } from './jsonc.ts';
import { useApiKey } from '../exchange/api-key.ts';
import type { FindIds } from './example-ids.ts';
import { FIRST_EXAMPLE } from './examples.ts';

/** In place of the id of a page until one is known. */
const NO_PAGE_ID = 'the id of a page';

type Variables = Readonly<Record<string, unknown>>;

/** @param pageId undefined where none is known. */
export function firstDocument(pageId: string | undefined) {
  const ids = { accountId: null, personId: null, topicId: null, versionId: null };
  const variables = FIRST_EXAMPLE.variables({ ...ids, pageId: pageId ?? NO_PAGE_ID });
  return { query: FIRST_EXAMPLE.document, variables: JSON.stringify(variables, null, 2) };
}

/** Variables that may go out: where they wait for a page, with the one that is found. */
export async function withPage<Given extends Variables | undefined>(
  variables: Given,
  findIds: FindIds,
): Promise<Given> {
  if (!variables || !Object.values(variables).includes(NO_PAGE_ID)) return variables;
  const { pageId } = await findIds();
  if (pageId === null) return variables;
  const entries = Object.entries(variables).map(([name, value]) => [
    name,
    value === NO_PAGE_ID ? pageId : value,
  ]);
  return Object.fromEntries(entries) as Given;
}

/** Puts the page into the editor when it is found. */
export function FirstPage({ needsKey, findIds }: { needsKey: boolean; findIds: FindIds }) {
  const variableEditor = useGraphiQL((state) => state.variableEditor);
  const apiKey = useApiKey();
  const canAsk = apiKey !== '' || !needsKey;
  useEffect(() => {
    const given = objectIn(variableEditor?.getValue() ?? '');
    if (!canAsk || !variableEditor || !Object.values(given).includes(NO_PAGE_ID)) return;
    void withPage(given, findIds).then((found) => {
      const now = objectIn(variableEditor.getValue());
      if (found !== given && Object.values(now).includes(NO_PAGE_ID))
        variableEditor.setValue(JSON.stringify(found, null, 2));
    });
  }, [apiKey, canAsk, variableEditor, findIds]);
  return null;
}
