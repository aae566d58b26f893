import type { UpdatesConfig } from '@urql/exchange-graphcache';
import type { ResultOf, VariablesOf } from '@graphql-typed-document-node/core';
import { ADD_ENTRY, TOPIC } from './EntriesView';

/** What mutations change in lists that are in the cache. */
export const updates: UpdatesConfig = {
  Mutation: {
    createTopicEntry(result: ResultOf<typeof ADD_ENTRY>, args, cache) {
      const edge = result.createTopicEntry?.topicEntryEdge;
      const { topicId } = (args as VariablesOf<typeof ADD_ENTRY>).input;
      const topic = cache.resolve('Query', 'topic', { topicId });
      if (!edge || typeof topic !== 'string') return;
      // The cache keeps the pages of a list one by one.
      const pages = cache.inspectFields(topic).filter(({ fieldName }) => fieldName === 'entries');
      for (const page of pages) {
        const after = page.arguments?.['after'] as string | undefined;
        cache.updateQuery({ query: TOPIC, variables: { topicId, after } }, (data) => {
          const list = data?.topic?.entries;
          if (!list) return data;
          list.totalCount = (list.totalCount ?? 0) + 1;
          if (page === pages.at(-1)) list.edges.push(edge);
          return data;
        });
      }
    },
  },
};
