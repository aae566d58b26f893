/** Callers that read and write through nginx for as long as a fault lasts, and what they observe. */
import { setTimeout as sleep } from 'node:timers/promises';
import { IDS } from '../support/ids.ts';
import { percentile } from '../support/percentile.ts';
import type { Client, Reply } from '../support/client.ts';

const SCREEN = `{ page(pageId: "${IDS.page}") { name audiences(first: 3) { nodes { person { name } } } }
  topics(first: 3) { nodes { title } } }`;
const TITLE = `{ topic(topicId: "${IDS.topic}") { title } }`;
const RENAME = `mutation ($input: UpdateTopicInput!) { updateTopic(input: $input) { userErrors { message } } }`;
const ADD = `mutation ($input: CreateTopicEntryInput!) { createTopicEntry(input: $input) {
  topicEntry { topicEntryId } userErrors { message } } }`;

/** Between two requests of a caller, in milliseconds. */
const PACE_MS = 40;

export interface Seen {
  requests: number;
  /** Requests without a 200, or with errors. */
  readonly failed: string[];
  /** Reads older than the write whose token they had. */
  stale: number;
  /** Of reads, in milliseconds. */
  readonly times: number[];
  /** The contents of the entries whose creation was confirmed. */
  readonly added: string[];
}

export interface Load {
  readonly seen: Seen;
  end(): Promise<Seen>;
}

/** Three callers read a screen, one writes a title and reads it back, and one adds entries. */
export async function beginLoad({ ask }: Client): Promise<Load> {
  const seen: Seen = { requests: 0, failed: [], stale: 0, times: [], added: [] };
  const topicId = (await ask(`{ topic(topicId: "${IDS.topic}") { id } }`)).data.topic.id;
  let isOver = false;
  let number = 0;

  const sent = async (...args: Parameters<Client['ask']>): Promise<Reply | undefined> => {
    seen.requests += 1;
    const reply = await ask(...args).catch(String);
    if (typeof reply !== 'string' && reply.status === 200 && reply.errors.length === 0)
      return reply;
    seen.failed.push(typeof reply === 'string' ? reply : `${reply.status} ${reply.text}`);
    return undefined;
  };
  const read = async (...args: Parameters<Client['ask']>): Promise<Reply | undefined> => {
    const reply = await sent(...args);
    if (reply) seen.times.push(reply.tookMs);
    return reply;
  };
  const screens = async () => void (await read(SCREEN));
  const titles = async () => {
    const written = (number += 1);
    const input = { id: topicId, title: String(written) };
    const token = (await sent(RENAME, { variables: { input } }))?.headers.get('x-consistency');
    if (token == null) return;
    for (let i = 0; i < 3; i++) {
      const back = await read(TITLE, { headers: { 'x-consistency': token } });
      if (back && Number(back.data.topic.title) < written) seen.stale += 1;
    }
  };
  const entries = async () => {
    const text = `entry ${(number += 1)} ${Math.random()}`;
    const input = {
      topicId: IDS.topics[1],
      sortOrder: 0,
      content: { type: 'text', content: text },
    };
    if (await sent(ADD, { variables: { input } })) seen.added.push(text);
    await sleep(5 * PACE_MS);
  };
  const callers = [screens, screens, screens, titles, entries].map(async (once) => {
    while (!isOver) {
      await once();
      await sleep(PACE_MS);
    }
  });
  return {
    seen,
    end: async () => {
      isOver = true;
      await Promise.all(callers);
      return seen;
    },
  };
}

/** The numbers of confirmed entries that the backend lacks, and that it has twice. */
export async function countEntries({ backendUrl }: { backendUrl: string }, { added }: Seen) {
  const headers = { 'x-api-key': 'demo' };
  const all = await (await fetch(`${backendUrl}/v0/topics/${IDS.topics[1]}`, { headers })).text();
  const timesOf = (text: string): number => all.split(text).length - 1;
  return {
    lost: added.filter((text) => timesOf(text) === 0).length,
    doubled: added.filter((text) => timesOf(text) > 1).length,
  };
}

export const p99 = ({ times }: Seen): number => Math.round(percentile(times, 0.99));
