/**
 * Relay as its users write it: components with a pagination container, a refetch and a mutation that
 * prepends the new audience, rendered by React.
 */
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Window } from 'happy-dom';
import { createElement, Suspense } from 'react';
import { createRoot } from 'react-dom/client';
import {
  RelayEnvironmentProvider,
  useLazyLoadQuery,
  useMutation,
  usePaginationFragment,
  useRefetchableFragment,
} from 'react-relay';
import {
  ConnectionHandler,
  Environment,
  Network,
  RecordSource,
  Store,
  type FragmentType,
  type OperationType,
  type Variables,
} from 'relay-runtime';
import { expect, it, onTestFinished, vi } from 'vitest';
import { EXAMPLE_API_KEY, EXAMPLE_PAGE_ID } from '../../src/backend/seed/example.ts';
import { openGateway } from '../support/open-gateway.ts';
import screenAudiences from './relay/generated/screen_audiences.graphql.ts';
import screenCreateMutation from './relay/generated/screenCreateMutation.graphql.ts';
import screenQuery from './relay/generated/screenQuery.graphql.ts';

const window = new Window();
vi.stubGlobal('window', window);
vi.stubGlobal('document', window.document);

const COUNT = 7;

/** An invalid cursor, such as a changed filter leaves behind. */
const EXPIRED_CURSOR = 'A'.repeat(20);

/**
 * An environment in front of a gateway that serves Relay's own documents only; `sent` has its requests.
 *
 * @param isExpired whether each cursor is replaced by an expired one.
 */
async function open(isExpired: boolean) {
  const folder = await mkdtemp(join(tmpdir(), 'relay-'));
  await copyFile(new URL('relay/generated/relay-1.json', import.meta.url), join(folder, '1.json'));
  const { gateway, url } = await openGateway({
    documents: { folder, only: true },
    rest: { timeoutMs: 5_000 },
  });
  await gateway.open();
  onTestFinished(async () => {
    await gateway.close();
    await rm(folder, { recursive: true });
  });
  const sent: { readonly name: string; readonly variables: Variables }[] = [];
  const network = Network.create(async ({ id, name }, variables) => {
    const given = isExpired && variables['cursor'] ? { cursor: EXPIRED_CURSOR } : {};
    sent.push({ name, variables });
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'x-api-key': EXAMPLE_API_KEY, 'content-type': 'application/json' },
      body: JSON.stringify({ doc_id: id, variables: { ...variables, ...given } }),
    });
    const answer = await response.json();
    if (hasExpired(answer)) throw new Error('The list has changed.');
    return answer;
  });
  return { environment: new Environment({ store: new Store(new RecordSource()), network }), sent };
}

const hasExpired = ({ errors = [] }: { errors?: { extensions?: { argument?: string } }[] }) =>
  errors.some(({ extensions }) => extensions?.argument === 'after');

interface AudienceList {
  readonly audiences: {
    readonly totalCount: number;
    readonly edges: readonly {
      readonly node: {
        readonly id: string;
        readonly effectiveName: string;
        readonly person?: { readonly name: string } | null;
      };
    }[];
  };
}

/** A property of a component as Relay's compiler types it: users of the fragment can read its data. */
interface ScreenPage {
  readonly id: string;
  readonly ' $data'?: AudienceList;
  readonly ' $fragmentSpreads': FragmentType;
}

interface ScreenQuery extends OperationType {
  readonly variables: { readonly pageId?: string; readonly count: number };
  readonly response: { readonly page: ScreenPage };
}

const useAudiences = (page: ScreenPage) =>
  usePaginationFragment<ScreenQuery, ScreenPage>(screenAudiences, page);
const useRefetch = (page: ScreenPage) =>
  useRefetchableFragment<ScreenQuery, ScreenPage>(screenAudiences, page);

/** Values of the last rendering. */
interface Shown {
  list: ReturnType<typeof useAudiences>;
  refetch: ReturnType<typeof useRefetch>[1];
  create: ReturnType<typeof useMutation>[0];
  isCreating: boolean;
  pageId: string;
}

function Audiences({ page, shown }: { readonly page: ScreenPage; readonly shown: Shown }) {
  const list = useAudiences(page);
  const [, refetch] = useRefetch(page);
  const [create, isCreating] = useMutation(screenCreateMutation);
  Object.assign(shown, { list, refetch, create, isCreating });
  return createElement(
    'ul',
    null,
    list.data.audiences.edges.map(({ node }) =>
      createElement('li', { key: node.id }, node.effectiveName),
    ),
  );
}

function Screen({ shown }: { readonly shown: Shown }) {
  const variables = { pageId: EXAMPLE_PAGE_ID, count: COUNT };
  const { page } = useLazyLoadQuery<ScreenQuery>(screenQuery, variables);
  shown.pageId = page.id;
  return createElement(Audiences, { page, shown });
}

async function render({ isExpired = false } = {}) {
  const { environment, sent } = await open(isExpired);
  const shown = {} as Shown;
  const container = document.createElement('div');
  const root = createRoot(container);
  onTestFinished(() => root.unmount());
  root.render(
    createElement(RelayEnvironmentProvider, {
      environment,
      children: createElement(Suspense, { fallback: null }, createElement(Screen, { shown })),
    }),
  );
  const names = () => [...container.querySelectorAll('li')].map(({ textContent }) => textContent);
  await until(() => names().length > 0);
  return { shown, sent, names };
}

/** Waits for React, which renders asynchronously. */
const until = (isThere: () => boolean) =>
  vi.waitFor(() => expect(isThere()).toBe(true), { timeout: 10_000 });

it('usePaginationFragment pages to the end of the list', async () => {
  const { shown, names } = await render();
  const total = shown.list.data.audiences.totalCount;
  expect(names()).toHaveLength(COUNT);

  while (shown.list.hasNext) {
    const before = names().length;
    shown.list.loadNext(COUNT);
    await until(() => names().length > before);
  }

  expect(names()).toHaveLength(total);
});

it('useRefetchableFragment refetches the list from its start', async () => {
  const { shown, sent, names } = await render();

  shown.refetch({ count: 3 }, { fetchPolicy: 'network-only' });
  await until(() => sent.length === 2 && names().length === 3);

  expect(sent[1]).toMatchObject({
    name: 'screenPaginationQuery',
    variables: { id: shown.pageId, count: 3 },
  });
});

it('an expired cursor fails loadNext and keeps the list, which can be refetched from its start', async () => {
  const { shown, names } = await render({ isExpired: true });
  const before = names();

  const error = await new Promise<Error | null>((resolve) =>
    shown.list.loadNext(COUNT, { onComplete: resolve }),
  );
  const kept = names();
  shown.refetch({ count: 3 }, { fetchPolicy: 'network-only' });
  await until(() => names().length === 3);

  expect(error?.message).toBe('The list has changed.');
  expect(kept).toEqual(before);
  expect(names()).toEqual(before.slice(0, 3));
});

it('useMutation with @prependEdge shows a new audience at the head of the list, and does not change totalCount', async () => {
  const { shown, names } = await render();
  const before = names().length;
  const { totalCount } = shown.list.data.audiences;

  shown.create({
    variables: {
      input: { pageId: EXAMPLE_PAGE_ID, customName: 'Made by React', publishBehavior: 'draft' },
      connections: [ConnectionHandler.getConnectionID(shown.pageId, 'screen_audiences')],
    },
  });
  await until(() => names().length === before + 1);

  expect(names()[0]).toContain('Made by React');
  expect(shown.isCreating).toBe(false);
  // As in docs/clients.md: fields that the mutation does not select are missing, and only a refetch counts again.
  expect(shown.list.data.audiences.edges[0]!.node.person).toBeUndefined();
  expect(shown.list.data.audiences.totalCount).toBe(totalCount);
});
