/**
 * What requests share must not be written to by any of them.
 */
import { execute, parse } from 'graphql';
import { expect, it } from 'vitest';
import { createContext } from '../../src/graph/context.ts';
import { schema } from '../../src/app/schema.ts';
import { openRest } from '../rest/open-rest.ts';
import { after } from '../support/faults.ts';
import { world } from '../support/world.ts';

it('gives versions their page, whether the audiences were read for one request, for two or before', async () => {
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
