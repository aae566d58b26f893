/** Predicted losses of operations without a route, compared with their losses while the backend fails on it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getOperationAST, parse, print, separateOperations } from 'graphql';
import { describe, expect, it } from 'vitest';
import { lossesByRoute } from '../../../src/extensions/impact/losses.ts';
import { formatNodeId } from '../../../src/graph/types/node-id.ts';
import { planningContext } from '../../../src/plan/cost.ts';
import { schema } from '../../../src/app/schema.ts';
import type { RouteSet } from '../../../src/v0/routes.ts';
import { cases } from '../../support/cases.ts';
import { ROOT } from '../../support/pages.ts';
import { randomQuery } from '../../support/random-query.ts';
import { openBruteForce } from './brute-force.ts';

const FOLDER = join(ROOT, 'src/client/documents');

const all = parse(
  readdirSync(FOLDER)
    .map((file) => readFileSync(join(FOLDER, file), 'utf8'))
    .join('\n'),
);

const DOCUMENTS = Object.entries(separateOperations(all)).map(([name, document]) => ({
  name,
  document,
  source: print(document),
}));

const VERSION = formatNodeId('AudienceVersion', ['p1', 'a1', 'v1']);

/** Values of random queries: each object once, so that none is known by chance. */
const VALUES = {
  pageId: ['p1'],
  audienceId: ['a1'],
  versionId: ['v1'],
  topicId: ['t1'],
  accountId: ['ac1'],
  personId: ['pe1'],
  personLogId: ['l1'],
  accountLogId: ['l2'],
  query: ['x'],
  'node.id': [VERSION, formatNodeId('Person', ['pe2'])],
  'nodes.ids': [VERSION, formatNodeId('Topic', ['t2'])],
};

const VARIABLES: Readonly<Record<string, readonly Record<string, unknown>[]>> = {
  AccountWithPersons: [{ accountId: 'ac1' }],
  Accounts: [{ first: 2 }, { first: 2, query: 'one' }],
  CreateAudience: [{ input: { pageId: 'p1' } }],
  PageLinks: [{ pageId: 'p1' }],
  PageWithAudiences: [{ pageId: 'p1' }],
  PagingAudiences: [{ pageId: 'p1', first: 2 }],
  PublishVersion: [{ input: { id: VERSION } }],
  SearchPages: [{ query: 'x' }],
  Topics: [{ first: 2 }],
  VersionProgress: [{ id: VERSION }],
  Version: [{ id: VERSION }],
};

describe('the predicted losses of an operation', () => {
  it.each(['extended', 'document'] as const)(
    'are its losses while a route fails, for each route and each document of src/client, with the %s routes',
    async (routeSet: RouteSet) => {
      const bruteForce = await openBruteForce(routeSet);
      for (const { name, document, source } of DOCUMENTS) {
        const operation = getOperationAST(document)!;
        const found = lossesByRoute({ schema, document, operation }, planningContext(routeSet));

        const lost = await bruteForce.lossesByRoute(source, VARIABLES[name]!);

        expect(Object.fromEntries(found), name).toEqual(Object.fromEntries(lost));
      }
    },
  );

  it('are its losses while a route fails, for random queries', async () => {
    const bruteForce = await openBruteForce();
    for (let seed = 1; seed <= cases(10); seed++) {
      const { source, variables } = randomQuery(seed, { schema, values: VALUES, depth: 5 });
      const document = parse(source);
      const operation = getOperationAST(document)!;
      const found = lossesByRoute({ schema, document, operation }, planningContext('extended'), [
        variables,
      ]);

      const lost = await bruteForce.lossesByRoute(source, [variables]);

      expect(Object.fromEntries(found), `seed ${seed}: ${source}`).toEqual(
        Object.fromEntries(lost),
      );
    }
  });
});
