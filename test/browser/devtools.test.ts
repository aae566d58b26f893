/** A saved HAR in Chromium's own developer tools. */
import { expect, it, onTestFinished } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { startGateway } from '../support/gateway-process.ts';
import { picture, play, type JournalCall } from './browser.ts';
import { launch } from './chromium.ts';

it('a saved HAR opens in the network panel with a line for the operation and one for each REST call', async () => {
  const port = await freePort();
  const [gateway, browser] = await Promise.all([
    startGateway({}),
    launch(`--remote-debugging-port=${port}`, '--remote-allow-origins=*'),
  ]);
  onTestFinished(async () => void (await Promise.all([browser.close(), gateway.stop()])));
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  await page.goto(`${gateway.url}/graphql`);
  await page.locator('.graphiql-execute-button').waitFor();
  const { extensions } = await play(page);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save HAR' }).click(),
  ]);

  const session = await context.newCDPSession(page);
  const { targetInfo } = await session.send('Target.getTargetInfo');
  const tools = await context.newPage();
  const target = `127.0.0.1:${port}/devtools/page/${targetInfo.targetId}`;
  await tools.goto(
    `http://127.0.0.1:${port}/devtools/devtools_app.html?ws=${target}&panel=network`,
  );
  await tools.getByRole('button', { name: 'Import HAR file…' }).waitFor();
  await tools
    .locator('input[type=file]')
    .last()
    .setInputFiles(await download.path());
  const lines = tools.locator('tr.data-grid-data-grid-node');
  await lines.first().waitFor();
  await picture(tools, 'devtools');

  // The panel does not order calls that began in the same millisecond.
  const shown = (await lines.allInnerTexts()).map((line) =>
    line.split(/\s+/).slice(0, 2).join(' '),
  );
  const made = extensions.upstream.journal.map(
    ({ route, status }: JournalCall) =>
      `${route
        .split('/')
        .at(-1)!
        .replace(/\{(\w+)\}/, ':$1')} ${status}`,
  );
  expect(shown.sort()).toEqual(['graphql 200', ...made].sort());
});
