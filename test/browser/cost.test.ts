/** The cost next to the query. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { startGateway } from '../support/gateway-process.ts';
import { expectCost, openExample, picture, play, write } from './browser.ts';
import { statusLineOf, useGraphiql } from './graphiql.ts';

const { open } = useGraphiql();

describe('the cost next to the query', () => {
  it('follows the query, shows over budget before Play, and is not in the history', async () => {
    const { page, faults } = await open();
    await expectCost(page, /2–12 calls/);

    await write(page, 'query', '{ topics(first: 3) { nodes { title } } }');
    await expectCost(page, /^1 calls?\s+1 round trip\b/);
    await write(page, 'query', '{ topics(first: 3) { nodes { nope } } }');
    await expectCost(page, /Cost unknown: Cannot query field "nope"/);
    await write(page, 'query', '{ topics(');
    await expectCost(page, /Cost unknown: Syntax Error/);
    const many = Array.from({ length: 25 }, (_, i) => `p${i}: person(personId: "p${i}") { name }`);
    await write(page, 'query', `{ ${many.join(' ')} }`);
    await expectCost(page, /25 calls/);
    await openExample(page, 'Over the call limit');
    await expectCost(page, /300 calls\s+Rejected\. Limit: 250 calls/);
    await picture(page, 'over-budget');

    await page
      .getByRole('button', { name: /history/i })
      .first()
      .click();
    expect(await page.locator('.graphiql-history-item').count()).toBe(0);
    // An incomplete document logs no error.
    expect(faults).toEqual([]);
  });

  it('shows over budget when even the minimum number of calls exceeds it', async () => {
    const small = await startGateway({ MAX_UPSTREAM_CALLS: '20' });
    onTestFinished(async () => void (await small.stop()));
    const { page } = await open({ url: `${small.url}/graphql` });

    const many = Array.from({ length: 25 }, (_, i) => `p${i}: person(personId: "p${i}") { name }`);
    await write(page, 'query', `{ ${many.join(' ')} }`);
    await expectCost(page, /25 calls\s+Rejected\. Limit: 20 calls\s.*most calls: p0 and 24 more/s);
    await picture(page, 'over-budget-surely');
    await play(page);

    await expect.poll(() => statusLineOf(page)).toMatch(/QUERY_TOO_EXPENSIVE/);
  });

  it('of a subscription is the cost of one event, in addition to polls', async () => {
    const { page } = await open();

    await openExample(page, 'Watch a version being published');

    await expectCost(page, /^0 calls per event\s+plus polls/);
    await page.locator('.cost button').click();
    await picture(page, 'cost-subscription');
    expect(await page.locator('.cost-explanation').innerText()).toContain(
      'These numbers are for one event.',
    );
  });

  it('is requested after a pause in typing, and a request for an older query is aborted', async () => {
    const { page } = await open();
    await expectCost(page, /2–12 calls/);
    const asked: string[] = [];
    const given: string[] = [];
    page.on('request', (request) => {
      if (request.headers()['x-explain'] === 'plan') asked.push(request.postDataJSON().query);
    });
    page.on('requestfailed', (request) => given.push(request.failure()?.errorText ?? ''));
    await page.route('**/graphql', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      await route.continue().catch(() => {});
    });

    await write(page, 'query', '{ topics(first: 3) { totalCount } }');
    await expect.poll(() => asked.length).toBe(1);
    await write(page, 'query', '');
    await page.keyboard.type('query Typed { persons { totalCount } }', { delay: 20 });
    await page.keyboard.press('Escape');
    await expectCost(page, /^▸?\s*1 call\s/);

    expect(asked.at(-1)).toContain('query Typed');
    expect(asked.length).toBeLessThan(6);
    expect(given).toContain('net::ERR_ABORTED');
  });
});
