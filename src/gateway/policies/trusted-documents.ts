/**
 * Trusted documents: an id stands for the document that an app was built with, and others may be rejected.
 */
import { checkNoId, type TrustedDocuments } from '../documents/trusted-documents.ts';
import type { Policy } from '../pipeline.ts';

export const trustedDocuments = (trusted: TrustedDocuments | undefined): Policy => ({
  parse(operation) {
    // The transport has chosen it.
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
