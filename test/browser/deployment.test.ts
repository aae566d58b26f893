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
    'prompts for an API key, and the first Play with it gets data while the button stays in its place, at %s',
    async (_size, size) => {
      const { page, faults } = await openOf(deployed);
      await page.setViewportSize(size);
      const button = page.locator('.graphiql-execute-button');
      const place = () => button.evaluate((one) => one.getBoundingClientRect().y + scrollY);
      const before = await place();

      await page.getByText('Enter an API key. It is sent with each operation.').waitFor();
      await page.getByLabel('API key').fill('demo');
      // Leaving the field takes the key, while the button is pressed.
      const { data, errors } = await play(page);

      expect([typeof data.page.name, errors]).toEqual(['string', undefined]);
      await expect.poll(() => textOf(page, 'variables')).not.toContain('the id of a page');
      expect(await page.getByText('Enter an API key').count()).toBe(0);
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('Saved as PageWithAudiences.').waitFor();
      expect(await place()).toBe(before);
      const many = Array.from(
        { length: 25 },
        (_, i) => `p${i}: person(personId: "p${i}") { name }`,
      );
      await write(page, 'query', `{ ${many.join(' ')} }`);
      await expectCost(page, /Limit: 20 calls/);
      expect(await place()).toBe(before);
      await picture(page, `deployment-${size.width}`);
      expect(faults).toEqual([]);
    },
  );

  it('starts with topics when the backend has no page search', async () => {
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

  it('requests the schema after an API key is entered with INTROSPECTION=keys', async () => {
    const { page, faults } = await openOf(await startDeployed({ INTROSPECTION: 'keys' }));
    const asked = page.waitForResponse((response) => response.url().endsWith('/graphql'));

    await page.getByLabel('API key').fill('demo');
    await page.keyboard.press('Enter');

    expect((await asked).status()).toBe(200);
    await hasSchema(page);
    expect(faults).toEqual([]);
  });

  it('writes the id of the found page as JSON when it contains quotes and backslashes', async () => {
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

describe('GraphiQL on failures', () => {
  it('marks the API key that the backend has rejected until it is replaced, and prompts for a key when there is none', async () => {
    const { page } = await open();
    const hint = page.getByText('Enter an API key. It is sent with each operation.');

    const barColor = () =>
      page
        .locator('.bar')
        .first()
        .evaluate((bar) => getComputedStyle(bar).backgroundColor);

    await page.getByLabel('API key').fill('wrong');
    await page.keyboard.press('Enter');
    const wrong = await play(page);
    await expect.poll(() => statusLineOf(page)).toMatch(/UNAUTHENTICATED/);
    expect(await hint.count()).toBe(0);
    const field = page.getByLabel('API key');
    await page.getByText('The backend rejected the API key (401). Enter another one.').waitFor();
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    expect(await page.locator('.call-status').first().innerText()).toMatch(/^401 failed$/);
    const failed = await barColor();
    await picture(page, 'key-rejected');
    await field.fill('demo');
    await page.keyboard.press('Enter');
    await expect.poll(() => field.getAttribute('aria-invalid')).toBe('false');
    await play(page);
    expect(await field.getAttribute('aria-invalid')).toBe('false');
    expect(await page.locator('.call-status').first().innerText()).toMatch(/^200\s*$/);
    expect(await barColor()).not.toBe(failed);
    await page.getByLabel('API key').fill('');
    await page.keyboard.press('Enter');
    const without = await play(page);

    expect(wrong.errors[0].message).toMatch(/^The backend rejected the API key \(401\): GET/);
    expect(wrong.errors[0].extensions.code).toBe('UNAUTHENTICATED');
    expect(without.errors[0].extensions.code).toBe('UNAUTHENTICATED');
    await hint.waitFor();
    await expect.poll(() => statusLineOf(page)).toMatch(/UNAUTHENTICATED/);
  });

  it('shows that the browser is offline, or that the gateway does not respond', async () => {
    const stopped = await startGateway({});
    const { page } = await open({ url: `${stopped.url}/graphql` });
    const button = page.locator('.graphiql-execute-button');

    await page.context().setOffline(true);
    await button.click();
    await expect.poll(() => statusLineOf(page)).toBe('This browser is offline.');
    await page.context().setOffline(false);
    await stopped.stop('SIGKILL');
    await button.click();
    await expect.poll(() => statusLineOf(page)).toBe('The gateway did not respond. Is it running?');
    expect(await textOf(page, 'answer')).not.toContain('stack');
    await picture(page, 'gateway-stopped');
  });

  it('shows “reload” when a file of the page is missing, as after a deployment', async () => {
    const { page } = await open();
    await page.route('**/files/*', (route) => route.fulfill({ status: 404 }));

    await page.getByRole('button', { name: /^Prettify/ }).click();

    await page.getByText('A file of this page could not be loaded. Reload the page.').waitFor();
    await picture(page, 'file-gone');
  });

  it('shows that introspection is off, and still sends operations', async () => {
    const closed = await startGateway({ INTROSPECTION: 'off' });
    onTestFinished(async () => void (await closed.stop()));
    const { page, faults } = await open({ url: `${closed.url}/graphql` });

    await page.getByText('Docs and completion are unavailable').waitFor();
    expect(await page.locator('.waterfall-hint').innerText()).not.toContain('suggested');
    const { data } = await play(page);

    expect(data.page.name).toBe('Northwind launch');
    expect(faults).toEqual([]);
  });
});
