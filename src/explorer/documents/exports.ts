/** Exports: into a file, and as a manifest of trusted documents. */
import { getOperationAST, parse } from 'graphql';
import type { DocumentPlan } from '../exchange/extensions.ts';
import { askPlan } from '../exchange/plan.ts';
import type { GraphQLRequest } from '../exchange/request.ts';

/**
 * Returns the JSON of a manifest with one operation. Source: Apollo's persisted query manifest, version 1. `price` is
 * an addition that readers ignore.
 *
 * @throws GraphQLError for a document that cannot be parsed; TypeError outside of secure contexts.
 */
export async function trustedDocument(request: GraphQLRequest): Promise<string> {
  const { query: body, operationName } = request;
  const planned = await askPlan(request);
  const { calls, rounds, values }: Partial<DocumentPlan> = 'plan' in planned ? planned.plan : {};
  const operation = getOperationAST(parse(body), operationName);
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(body));
  const hex = [...new Uint8Array(digest)]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
  return JSON.stringify(
    {
      format: 'apollo-persisted-query-manifest',
      version: 1,
      operations: [
        {
          id: `sha256:${hex}`,
          name: operation?.name?.value ?? 'operation',
          type: operation?.operation ?? 'query',
          body,
          price: calls && { calls, rounds, values },
        },
      ],
    },
    null,
    2,
  );
}

/** Downloads a file with this text. */
export function saveFile(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
