/** Behind nginx, as Debian installs it and as deploy/proxy/nginx.conf sets it up. */
import { describe, expect, it } from 'vitest';
import { hasNginx, openNginx, passing, type NginxSettings } from '../support/nginx.ts';
import { nginxInFrontOf } from '../support/proxy.ts';
import { openEvents, openLive, openSocket } from '../live/support.ts';
import { until } from '../support/until.ts';

/** `deploy/proxy/nginx.conf`. */
const documented: NginxSettings = (port, host) => nginxInFrontOf(`http://${host}`)(port, host);

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
