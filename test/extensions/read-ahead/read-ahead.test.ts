/** Reading ahead as callers see it: a screen seen before takes one round, and its answer stays the same. */
import { describe, expect, it } from 'vitest';
import { readingAhead } from '../../../src/extensions/read-ahead/reading-ahead.ts';
import { Metrics } from '../../../src/gateway/observe/metrics/metrics.ts';
import { systemClock, type Clock } from '../../../src/lib/clock.ts';
import { IDS } from '../../support/ids.ts';
import { openGateway, type InProcessOptions } from '../../support/open-gateway.ts';

/** The README's query, with twenty audiences. */
const SCREEN = `{ page(pageId: "${IDS.page}") { name audiences(first: 20) { totalCount nodes {
  effectiveName latestVersion { versionNumber status } person { name email } } } } }`;

const openAhead = (options: InProcessOptions = {}, clock: Pick<Clock, 'now'> = systemClock) => {
  const metrics = new Metrics();
  return openGateway({ ...options, metrics, extensions: [readingAhead({ metrics, clock })] });
};

describe('a screen', () => {
  it('takes two rounds when it is new, and one with the same calls when it is opened again', async () => {
    const gateway = await openAhead({ sample: { latencyMs: 20 } });

    const first = await gateway.ask(SCREEN);
    const firstCalls = gateway.restCalls.toSorted();
    const { rounds } = gateway.journal;
    const again = await gateway.ask(SCREEN);

    expect(rounds).toBe(2);
    expect(gateway.journal.rounds).toBe(1);
    expect(gateway.restCalls.toSorted()).toEqual(firstCalls);
    expect(again.body).toEqual(first.body);
    expect(await gateway.metric('gateway_reads_ahead_total', 'used="true"')).toBe(
      firstCalls.length - 2,
    );
    expect(await gateway.metric('gateway_reads_ahead_total', 'used="false"')).toBe(0);
  });
});
