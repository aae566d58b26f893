/**
 * Trusted documents: an id stands for the document that an app was built with, and others may be refused.
 *
 * In the phase of parsing, which every carrier passes: the plugin of Yoga's that looks ids up reads the
 * parameters of HTTP alone, so other carriers go round it.
 */
import type { GatewayPlugin } from '../../operation/gateway-plugin.ts';
import { refuseId, type TrustedDocuments } from '../../documents/trusted-documents.ts';

export const useTrustedDocuments = (trusted: TrustedDocuments | undefined): GatewayPlugin => ({
  onParse({ context: { params, record, caller, chosen }, setParsedDocument }) {
    if (chosen) {
      record.document = chosen.hash;
      setParsedDocument(chosen.document);
      return;
    }
    if (!trusted) {
      refuseId(params);
      return;
    }
    record.app = trusted.appOf(caller, undefined);
    const found = trusted.find(params);
    if (!found) return;
    record.app = trusted.appOf(caller, found);
    record.document = found.hash;
    if (found.document instanceof Error) throw found.document;
    setParsedDocument(found.document);
  },
});
