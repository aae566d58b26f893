/**
 * What look-ahead saves: the same graph with and without it, in this process, 20 ms a call.
 */
import { createRequire } from 'node:module';
import type * as GraphQL from 'graphql';
import { createContext } from '../../src/graph/context.ts';
import { createUpstream } from '../../src/rest/client/client.ts';
import { BackendDispatcher } from '../../src/rest/transport/dispatcher.ts';
import { schema } from '../../src/app/schema.ts';
import { median } from './median.ts';
import { pageIdOf, type BenchQuery } from './queries.ts';
import type { SlowUpstream } from './upstream.ts';
import { scopeOf } from '../support/settings.ts';

// The peers have a graphql of their own in this folder; a schema runs only in the one it was made by.
const { execute, parse } = createRequire(new URL('../../src/', import.meta.url))(
  'graphql',
) as typeof GraphQL;

export interface LookAhead {
  readonly withMs: number;
  readonly withoutMs: number;
}

export async function measureLookAhead(
  slow: SlowUpstream,
  { text }: BenchQuery,
  samples: number,
): Promise<LookAhead> {
  const upstream = createUpstream({
    dispatcher: new BackendDispatcher(slow.url),
    pathPrefix: '',
    routeSet: 'extended',
    timeoutMs: 3_000,
  });
  const document = parse(text);
  const walls = { with: [] as number[], without: [] as number[] };
  for (let turn = -5; turn < samples; turn++) {
    for (const which of ['with', 'without'] as const) {
      const rest = upstream(scopeOf({ apiKey: 'caller', requestId: `${which}-${turn}` }));
      const began = performance.now();
      const { errors } = await execute({
        schema,
        document,
        variableValues: { id: pageIdOf((turn + 50) % 50) },
        contextValue: createContext(rest, { apiKey: 'caller', looksAhead: which === 'with' }),
      });
      if (errors) throw new Error('The graph answered an error.', { cause: errors[0] });
      if (turn >= 0) walls[which].push(performance.now() - began);
    }
  }
  await upstream.close();
  return { withMs: median(walls.with), withoutMs: median(walls.without) };
}
