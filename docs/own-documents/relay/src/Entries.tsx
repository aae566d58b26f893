import { useState } from 'react';
import { graphql, useLazyLoadQuery, useMutation, usePaginationFragment } from 'react-relay';
import type { EntriesAddMutation } from './generated/EntriesAddMutation.graphql';
import type { EntriesQuery } from './generated/EntriesQuery.graphql';
import type { Entries_topic$key } from './generated/Entries_topic.graphql';

export function Entries({ topicId }: { topicId: string }) {
  const { topic } = useLazyLoadQuery<EntriesQuery>(
    graphql`
      query EntriesQuery($topicId: ID!) {
        topic(topicId: $topicId) {
          title
          ...Entries_topic
        }
      }
    `,
    { topicId },
  );
  if (!topic) return <p>The topic does not exist, or could not be loaded.</p>;
  return (
    <section>
      <h2>{topic.title}</h2>
      <Rows topic={topic} topicId={topicId} />
    </section>
  );
}

function Rows({ topic, topicId }: { topic: Entries_topic$key; topicId: string }) {
  const { data, hasNext, loadNext } = usePaginationFragment(
    graphql`
      fragment Entries_topic on Topic
      @refetchable(queryName: "EntriesPaginationQuery")
      @argumentDefinitions(count: { type: "Int", defaultValue: 5 }, after: { type: "String" }) {
        entries(first: $count, after: $after) @connection(key: "Entries_entries") {
          __id
          edges {
            node {
              id
              content {
                content
              }
            }
          }
        }
      }
    `,
    topic,
  );
  const [add, isAdding] = useMutation<EntriesAddMutation>(graphql`
    mutation EntriesAddMutation($input: CreateTopicEntryInput!, $connections: [ID!]!) {
      createTopicEntry(input: $input) {
        topicEntryEdge @appendEdge(connections: $connections) {
          node {
            id
            content {
              content
            }
          }
        }
        userErrors {
          message
        }
      }
    }
  `);
  const [problems, setProblems] = useState<readonly string[]>([]);
  return (
    <>
      <ol>
        {data.entries?.edges.map(({ node }) => (
          <li key={node?.id}>{node?.content.content}</li>
        ))}
      </ol>
      {hasNext && (
        <button
          onClick={() =>
            loadNext(5, { onComplete: (error) => setProblems(error ? [error.message] : []) })
          }
        >
          More entries
        </button>
      )}
      {problems.map((problem) => (
        <p key={problem}>{problem}</p>
      ))}
      <form
        action={(form) =>
          void add({
            variables: {
              input: { topicId, content: { type: 'text', content: String(form.get('content')) } },
              connections: data.entries ? [data.entries.__id] : [],
            },
            onCompleted: ({ createTopicEntry }) =>
              setProblems(createTopicEntry?.userErrors.map(({ message }) => message) ?? []),
            onError: ({ message }) => setProblems([message]),
          })
        }
      >
        <input name="content" aria-label="New entry" /> <button disabled={isAdding}>Add</button>
      </form>
    </>
  );
}
