/**
 * The key that the backend is called with: the caller's, or the deployment's for callers without one.
 *
 * Before a document is validated, which costs more than all before: a caller without a key spends nothing.
 */
import { API_KEY_FORM, API_KEY_HEADER, isApiKey } from '../../v0/api-key.ts';
import type { IntrospectionAudience } from '../documents/documents.ts';
import { clientError } from '../operation/client-error.ts';
import type { Operation } from '../operation/operation.ts';
import type { Policy } from '../pipeline.ts';

/** @param deploymentKey sent for callers who send no key. */
export const apiKey = (
  deploymentKey: string | undefined,
  introspection: IntrospectionAudience,
): Policy => ({
  validate(operation) {
    const { callerKey } = operation;
    if (callerKey !== undefined) {
      // A bad key is an error: its sender did not ask for the deployment's own key. A header that is sent
      // twice arrives with ", " between its values, and the space gives it away.
      if (!isApiKey(callerKey)) {
        const message = `Send one ${API_KEY_HEADER} header of ${API_KEY_FORM}.`;
        throw clientError(401, 'UNAUTHENTICATED', message);
      }
      operation.apiKey = callerKey;
      return;
    }
    const { isOfSchema, asksSchema } = operation.document!.facts;
    if (asksSchema && introspection === 'keys') {
      const message = `The schema is for callers with a key of their own (INTROSPECTION=keys): send it as ${placeOf(operation)}.`;
      throw clientError(401, 'UNAUTHENTICATED', message);
    }
    if (deploymentKey === undefined && !isOfSchema) {
      throw clientError(401, 'UNAUTHENTICATED', `Send your key as ${placeOf(operation)}.`);
    }
    operation.apiKey = deploymentKey;
  },
});

/** The place of a caller's key. Browsers cannot set headers of a WebSocket. */
const placeOf = ({ transport }: Operation): string =>
  transport.name === 'websocket'
    ? `${API_KEY_HEADER} in the payload of connection_init, or as a header of the upgrade`
    : `the header ${API_KEY_HEADER}`;
