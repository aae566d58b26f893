/**
 * Documents are measured before they are validated, and validated by rules of ours.
 *
 * Yoga's parser and validation cache comes after this plugin and keeps what it makes.
 */
import type { DocumentNode, GraphQLSchema, Source, ValidationRule } from 'graphql';
import type { GatewayPlugin } from '../../operation/gateway-plugin.ts';
import type { Documents } from '../../documents/documents.ts';

export const useDocumentLimits = (documents: Documents): GatewayPlugin => ({
  onParse({ setParseFn }) {
    // Yoga hands on the text that a caller sent.
    setParseFn((source: string | Source) =>
      documents.parse(typeof source === 'string' ? source : source.body),
    );
  },
  onValidate({ addValidationRule, setValidationFn }) {
    for (const rule of documents.ownRules) addValidationRule(rule);
    setValidationFn(
      (schema: GraphQLSchema, document: DocumentNode, rules: readonly ValidationRule[]) =>
        documents.validate(schema, document, rules),
    );
  },
});
