import type { ResultOf } from '@graphql-typed-document-node/core';
import { graphql } from './graphql';

export const AUDIENCE = graphql(`
  query Audience($pageId: ID!, $audienceId: ID!) {
    audience(pageId: $pageId, audienceId: $audienceId) {
      id
      effectiveName
      latestVersion {
        id
        status
      }
    }
  }
`);

export const PUBLISH = graphql(`
  mutation Publish($id: ID!) {
    publishAudienceVersion(input: { id: $id }) {
      audienceVersion {
        id
        status
      }
      userErrors {
        message
      }
    }
  }
`);

export const PROGRESS = graphql(`
  subscription Progress($id: ID!) {
    audienceVersionProgress(id: $id) {
      audienceVersion {
        id
        status
      }
      isFinal
    }
  }
`);

interface PublishingViewProps {
  data: ResultOf<typeof AUDIENCE> | undefined;
  published: ResultOf<typeof PUBLISH> | null | undefined;
  error: Error | undefined;
  onPublish: (id: string) => void;
}

export function PublishingView({ data, published, error, onPublish }: PublishingViewProps) {
  const version = data?.audience?.latestVersion;
  if (!version) return <p>{error ? error.message : 'There is no version to publish.'}</p>;
  return (
    <section>
      <h2>
        {data.audience?.effectiveName}: {version.status}
      </h2>
      {error && <p>{error.message}</p>}
      {published?.publishAudienceVersion?.userErrors.map(({ message }) => (
        <p key={message}>{message}</p>
      ))}
      {version.status === 'draft' && <button onClick={() => onPublish(version.id)}>Publish</button>}
    </section>
  );
}
