/**
 * The losses of operations in fact, while the backend answers 503 on one route.
 *
 * Ids differ between routes and between lists, so that no object is known by chance from another call; each
 * operation asks with a key of its own, because circuits are kept by key.
 */
import { createClient } from 'graphql-sse';
import { getOperationAST, OperationTypeNode, parse } from 'graphql';
import type { Loss } from '../../../src/extensions/impact/losses.ts';
import type { Route } from '../../../src/v0/routes.ts';
import { routes } from '../../../src/v0/routes.ts';
import { ok, status, type Behaviour } from '../../support/faults.ts';
import { openGateway, type InProcessGateway } from '../../support/open-gateway.ts';
import { UNLIMITED } from '../../support/random-query.ts';
import { routeOf, sampleOf } from '../../support/sample-answers.ts';
import type { RouteSet } from '../../../src/v0/routes.ts';

type Variables = Readonly<Record<string, unknown>>;

export interface BruteForce {
  readonly gateway: InProcessGateway;
  /**
   * By route, the outermost paths that are lost only while it is off, with any of the variables.
   */
  lossesByRoute(
    source: string,
    variables: readonly Variables[],
  ): Promise<ReadonlyMap<string, readonly Loss[]>>;
}

export async function openBruteForce(routeSet: RouteSet = 'extended'): Promise<BruteForce> {
  const gateway = await openGateway({
    backend: 'faulty',
    rest: { routeSet, timeoutMs: 5_000 },
    documents: { limits: UNLIMITED },
    limits: { maxUpstreamCalls: 2_000 },
  });
  const offByKey = new Map<string, Route>();
  const calledByKey = new Map<string, Set<Route>>();
  const answer: Behaviour = (response, seen, socket) => {
    const found = routeOf(seen);
    const apiKey = String(seen.headers['x-api-key']);
    if (found) calledByKey.get(apiKey)?.add(found.route);
    const isOff = found?.route === offByKey.get(apiKey);
    const behaviour =
      found && !isOff ? ok(answerOf(found, seen.target)) : status(isOff ? 503 : 404);
    return behaviour(response, seen, socket);
  };
  gateway.upstream.on('*', answer);
  let asked = 0;
  const ask = async (source: string, variables: Variables, off?: Route) => {
    const apiKey = `key-of-case-${asked++}`;
    const called = new Set<Route>();
    calledByKey.set(apiKey, called);
    if (off) offByKey.set(apiKey, off);
    const { operation } = getOperationAST(parse(source))!;
    const answer = operation === OperationTypeNode.SUBSCRIPTION ? firstEvent : gateway.ask;
    const body = await answer(source, { variables, apiKey });
    return { losses: lossesIn(body, operation), called };
  };
  const firstEvent = async (
    query: string,
    { variables, apiKey }: { variables: Variables; apiKey: string },
  ) => {
    const client = createClient({
      url: `${gateway.url}/graphql`,
      headers: { 'x-api-key': apiKey },
    });
    for await (const event of client.iterate({ query, variables })) return event;
    throw new Error('There was no event.');
  };
  return {
    gateway,
    lossesByRoute: async (source, variables) => {
      const lost = new Map<string, Loss[]>();
      for (const one of variables) {
        const well = await ask(source, one);
        const anyway = new Set(well.losses.map(({ path }) => path));
        // A route that is not called changes nothing when it is off.
        const off = [...well.called].map(async (route) => {
          const { losses } = await ask(source, one, route);
          const name = `${route.method} ${route.path}`;
          const caused = losses.filter(({ path }) => !anyway.has(path));
          if (caused.length > 0) lost.set(name, [...(lost.get(name) ?? []), ...caused]);
        });
        await Promise.all(off);
      }
      return new Map([...lost].map(([name, losses]) => [name, outermost(losses)]));
    },
  };
}

/** A sample of the route, with ids that no other call answers. */
function answerOf({ route, values }: NonNullable<ReturnType<typeof routeOf>>, target: string) {
  const idPrefix = `${Object.values(routes).indexOf(route as never)}-${Object.values(values).join('-')}-`;
  const body = sampleOf(route, values, { idPrefix }) as Record<string, any>;
  if (route === routes.searchAccounts) {
    const domain = new URL(target, 'http://backend').searchParams.get('query') ?? '';
    for (const item of body['items']) item.domain = domain;
  } else renameDomains(body, idPrefix, route === routes.getAccount);
  // The activity of an account may name another account.
  if (route === routes.listActivity) {
    for (const [i, item] of body['items'].entries()) item.accountId = `${idPrefix}other-${i}`;
  }
  // Without a route for one account, it is looked for in the list.
  if (route === routes.listAccounts) body['items'][0].accountId = 'ac1';
  return body;
}

/** Accounts are also known by their domains, which their persons share. */
function renameDomains(value: any, prefix: string, isOne: boolean, place = ''): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    if (name === 'domain') value[name] = `${prefix}${place}.example`;
    else renameDomains(inner, prefix, isOne, isOne ? '' : `${place}${name}-`);
  }
}

function lossesIn({ data, errors = [] }: any, operation: OperationTypeNode): readonly Loss[] {
  const roots = Object.keys(data ?? {}).filter((key) => key !== '__typename');
  const paths = new Set<string>();
  for (const { path } of errors) {
    const nulled: unknown[] = [];
    let value = data;
    for (const key of path as unknown[]) {
      nulled.push(key);
      value = value?.[key as never];
      if (value === null || value === undefined) break;
    }
    paths.add(nulled.filter((key) => typeof key === 'string').join('.'));
  }
  const isAll = roots.length > 0 && roots.every((root) => paths.has(root));
  return outermost(
    [...paths].map((path) => ({
      path,
      as: roots.includes(path)
        ? operation === OperationTypeNode.MUTATION
          ? 'error'
          : isAll
            ? 'screen'
            : 'null'
        : 'null',
    })),
  );
}

function outermost(losses: readonly Loss[]): readonly Loss[] {
  const byPath = new Map<string, Loss>();
  for (const loss of losses)
    if (byPath.get(loss.path)?.as !== 'screen') byPath.set(loss.path, loss);
  return [...byPath.values()]
    .filter(({ path }) => ![...byPath.keys()].some((other) => path.startsWith(`${other}.`)))
    .sort((one, other) => (one.path < other.path ? -1 : 1));
}
