/**
 * Whole screens about pages, with the typed documents that frontends use.
 */
import { describe, expect, it } from 'vitest';
import {
  CreateAudienceDocument,
  PageLinksDocument,
  PageWithAudiencesDocument,
  PublishVersionDocument,
  SearchPagesDocument,
  VersionDocument,
} from '../../src/client/generated/graphql.ts';
import { IDS } from '../support/ids.ts';
import { openGateway, type InProcessGateway } from '../support/open-gateway.ts';
import { until } from '../support/until.ts';

describe('the page screen', () => {
  it.each(['document', 'iso'] as const)(
    'shows a page with audiences, persons and versions (%s timestamps)',
    async (timestamps) => {
      const gateway = await openGateway({ sample: { timestamps } });

      const { data, errors } = await gateway.ask(PageWithAudiencesDocument, {
        variables: {
          pageId: IDS.page,
          first: 5,
        },
      });

      expect(errors).toEqual([]);
      expect(data.page).toMatchObject({ pageId: IDS.page, name: 'Northwind launch' });
      const { nodes, totalCount } = data.page!.audiences!;
      expect(totalCount).toBe(data.page!.audiencesCount);
      expect(nodes).toHaveLength(5);
      expect(nodes[0]).toMatchObject({
        audienceId: IDS.audience,
        person: { personId: IDS.person },
        versions: { nodes: [{ versionNumber: 2 }, { versionNumber: 1, status: 'published' }] },
      });
      expect(nodes[0]!.createdAt).toMatch(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);
    },
  );

  it('takes one call per list and per person, in two round trips', async () => {
    const gateway = await openGateway({ sample: { latencyMs: 10 } });

    const { data } = await gateway.ask(PageWithAudiencesDocument, {
      variables: { pageId: IDS.page, first: 5 },
    });

    const persons = new Set(data.page!.audiences!.nodes.map((node) => node?.person?.personId));
    expect(gateway.restCalls).toHaveLength(2 + 5 + persons.size);
    expect(gateway.journal.rounds).toBe(2);
  });

  it('finds pages by a word of their names', async () => {
    const gateway = await openGateway();

    const { data } = await gateway.ask(SearchPagesDocument, { variables: { query: 'pricing' } });

    expect(data.searchPages.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['Pricing for teams', 'Enterprise pricing']),
    );
  });

  it('resolves the audiences of links without a call when only their ids are selected', async () => {
    const gateway = await openGateway();

    const { data } = await gateway.ask(PageLinksDocument, {
      variables: { pageId: IDS.page, first: 5 },
    });

    expect(data.page!.links!.nodes[0]!.target!.audience!.audienceId).toBeTruthy();
    expect(gateway.restCalls).toEqual([
      `GET /v0/page_links?pageId=${IDS.page}&limit=5`,
      expect.any(String),
    ]);
  });
});

describe('publishing', () => {
  it('turns a draft into the published version of its audience', async () => {
    const gateway = await openGateway({ fresh: true });
    const { data: created } = await gateway.ask(CreateAudienceDocument, {
      variables: {
        input: { pageId: IDS.page, publishBehavior: 'draft', customName: 'Spring visitors' },
      },
    });
    const audience = created.createAudience.audience!;
    expect(audience).toMatchObject({ effectiveName: 'Spring visitors', status: 'draft' });
    const { id } = audience.latestVersion!;

    const { data } = await gateway.ask(PublishVersionDocument, {
      variables: {
        input: { id, operationKey: 'k1' },
      },
    });

    expect(data.publishAudienceVersion).toMatchObject({
      audienceVersion: { id, audience: { id: audience.id, effectiveName: 'Spring visitors' } },
      userErrors: [],
    });
    expect(await statusWhenDone(gateway, id)).toBe('published');
    const after = await gateway.ask(
      'query After($id: ID!) { node(id: $id) { ... on Audience { publishedVersion { id } } } }',
      { variables: { id: audience.id } },
    );
    expect(after.data['node'].publishedVersion.id).toBe(id);
  });

  it('accepts a repeat with the same operation key, and rejects a repeat without a key with CONFLICT', async () => {
    const gateway = await openGateway({ fresh: true });
    const { data: created } = await gateway.ask(CreateAudienceDocument, {
      variables: {
        input: { pageId: IDS.page, publishBehavior: 'draft' },
      },
    });
    const { id } = created.createAudience.audience!.latestVersion!;
    const publish = (operationKey?: string) =>
      gateway.ask(PublishVersionDocument, {
        variables: { input: { id, operationKey: operationKey ?? null } },
      });

    const first = await publish('once');
    const again = await publish('once');
    const other = await publish();

    expect(first.data.publishAudienceVersion.userErrors).toEqual([]);
    expect(again.data.publishAudienceVersion.userErrors).toEqual([]);
    expect(other.data.publishAudienceVersion).toEqual({
      __typename: 'PublishAudienceVersionPayload',
      audienceVersion: null,
      userErrors: [
        {
          __typename: 'UserError',
          code: 'CONFLICT',
          field: null,
          message: expect.any(String) as string,
        },
      ],
    });
  });
});

async function statusWhenDone(
  gateway: InProcessGateway,
  id: string,
): Promise<string | null | undefined> {
  let status: string | null | undefined;
  await until(async () => {
    const { data } = await gateway.ask(VersionDocument, { variables: { id } });
    const { node } = data;
    if (node?.__typename !== 'AudienceVersion') throw new Error(`No version: ${node?.__typename}`);
    ({ status } = node);
    return status !== 'queued' && status !== 'processing';
  });
  return status;
}
