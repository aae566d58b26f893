import type { ResultOf } from '@graphql-typed-document-node/core';
import { graphql } from './graphql';

/** What a row shows: of the rows that are read, and of the one that is added. */
export const ENTRY = graphql(`
  fragment Entry on TopicEntryEdge {
    cursor
    node {
      id
      content {
        content
      }
    }
  }
`);

export const TOPIC = graphql(`
  query Topic($topicId: ID!, $after: String) {
    topic(topicId: $topicId) {
      id
      title
      entries(first: 5, after: $after) {
        totalCount
        pageInfo {
          hasNextPage
          endCursor
        }
        edges {
          ...Entry
        }
      }
    }
  }
`);

export const ADD_ENTRY = graphql(`
  mutation AddEntry($input: CreateTopicEntryInput!) {
    createTopicEntry(input: $input) {
      topicEntryEdge {
        ...Entry
      }
      userErrors {
        message
      }
    }
  }
`);

interface EntriesViewProps {
  data: ResultOf<typeof TOPIC> | undefined;
  added: ResultOf<typeof ADD_ENTRY> | null | undefined;
  error: Error | undefined;
  onMore: (after: string | null | undefined) => void;
  onAdd: (content: string) => void;
}

export function EntriesView({ data, added, error, onMore, onAdd }: EntriesViewProps) {
  const topic = data?.topic;
  if (!topic) return <p>{error ? error.message : 'There is no such topic.'}</p>;
  const next = topic.entries?.pageInfo;
  return (
    <section>
      <h2>
        {topic.title}: {topic.entries?.totalCount} entries
      </h2>
      {error && <p>{error.message}</p>}
      {added?.createTopicEntry?.userErrors.map(({ message }) => (
        <p key={message}>{message}</p>
      ))}
      <ol>
        {topic.entries?.edges.map(({ node }) => (
          <li key={node?.id}>{node?.content.content}</li>
        ))}
      </ol>
      {next?.hasNextPage && <button onClick={() => onMore(next.endCursor)}>More entries</button>}
      <form action={(form) => onAdd(String(form.get('content')))}>
        <input name="content" aria-label="New entry" /> <button>Add</button>
      </form>
    </section>
  );
}
