/** Looks up trusted documents by id, and optionally rejects all others. */
import { checkNoId, type TrustedDocuments } from '../documents/trusted-documents.ts';
import type { Policy } from '../policy.ts';

export const trustedDocuments = (trusted: TrustedDocuments | undefined): Policy => ({
  onParse(operation) {
    // Chosen by the transport.
    if (operation.document) return undefined;
    if (!trusted) {
      checkNoId(operation.params);
      return undefined;
    }
    operation.app = trusted.appOf(operation, undefined);
    const found = trusted.find(operation.params);
    if (found) operation.app = trusted.appOf(operation, found);
    return found;
  },
});
