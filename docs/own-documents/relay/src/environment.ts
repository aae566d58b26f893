import { createClient } from 'graphql-sse';
import {
  Environment,
  Network,
  Observable,
  type GraphQLResponse,
  type RequestParameters,
  type Variables,
} from 'relay-runtime';

const url = 'http://127.0.0.1:4000/graphql';
const headers = { 'x-api-key': 'demo' };
const events = createClient({ url, headers, retryAttempts: 10 });

/** A persisted document has an id and no text, and any other a text and no id. */
const bodyOf = ({ id, text }: RequestParameters, variables: Variables) => ({
  query: text ?? '',
  doc_id: id,
  variables,
});

async function fetchQuery(request: RequestParameters, variables: Variables) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(bodyOf(request, variables)),
  });
  const answer = await response.json();
  // Relay would write the null beside this error over the list.
  const expired = answer.errors?.find(
    (error: { extensions?: { argument?: string } }) => error.extensions?.argument === 'after',
  );
  if (expired) throw new Error(expired.message);
  return answer as GraphQLResponse;
}

const subscribe = (request: RequestParameters, variables: Variables) =>
  Observable.create<GraphQLResponse>((sink) =>
    events.subscribe(bodyOf(request, variables), {
      next: (event) => sink.next(event as GraphQLResponse),
      error: (error) => sink.error(error as Error),
      complete: () => sink.complete(),
    }),
  );

export const environment = new Environment({ network: Network.create(fetchQuery, subscribe) });
