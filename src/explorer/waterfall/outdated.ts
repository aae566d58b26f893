/**
 * Whether the answer belongs to the current text of the editors.
 */
import { useGraphiQL } from '@graphiql/react';
import { stripIgnoredCharacters } from 'graphql';
import { useMemo } from 'react';
import { objectIn } from '../documents/jsonc.ts';
import { useSentHeaders, type TabExchange } from '../exchange/exchange.ts';
import { useEditorText } from '../page/editor-text.ts';

/** Describes what has changed since the request was sent; undefined when nothing has. */
export function useChangeSince({ request }: TabExchange): string | undefined {
  const query = useEditorText('queryEditor');
  const variables = useEditorText('variableEditor');
  const headers = useEditorText('headerEditor');
  const sentHeaders = useSentHeaders();
  const operationName = useGraphiQL((state) => state.operationName);
  const isQuerySame = useMemo(
    () => normalized(query) === normalized(request.query),
    [query, request.query],
  );
  // An editor is empty until it has loaded.
  if (query && !isQuerySame) return 'The query has changed since this response.';
  if (JSON.stringify(objectIn(variables)) !== JSON.stringify(request.variables ?? {}))
    return 'The variables have changed since this response.';
  if (sentHeaders !== undefined && JSON.stringify(objectIn(headers)) !== sentHeaders)
    return 'The headers have changed since this response.';
  const isOperationSame =
    !operationName || !request.operationName || operationName === request.operationName;
  return isOperationSame ? undefined : 'This response is for another operation.';
}

/** Ignores white space, commas and comments. */
function normalized(query: string): string {
  try {
    return stripIgnoredCharacters(query);
  } catch {
    return query;
  }
}
