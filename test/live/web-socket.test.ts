/** Publishing watched over WebSocket, with graphql-ws's client and by hand. */
import { describe, expect, it } from 'vitest';
import { openLive, statusesOf, until, WATCH, wsClient, type Progress } from './support.ts';

describe('a subscription over WebSocket', () => {
  it('sees a version published, from the state it begins in to the final one, and completes', async () => {
    const live = await openLive();
    const id = await live.draft();
    const events: Progress[] = [];

    const client = wsClient(live.site.url);
    const watching = (async () => {
      for await (const event of client.iterate({ query: WATCH, variables: { id } })) {
        events.push(event as Progress);
      }
    })();
    await until(() => events.length > 0);
    await live.publish(id);
    await watching;

    expect(statusesOf(events)).toEqual(['draft', 'queued', 'processing', 'published']);
    expect(events.at(-1)?.data?.audienceVersionProgress?.isFinal).toBe(true);
    await live.quiet();
  });
});
