/**
 * Looks up trusted documents by id, and optionally rejects all others.
 */
import { checkNoId, type TrustedDocuments } from '../documents/trusted-documents.ts';
import type { Policy } from '../pipeline.ts';

export const trustedDocuments = (trusted: TrustedDocuments | undefined): Policy => ({
  parse(operation) {
    // Chosen by the transport.
    if (operation.document) return;
    if (!trusted) {
      checkNoId(operation.params);
      return;
    }
    operation.app = trusted.appOf(operation, undefined);
    const found = trusted.find(operation.params);
    if (!found) return;
    operation.app = trusted.appOf(operation, found);
    operation.document = found;
  },
});
