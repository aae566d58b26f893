/** Subscriptions behind nginx, with its defaults and with deploy/proxy/nginx.conf. */
import { describe, expect, it } from 'vitest';
import { hasNginx, openNginx, passing, type NginxSettings } from '../support/nginx.ts';
import { nginxInFrontOf } from '../support/proxy.ts';
import { openEvents, openLive, openSocket } from '../live/support.ts';
import { until } from '../support/until.ts';

/** `deploy/proxy/nginx.conf`. */
const documented: NginxSettings = (port, host) => nginxInFrontOf(`http://${host}`)(port, host);

describe.skipIf(!hasNginx)('behind nginx', () => {
  it.each([
    ['with its defaults', passing()],
    ['as documented', documented],
  ])(
    '%s, the first event arrives before the next change, and the stream completes',
    async (_, settings) => {
      const live = await openLive();
      const id = await live.draft();
      const url = await openNginx(live.site.url, settings);

      const stream = await openEvents(url, { id });
      await until(() => stream.events.length > 0);
      await live.publish(id);
      await stream.ended;

      expect(stream.isComplete()).toBe(true);
      await live.quiet();
    },
  );

  it('as documented, WebSockets carry subscriptions', async () => {
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
