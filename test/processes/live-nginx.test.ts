/** Behind nginx, as Debian installs it and as docs/operating.md sets it up. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { hasNginx, openNginx, passing, type NginxSettings } from '../support/nginx.ts';
import { openEvents, openLive, openSocket, until } from '../live/support.ts';

/** The settings that docs/operating.md shows, for a server on a port. */
const documented: NginxSettings = (port, host) => {
  const text = readFileSync(new URL('../../docs/operating.md', import.meta.url), 'utf8');
  const [, example = ''] = /```nginx\n(.*?)```/s.exec(text) ?? [];
  return example
    .replace('listen 8080', `listen 127.0.0.1:${port}`)
    .replaceAll(/127\.0\.0\.1:400[01]/g, host);
};

describe.skipIf(!hasNginx)('behind nginx', () => {
  it.each([
    ['as it is installed', passing()],
    ['as it is documented', documented],
  ])('%s, the first event comes at once, and the others when they happen', async (_, settings) => {
    const live = await openLive();
    const id = await live.draft();
    const url = await openNginx(live.site.url, settings);

    const stream = await openEvents(url, { id });
    await until(() => stream.events.length > 0);
    await live.publish(id);
    await stream.ended;

    expect(stream.isComplete()).toBe(true);
    await live.quiet();
  });

  it('as it is documented, sockets are passed on', async () => {
    const live = await openLive();
    const id = await live.draft();
    const url = await openNginx(live.site.url, documented);

    const socket = await openSocket(url);
    socket.subscribe('a', { id });
    await until(() => socket.received('next').length > 0);
    socket.socket.terminate();

    await live.quiet();
  });
});
