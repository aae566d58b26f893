/** Decoded responses that requests share, which none of them may change. */
import { execute, parse } from 'graphql';
import { expect, it } from 'vitest';
import { createContext } from '../../src/graph/context.ts';
import { schema } from '../../src/app/schema.ts';
import { openRest } from '../rest/open-rest.ts';
import { after } from '../support/faults.ts';
import { world } from '../support/world.ts';

it('gives versions their page id in one request, in two requests that share calls, and in later requests', async () => {
  const { backend, client } = await openRest();
  backend.on('*', after(20, world()));
  const ask = () =>
    execute({
      schema,
      document: parse(`{ page(pageId: "p1") { audiences { nodes { pageId
        latestVersion { id pageId versionId } publishedVersion { id pageId } } } } }`),
      contextValue: createContext(client(), { apiKey: 'key' }),
    });

  const alone = await ask();
  const calls = backend.hits();
  const [one, other] = await Promise.all([ask(), ask()]);
  const shared = backend.hits() - calls;
  const again = [await ask(), await ask()];

  expect(shared).toBe(calls);
  expect(alone.errors).toBeUndefined();
  expect(alone.data).toMatchObject({
    page: { audiences: { nodes: [{ latestVersion: { pageId: 'p1' } }, {}] } },
  });
  expect(one).toEqual(alone);
  expect(other).toEqual(alone);
  expect(again).toEqual([alone, alone]);
});
