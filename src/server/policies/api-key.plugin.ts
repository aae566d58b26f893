/**
 * The key that the backend is called with: the caller's, or the deployment's for callers without one.
 *
 * Before a document is validated, which costs more than all before: a caller without a key spends nothing.
 */
import type { DocumentNode } from 'graphql';
import { API_KEY_FORM, API_KEY_HEADER, isApiKey } from '../../v0/api-key.ts';
import { refusal } from '../../operation/refusal.ts';
import { factsOf, type IntrospectionAudience } from '../../documents/documents.ts';
import type { Caller } from '../../operation/request/caller.ts';
import type { GatewayPlugin } from '../../operation/gateway-plugin.ts';

/** @param deploymentKey sent for callers who send no key. */
export const useApiKey = (
  deploymentKey: string | undefined,
  introspection: IntrospectionAudience,
): GatewayPlugin => ({
  // Envelop has no types of graphql's for what it hands on.
  onValidate({ context, params: { documentAST } }) {
    const { caller, record } = context;
    if (caller.apiKey != null) {
      // A bad key is refused: its sender did not ask for the deployment's own key. A header that is sent
      // twice arrives with ", " between its values, and the space gives it away.
      if (!isApiKey(caller.apiKey)) {
        const message = `Send one ${API_KEY_HEADER} header of ${API_KEY_FORM}.`;
        throw refusal(401, 'UNAUTHENTICATED', message);
      }
      record.apiKey = caller.apiKey;
      return;
    }
    const { isOfSchema, asksSchema } = factsOf(documentAST as DocumentNode);
    if (asksSchema && introspection === 'keys') {
      const message = `The schema is for callers with a key of their own (INTROSPECTION=keys): send it as ${placeOf(caller)}.`;
      throw refusal(401, 'UNAUTHENTICATED', message);
    }
    if (deploymentKey === undefined && !isOfSchema) {
      throw refusal(401, 'UNAUTHENTICATED', `Send your key as ${placeOf(caller)}.`);
    }
    record.apiKey = deploymentKey;
  },
});

/** Where a caller sends its key. Browsers cannot set headers of a WebSocket. */
const placeOf = ({ method }: Caller): string =>
  method === undefined
    ? `${API_KEY_HEADER} in the payload of connection_init, or as a header of the upgrade`
    : `the header ${API_KEY_HEADER}`;
