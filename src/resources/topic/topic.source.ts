/** What `/v0` answers about topics and their entries. */
import type { CallOptions, RestClient } from '../../rest/client/client.ts';
import { routes } from '../../v0/routes.ts';
import type { CreateTopicEntryBody, UpdateTopicBody } from '../../v0/topic.ts';

const parameters = (topicId: string) => ({ topic_id: topicId });

/** A topic with its entries; null when there is none. Source: GET /v0/topics/{topic_id}. */
export const findTopic = (rest: RestClient, topicId: string, call: CallOptions) =>
  rest.find(routes.getTopic, { path: parameters(topicId) }, call);

/** Changes a topic; answers it. Source: PATCH /v0/topics/{topic_id}. */
export const updateTopic = (
  rest: RestClient,
  topicId: string,
  body: UpdateTopicBody,
  call: CallOptions,
) => rest.call(routes.updateTopic, { path: parameters(topicId), body }, call);

/** Adds an entry to a topic; answers the entry. Source: POST /v0/topics/{topic_id}/entries. */
export const createTopicEntry = (
  rest: RestClient,
  topicId: string,
  body: CreateTopicEntryBody,
  call: CallOptions,
) => rest.call(routes.createTopicEntry, { path: parameters(topicId), body }, call);
