/** Publishing watched over server-sent events, with graphql-sse's client and by hand. */
import { describe, expect, it } from 'vitest';
import { openLive, sseClient, statusesOf, until, WATCH, type Progress } from './support.ts';

describe('a subscription over server-sent events', () => {
  it('sees a version published, from the state it begins in to the final one, and completes', async () => {
    const live = await openLive();
    const id = await live.draft();
    const events: Progress[] = [];

    const client = sseClient(live.site.url);
    const watching = (async () => {
      for await (const event of client.iterate({ query: WATCH, variables: { id } })) {
        events.push(event as Progress);
      }
    })();
    await until(() => events.length > 0);
    await live.publish(id);
    await watching;

    expect(statusesOf(events)).toEqual(['draft', 'queued', 'processing', 'published']);
    expect(events.map(({ data }) => data?.audienceVersionProgress?.isFinal)).toEqual([
      ...events.slice(1).map(() => false),
      true,
    ]);
    await live.quiet();
  });
});
