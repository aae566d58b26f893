/** A backend of pages and audiences whose persons a test changes, and gateways in front of it. */
import { prefetching } from '../../../src/extensions/read-ahead/read-ahead.extension.ts';
import type { Extension } from '../../../src/gateway/extension.ts';
import { Metrics } from '../../../src/gateway/observe/metrics/metrics.ts';
import { systemClock, type Clock } from '../../../src/lib/clock.ts';
import { routes } from '../../../src/v0/routes.ts';
import { ok, status, type Behaviour } from '../../support/faults.ts';
import { listOf, openGateway, type InProcessOptions } from '../../support/open-gateway.ts';
import { routeOf, sampleOf, world } from '../../support/world.ts';

/** The README's query, with twenty audiences. */
export const screenOf = (pageId = 'p1', first = 20): string => `{ page(pageId: "${pageId}") {
  name audiences(first: ${first}) { totalCount nodes {
    effectiveName latestVersion { versionNumber status } person { name email } } } } }`;

export const SCREEN = screenOf();

/** A page's audiences, each with the id of its person. */
export class Pages {
  readonly personsOf = new Map<string, readonly (string | null)[]>();
  /** Responses of single persons instead of their objects. */
  readonly persons = new Map<string, Behaviour>();

  constructor(persons: readonly (string | null)[] = ['ada', 'ben']) {
    this.personsOf.set('p1', persons);
  }

  readonly answer: Behaviour = (response, seen, socket) => this.#of(seen)(response, seen, socket);

  #of(seen: Parameters<Behaviour>[1]): Behaviour {
    const url = new URL(seen.target, 'http://backend');
    const { route, values } = routeOf(seen) ?? {};
    const persons = this.personsOf.get(values?.['page_id'] ?? '') ?? [];
    if (route === routes.listAudiences) return ok(listOf(persons.map(audienceOf), url));
    if (route === routes.getPage) {
      return ok({ ...sampleOf(route, values), audiencesCount: persons.length });
    }
    const personId = values?.['person_id'];
    if (route !== routes.getPerson || personId === undefined) return world();
    return (
      this.persons.get(personId) ??
      ok({ ...sampleOf(route, values), name: `Person ${personId}`, email: null })
    );
  }
}

const audienceOf = (personId: string | null, i: number) => ({
  ...sampleOf(routes.getAudience, { page_id: 'p1', audience_id: `a${i}` }),
  ...{ effectiveName: `Audience ${i} of ${personId ?? 'nobody'}`, personId },
});

export const NOT_THERE: Behaviour = status(404);

interface AheadOptions extends InProcessOptions {
  /** Of the pauses of documents. */
  readonly guessClock?: Clock;
  /** Before prefetching in the list. */
  readonly others?: readonly Extension[];
}

/** A gateway that prefetches. */
export function openAhead({
  guessClock = systemClock,
  others = [],
  ...options
}: AheadOptions = {}) {
  return openGateway(withReadAhead(options, guessClock, others));
}

/** A gateway that prefetches, in front of these pages. */
export async function openPages(
  pages: Pages,
  { guessClock = systemClock, others = [], ...options }: AheadOptions = {},
) {
  const given = withReadAhead(options, guessClock, others);
  const gateway = await openGateway({ ...given, backend: 'faulty' });
  gateway.upstream.on('*', pages.answer);
  return gateway;
}

function withReadAhead(options: InProcessOptions, clock: Clock, others: readonly Extension[]) {
  const metrics = new Metrics();
  return { ...options, metrics, extensions: [...others, prefetching(metrics, clock)] };
}
