/**
 * The key of backend calls: the caller's, or the deployment's for callers without one.
 *
 * Checked before validation, so requests without a key cost little.
 */
import { API_KEY_FORM, API_KEY_HEADER, isApiKey } from '../../v0/api-key.ts';
import type { IntrospectionAudience } from '../documents/documents.ts';
import { clientError } from '../operation/client-error.ts';
import type { Operation } from '../operation/operation.ts';
import type { Policy } from '../policy.ts';

/** @param deploymentKey used for callers without a key. */
export const apiKey = (
  deploymentKey: string | undefined,
  introspection: IntrospectionAudience,
): Policy => ({
  onValidate(operation, { document }) {
    const { callerKey } = operation;
    if (callerKey !== undefined) {
      // An invalid key is an error, not a reason to use the deployment's key. A repeated header arrives joined by ", ",
      // and the space makes it invalid.
      if (!isApiKey(callerKey)) {
        const message = `Invalid API key. Send one \`${API_KEY_HEADER}\` header of ${API_KEY_FORM}.`;
        throw clientError(401, 'UNAUTHENTICATED', message);
      }
      return;
    }
    const { isOfSchema, asksSchema } = document.facts;
    if (asksSchema && introspection === 'keys') {
      const message = `Introspection requires an API key (\`INTROSPECTION=keys\`). Send it ${placeOf(operation)}.`;
      throw clientError(401, 'UNAUTHENTICATED', message);
    }
    if (deploymentKey === undefined && !isOfSchema) {
      throw clientError(401, 'UNAUTHENTICATED', `Missing API key. Send it ${placeOf(operation)}.`);
    }
    operation.apiKey = deploymentKey;
  },
});

/** Where a caller puts the key, for error messages. Browsers cannot set headers of a WebSocket. */
const placeOf = ({ transport }: Operation): string =>
  transport.name === 'websocket'
    ? `as \`${API_KEY_HEADER}\` in the payload of \`connection_init\`, or as a header of the upgrade`
    : `in the \`${API_KEY_HEADER}\` header`;
