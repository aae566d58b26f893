/**
 * Calls that look-ahead began for nothing: given up, never waited for, never an error of their own.
 */
import { execute, parse } from 'graphql';
import { expect, it } from 'vitest';
import { createContext } from '../../src/graph/context.ts';
import { schema } from '../../src/schema.ts';
import { openRest } from '../rest/open-rest.ts';
import { silence, status } from '../support/faults.ts';

it('gives up the list of a page that turns out missing, and does not wait for it', async () => {
  const { backend, client } = await openRest();
  backend.on('GET /v0/pages/gone', status(404));
  backend.on('GET /v0/pages/gone/audiences', silence());
  const rest = client();

  const { data, errors } = await execute({
    schema,
    document: parse('{ page(pageId: "gone") { name audiences { nodes { effectiveName } } } }'),
    contextValue: createContext(rest, 'key'),
  });

  expect({ data, errors }).toEqual({ data: { page: null }, errors: undefined });
  const list = rest.journal.entries.find(({ route }) => route.path.endsWith('/audiences'))!;
  await expect.poll(() => list.endMs).toBeLessThan(1_000);
  expect(list.status).toBeUndefined();
});

it('keeps a call that somebody else asks for meanwhile', async () => {
  const { backend, client } = await openRest();
  backend.on('GET /v0/pages/gone', status(404));
  backend.on('GET /v0/pages/gone/audiences', status(404));

  const { data, errors } = await execute({
    schema,
    document: parse(`{ page(pageId: "gone") { name audiences { nodes { effectiveName } } }
      again: page(pageId: "gone") { pageId audiences { nodes { audienceId } } } }`),
    contextValue: createContext(client(), 'key'),
  });

  expect({ data, errors }).toEqual({ data: { page: null, again: null }, errors: undefined });
});
