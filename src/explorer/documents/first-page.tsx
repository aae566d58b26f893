/** The document of a first visit: a page if one is found, otherwise topics, since the API spec has no list of pages. */
import { useGraphiQL } from '@graphiql/react';
import { useEffect } from 'react';
import { useApiKey } from '../exchange/api-key.ts';
import type { GraphQLRequest } from '../exchange/request.ts';
import { FIRST_EXAMPLE, FIRST_WITHOUT_PAGES, type ExampleIds, type FindIds } from './examples.ts';
import { objectIn } from '../exchange/json.ts';
import type { OpenDocument } from './stored-documents.ts';

/** Placeholder for the id of a page until one is known. */
const NO_PAGE_ID = 'the id of a page';

export function firstDocument(pageId: string | undefined): OpenDocument {
  const variables = JSON.stringify({ pageId: pageId ?? NO_PAGE_ID }, null, 2);
  return { query: FIRST_EXAMPLE.document, variables };
}

const hasPlaceholder = ({ variables = {} }: GraphQLRequest): boolean =>
  Object.values(variables).includes(NO_PAGE_ID);

/** Replaces the placeholder by the id of a page that was found. Other requests are unchanged. */
export async function withPage(request: GraphQLRequest, findIds: FindIds): Promise<GraphQLRequest> {
  return hasPlaceholder(request) ? complete(request, await findIds()) : request;
}

function complete(request: GraphQLRequest, ids: ExampleIds): GraphQLRequest {
  const { query, variables = {} } = request;
  if (ids.pageId !== null) {
    const entries = Object.entries(variables).map(([name, value]) => [
      name,
      value === NO_PAGE_ID ? ids.pageId : value,
    ]);
    return { ...request, variables: Object.fromEntries(entries) as typeof variables };
  }
  return ids.topicId !== null && query === FIRST_EXAMPLE.document
    ? { query: FIRST_WITHOUT_PAGES.document, variables: FIRST_WITHOUT_PAGES.variables(ids) }
    : request;
}

/** Puts what is found into the editors. */
export function FirstPage({ needsKey, findIds }: { needsKey: boolean; findIds: FindIds }) {
  const queryEditor = useGraphiQL((state) => state.queryEditor);
  const variableEditor = useGraphiQL((state) => state.variableEditor);
  const apiKey = useApiKey();
  const canAsk = apiKey !== '' || !needsKey;
  useEffect(() => {
    if (!canAsk || !queryEditor || !variableEditor) return;
    const read = (): GraphQLRequest => ({
      query: queryEditor.getValue(),
      variables: objectIn(variableEditor.getValue()),
    });
    if (!hasPlaceholder(read())) return;
    void findIds().then((ids) => {
      const now = read();
      if (!hasPlaceholder(now)) return;
      const { query, variables } = complete(now, ids);
      if (query !== now.query) queryEditor.setValue(query);
      variableEditor.setValue(JSON.stringify(variables, null, 2));
    });
  }, [apiKey, canAsk, queryEditor, variableEditor, findIds]);
  return null;
}
