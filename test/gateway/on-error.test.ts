/** `onError` as a request parameter: the effect of a failed call on the response and on other calls. */
import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { routes } from '../../src/v0/routes.ts';
import { ok, status } from '../support/faults.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { sampleOf } from '../support/world.ts';

import { openGateway, type InProcessGateway } from '../support/open-gateway.ts';
import { until } from '../support/until.ts';

/** A gateway whose clock does not move, so that no time-out ends a call. */
const open = () => openGateway({ backend: 'faulty', rest: { clock: new FakeClock() } });

const ask = ({ post }: InProcessGateway, query: string, onError: unknown) =>
  post({ query, onError }, { 'x-api-key': 'key' });

const PAGE = '{ page(pageId: "p") { name pageId } }';

describe('onError', () => {
  it('NULL returns null for a failed non-null field instead of propagating it', async () => {
    const site = await open();
    site.upstream.on(
      'GET /v0/pages/p',
      ok({ ...sampleOf(routes.getPage, { page_id: 'p' }), name: 7 }),
    );

    const whole = await ask(site, PAGE, undefined);
    const local = await ask(site, PAGE, 'NULL');

    expect(whole.body.data).toEqual({ page: null });
    expect(local.body.data).toEqual({ page: { name: null, pageId: 'p' } });
    expect(local.body.errors).toEqual(whole.body.errors);
  });

  it.each(['ABORT', 'HALT'])(
    '%s aborts the calls in flight at the first failure',
    async (onError) => {
      const site = await open();
      let isClosed = false;
      site.upstream.on('GET /v0/persons/slow', (_response, _seen, socket: Socket) => {
        socket.once('close', () => (isClosed = true));
      });
      site.upstream.on('GET /v0/topics/gone', async (...args) => {
        await until(() => expect(site.upstream.hits('GET /v0/persons/slow')).toBe(1));
        await status(403)(...args);
      });

      const reply = await ask(
        site,
        '{ slow: person(personId: "slow") { name } topic(topicId: "gone") { title } }',
        onError,
      );

      expect(reply.status).toBe(200);
      expect(reply.body.data).toBeNull();
      expect(reply.codes).toEqual(['FORBIDDEN']);
      await until(() => isClosed);
    },
  );

  it('rejects an unknown value with BAD_REQUEST and without a REST call', async () => {
    const site = await open();

    const reply = await ask(site, PAGE, 'IGNORE');

    expect(reply.status).toBe(400);
    expect(reply.codes).toEqual(['BAD_REQUEST']);
    expect(reply.body.errors[0].message).toContain('PROPAGATE, NULL, ABORT, HALT');
    expect(site.upstream.hits()).toBe(0);
  });
});
