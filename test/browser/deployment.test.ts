/** GraphiQL over a deployment, and its messages about failures. */
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startGateway, type GatewayProcess } from '../support/gateway-process.ts';
import { expectCost, picture, play, textOf, write } from './browser.ts';
import { hasSchema, statusLineOf, useGraphiql } from './graphiql.ts';

const graphiql = useGraphiql();
const { open } = graphiql;

describe('GraphiQL over a deployment', () => {
  /** A gateway in front of the backend of another, which stands for a deployment. */
  async function startDeployed(
    settings: Record<string, string> = {},
    behind = graphiql.gateway,
  ): Promise<GatewayProcess> {
    const [, backend] = /(http:\/\/127[\d.:]+)\/v0\/openapi/.exec(behind.output)!;
    return startGateway({ UPSTREAM_URL: backend!, MAX_UPSTREAM_CALLS: '20', ...settings });
  }
  const openOf = ({ url }: GatewayProcess) => open({ url: `${url}/graphql` });

  let deployed: GatewayProcess;
  beforeAll(async () => {
    deployed = await startDeployed();
  });

  it.each([
    ['1280 pixels', { width: 1280, height: 800 }],
    ['390 pixels', { width: 390, height: 844 }],
  ])(
    'asks for a key, and the first Play with it gets data while the button stays in its place, at %s',
    async (_size, size) => {
      const { page, faults } = await openOf(deployed);
      await page.setViewportSize(size);
      const button = page.locator('.graphiql-execute-button');
      const place = () => button.evaluate((one) => one.getBoundingClientRect().y + scrollY);
      const before = await place();

      await page.getByText('Enter a key: every operation is sent with it.').waitFor();
      await page.getByLabel('API key').fill('demo');
      // Leaving the field takes the key, while the button is pressed.
      const { data, errors } = await play(page);

      expect([typeof data.page.name, errors]).toEqual(['string', undefined]);
      await expect.poll(() => textOf(page, 'variables')).not.toContain('the id of a page');
      expect(await page.getByText('Enter a key').count()).toBe(0);
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('Saved as PageWithAudiences.').waitFor();
      expect(await place()).toBe(before);
      const many = Array.from(
        { length: 25 },
        (_, i) => `p${i}: person(personId: "p${i}") { name }`,
      );
      await write(page, 'query', `{ ${many.join(' ')} }`);
      await expectCost(page, /Over budget/);
      expect(await place()).toBe(before);
      await picture(page, `deployment-${size.width}`);
      expect(faults).toEqual([]);
    },
  );

  it('begins with topics when the backend has no page search', async () => {
    const { page, faults } = await openOf(
      await startDeployed({}, await startGateway({ BACKEND_ROUTES: 'document' })),
    );

    await page.getByLabel('API key').fill('demo');
    await page.keyboard.press('Enter');
    await expect.poll(() => textOf(page, 'query')).toContain('query Topics');
    const { data, errors } = await play(page);

    expect([data.topics.nodes.length > 0, errors]).toEqual([true, undefined]);
    expect(await page.locator('.outdated').count()).toBe(0);
    expect(faults).toEqual([]);
  });

  it('asks for the schema after a key is entered with INTROSPECTION=keys', async () => {
    const { page, faults } = await openOf(await startDeployed({ INTROSPECTION: 'keys' }));
    const asked = page.waitForResponse((response) => response.url().endsWith('/graphql'));

    await page.getByLabel('API key').fill('demo');
    await page.keyboard.press('Enter');

    expect((await asked).status()).toBe(200);
    await hasSchema(page);
    expect(faults).toEqual([]);
  });

  it('writes the id of the found page as JSON when it has quotes and backslashes', async () => {
    const pageId = 'a\\b "quote" a$&b';
    const { page } = await openOf(deployed);
    await page.route('**/graphql', async (route) => {
      if (!route.request().postData()?.includes('ExampleIds')) return route.continue();
      return route.fulfill({ json: { data: { searchPages: [{ pageId }] } } });
    });

    await page.getByLabel('API key').fill('demo');
    await page.keyboard.press('Enter');

    await expect
      .poll(async () => JSON.parse(await textOf(page, 'variables').catch(() => '{}')))
      .toEqual({ pageId });
  });
});

describe('GraphiQL about failures', () => {
  it('shows UNAUTHENTICATED for a wrong key and for none, and asks for a key only when there is none', async () => {
    const { page } = await open();
    const hint = page.getByText('Enter a key: every operation is sent with it.');

    await page.getByLabel('API key').fill('wrong');
    await page.keyboard.press('Enter');
    const wrong = await play(page);
    await expect.poll(() => statusLineOf(page)).toMatch(/UNAUTHENTICATED/);
    expect(await hint.count()).toBe(0);
    await page.getByLabel('API key').fill('');
    await page.keyboard.press('Enter');
    const without = await play(page);

    expect(wrong.errors[0].extensions.code).toBe('UNAUTHENTICATED');
    expect(without.errors[0].extensions.code).toBe('UNAUTHENTICATED');
    await hint.waitFor();
    await expect.poll(() => statusLineOf(page)).toMatch(/UNAUTHENTICATED/);
  });

  it('says that the browser is offline, or that the gateway does not answer', async () => {
    const stopped = await startGateway({});
    const { page } = await open({ url: `${stopped.url}/graphql` });
    const button = page.locator('.graphiql-execute-button');

    await page.context().setOffline(true);
    await button.click();
    await expect.poll(() => statusLineOf(page)).toBe('This browser is offline.');
    await page.context().setOffline(false);
    await stopped.stop('SIGKILL');
    await button.click();
    await expect.poll(() => statusLineOf(page)).toBe('The gateway did not answer: is it running?');
    expect(await textOf(page, 'answer')).not.toContain('stack');
    await picture(page, 'gateway-stopped');
  });

  it('says that introspection is off, and sends operations all the same', async () => {
    const closed = await startGateway({ INTROSPECTION: 'off' });
    onTestFinished(async () => void (await closed.stop()));
    const { page, faults } = await open({ url: `${closed.url}/graphql` });

    await page.getByText('This gateway keeps its schema to itself').waitFor();
    expect(await page.locator('.waterfall-hint').innerText()).not.toContain('suggested');
    const { data } = await play(page);

    expect(data.page.name).toBe('Northwind launch');
    expect(faults).toEqual([]);
  });
});
