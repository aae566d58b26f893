/** Exports: to the clipboard, into a file, and as a manifest of trusted documents. */
import { getOperationAST, parse } from 'graphql';
import type { DocumentPlan } from '../exchange/extensions.ts';

/**
 * Returns the JSON of a manifest with one operation. Source: Apollo's persisted query manifest, version 1. `price` is
 * an addition that readers ignore.
 *
 * @throws GraphQLError for a document that cannot be parsed.
 */
export async function trustedDocument(
  body: string,
  operationName: string | undefined,
  plan: DocumentPlan | undefined,
): Promise<string> {
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
          ...(plan && {
            price: { calls: plan.calls, rounds: plan.rounds, values: plan.values },
          }),
        },
      ],
    },
    null,
    2,
  );
}

/** Returns false if the browser blocks the clipboard. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
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
