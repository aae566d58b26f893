/**
 * One GraphQL request, and whether two servers answered it alike.
 */
import { isDeepStrictEqual } from 'node:util';
import { Agent, request } from 'undici';
import type { GraphQLRequest } from './queries.ts';

export interface Answered {
  readonly data: unknown;
  readonly errors: unknown;
  /** Length of the body, in bytes. */
  readonly bytes: number;
  readonly wallMs: number;
}

// Connections outlive the pauses between questions, so that none is paid for by a question.
const agent = new Agent({ keepAliveTimeout: 60_000, headersTimeout: 10_000, bodyTimeout: 10_000 });

/** @param url of the server, without a path. */
export async function ask(url: string, { apiKey, body }: GraphQLRequest): Promise<Answered> {
  const began = performance.now();
  const answer = await request(`${url}/graphql`, {
    method: 'POST',
    dispatcher: agent,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      'x-api-key': apiKey,
    },
    body,
  });
  const text = await answer.body.text();
  const wallMs = performance.now() - began;
  // What is no JSON fails here, and so does a server that sends it.
  const { data, errors } = JSON.parse(text) as { data?: unknown; errors?: unknown };
  return { data, errors, bytes: Buffer.byteLength(text), wallMs };
}

/** Where an answer differs from the expected one; undefined when it does not. */
export function differenceOf(expected: Answered, found: Answered): string | undefined {
  if (found.errors !== undefined) return `errors ${shortly(found.errors)}`;
  if (isDeepStrictEqual(expected.data, found.data)) return undefined;
  return findDifference('data', expected.data, found.data);
}

function findDifference(path: string, expected: unknown, found: unknown): string {
  if (isObject(expected) && isObject(found)) {
    for (const name of new Set([...Object.keys(expected), ...Object.keys(found)])) {
      if (isDeepStrictEqual(expected[name], found[name])) continue;
      return findDifference(`${path}.${name}`, expected[name], found[name]);
    }
  }
  return `${path} is ${shortly(found)} and not ${shortly(expected)}`;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

const shortly = (value: unknown): string => (JSON.stringify(value) ?? 'absent').slice(0, 200);
