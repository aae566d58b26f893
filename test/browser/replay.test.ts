/**
 * A frontend's run on a recording, as docs/clients.md shows it: real browsers, each with a key of its own, and no backend.
 */
import { expect, it, onTestFinished } from 'vitest';
import type { Browser } from 'playwright-core';
import { openFolder } from '../support/folder.ts';
import { startGateway } from '../support/gateway-process.ts';
import { launch } from './chromium.ts';
import { picture } from './browser.ts';

const READ = '{ topic(topicId: "topic_01") { id title } }';
const RENAME =
  'mutation ($id: ID!) { updateTopic(input: { id: $id, title: "Renamed" }) { topic { title } } }';

/** What an app does with the gateway that its page came from: reads, writes, and reads again. */
async function visitApp(browser: Browser, url: string, key: string) {
  const context = await browser.newContext({ extraHTTPHeaders: { 'x-api-key': key } });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  await page.goto(`${url}/graphql`);
  const answers = await page.evaluate(
    async ([read, rename]) => {
      const ask = async (query: string | undefined, variables: object): Promise<string> => {
        const response = await fetch('/graphql', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ query, variables }),
        });
        return response.text();
      };
      const before = await ask(read, {});
      const { id } = JSON.parse(before).data.topic as { id: string };
      return [before, await ask(rename, { id }), await ask(read, {})];
    },
    [READ, RENAME],
  );
  return { page, answers };
}

it('runs side by side from the beginning for each key, and GraphiQL says what answers', async () => {
  const folder = openFolder();
  const browser = await launch();
  onTestFinished(() => browser.close());
  const recording = await startGateway({ RECORD: folder, SCENARIO: 'rename' });
  const recorded = await visitApp(browser, recording.url, 'demo');
  await recording.stop();

  const replay = await startGateway({ REPLAY: folder, REPLAY_SPEED: '0' });
  const visits = await Promise.all(
    ['rename.1', 'rename.2', 'rename.3'].map((key) => visitApp(browser, replay.url, key)),
  );

  for (const { answers } of visits) expect(answers).toEqual(recorded.answers);
  const [{ page }] = visits as [(typeof visits)[0]];
  await page.getByText('The recording rename answers: no backend is asked.').waitFor();
  await picture(page, 'replay');
  await replay.stop();
});
