/**
 * Documents are measured before they are validated, and validated by rules of ours.
 *
 * Yoga's parser and validation cache comes after this plugin and keeps what it makes.
 */
import type { Source } from 'graphql';
import type { GatewayPlugin } from '../../operation/gateway-plugin.ts';
import type { Documents } from '../../documents/documents.ts';

export function useDocumentLimits(documents: Documents): GatewayPlugin {
  // Yoga hands on the text that a caller sent.
  const parse = (source: string | Source) =>
    documents.parse(typeof source === 'string' ? source : source.body);
  const validate = documents.validate.bind(documents);
  return {
    onParse({ setParseFn }) {
      setParseFn(parse);
    },
    onValidate({ addValidationRule, setValidationFn }) {
      for (const rule of documents.ownRules) addValidationRule(rule);
      setValidationFn(validate);
    },
  };
}
