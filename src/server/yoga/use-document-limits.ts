/**
 * Refuses documents past their limits: while they are parsed, and before they are validated.
 */
import { GraphQLError, parse, type DocumentNode } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { findExcess, findTextExcess, type DocumentLimits } from '../operation/document-limits.ts';
import { documentRefusal } from '../operation/refusal.ts';

export function useDocumentLimits(limits: DocumentLimits): Plugin {
  // Documents come out of the parser's cache again and again; each is measured once.
  const measured = new WeakSet<DocumentNode>();
  const boundedParse: typeof parse = (source, options) => {
    const excess = findTextExcess(typeof source === 'string' ? source : source.body, limits);
    if (excess) throw documentRefusal('QUERY_TOO_LARGE', excess);
    try {
      return parse(source, { ...options, maxTokens: limits.tokens });
    } catch (error) {
      throw isTokenLimit(error) ? tooManyTokens(limits.tokens) : error;
    }
  };
  return {
    onParse({ setParseFn }) {
      setParseFn(boundedParse);
      return ({ result, replaceParseResult }) => {
        if (result === null || result instanceof Error) return;
        const document = result as DocumentNode;
        if (measured.has(document)) return;
        const excess = findExcess(document, limits);
        if (excess) replaceParseResult(documentRefusal('QUERY_TOO_LARGE', excess));
        else measured.add(document);
      };
    },
  };
}

/** graphql-js has no class or code for this one. */
const isTokenLimit = (error: unknown): boolean =>
  error instanceof GraphQLError && /contains more tha[nt] \d+ tokens/.test(error.message);

const tooManyTokens = (limit: number) =>
  documentRefusal('QUERY_TOO_LARGE', `A query may have ${limit} tokens: split the query.`);
