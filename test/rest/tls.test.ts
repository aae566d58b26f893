import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { describe, expect, it } from 'vitest';
import { expired, selfSigned, wrongName } from '../support/certificates.ts';
import { ok } from '../support/faults.ts';
import { listen } from '../support/listen.ts';
import { StagedClock } from '../support/staged-time.ts';
import { getPerson, openRest, outcome, person } from './open-rest.ts';

const PERSON = 'GET /v0/persons/p';

/** A pool that trusts a certificate, so that only its other faults show. */
const trusting = (ca: string, url: string) => new Pool(url, { connections: 4, connect: { ca } });

describe('TLS', () => {
  it('T21: carries calls when the certificate is trusted and valid', async () => {
    const { backend } = await openRest({ certificate: selfSigned });
    backend.on(PERSON, ok(person('p')));
    const { client } = await openRest({ dispatcher: trusting(selfSigned.cert, backend.url) });

    expect(await getPerson(client())).toEqual(person('p'));
  });

  it.each([
    ['that no authority has signed', selfSigned, undefined],
    ['for another name', wrongName, wrongName.cert],
    ['that has expired', expired, expired.cert],
  ])(
    'T21: makes a call unreachable, without a retry, when the certificate is one %s',
    async (_name, certificate, ca) => {
      const { backend } = await openRest({ certificate });
      const { client, calls } = await openRest({
        url: backend.url,
        ...(ca && { dispatcher: trusting(ca, backend.url) }),
      });

      const failure = await outcome(getPerson(client()));

      expect(failure).toMatchObject({ kind: 'unreachable', retry: 'hopeless' });
      expect((failure as Error).message).toBe(
        'Backend could not be reached: GET /v0/persons/{person_id}',
      );
      expect(calls).toHaveLength(1);
      expect(backend.hits()).toBe(0);
    },
  );

  it('T21: makes a call unreachable, without a retry, when the peer speaks plain HTTP', async () => {
    const { backend } = await openRest();
    const { client, calls } = await openRest({ url: `https://localhost:${backend.port}` });

    const failure = await outcome(getPerson(client()));

    expect(failure).toMatchObject({ kind: 'unreachable' });
    expect(calls).toHaveLength(1);
  });

  it('T21: times a call out when the peer does not answer the handshake', async () => {
    const deaf = await listen(createServer());
    const clock = new StagedClock();
    clock.tick();
    const { client } = await openRest({
      url: `https://127.0.0.1:${deaf}`,
      clock,
      timeoutMs: 300,
      requestTimeoutMs: 500,
    });
    const begunMs = clock.now();

    const failure = await outcome(getPerson(client()));

    expect(failure).toMatchObject({ kind: 'timeout' });
    expect(clock.now() - begunMs).toBeLessThanOrEqual(500);
  });
});

describe('an absent backend', () => {
  it('T20: is unreachable while its name cannot be resolved, and is reached once it can', async () => {
    const { backend } = await openRest();
    backend.on(PERSON, ok(person('p')));
    let known = false;
    const faults = ['ENOTFOUND', 'EAI_AGAIN'];
    const lookup = (_name: string, _options: unknown, answer: (...args: unknown[]) => void) => {
      if (known)
        answer(null, [
          { address: '127.0.0.1', family: 4 },
          { address: '::1', family: 6 },
        ]);
      else answer(Object.assign(new Error('no such name'), { code: faults.pop() ?? 'ENOTFOUND' }));
    };
    const dispatcher = new Pool(`http://backend.invalid:${backend.port}`, {
      connect: { lookup: lookup as never },
    });
    const clock = new StagedClock();
    clock.tick();
    const { client } = await openRest({ dispatcher, clock });
    const begunMs = clock.now();

    const failure = await outcome(getPerson(client()));
    const failedMs = clock.now() - begunMs;
    known = true;

    expect(failure).toMatchObject({ kind: 'unreachable' });
    expect((failure as Error).message).not.toContain('invalid');
    expect(failedMs).toBeLessThan(1_200); // seven reconnects wait for 1,125 ms at most
    expect(await getPerson(client())).toEqual(person('p'));
  });

  it('T20: is waited for by a read when it starts within 150 ms', async () => {
    const { backend, client } = await openRest({ stopped: true });
    backend.on(PERSON, ok(person('p')));

    const answer = getPerson(client());
    await sleep(150);
    await backend.start();

    expect(await answer).toEqual(person('p'));
    expect(backend.hits()).toBe(1);
  });
});
