/**
 * T104: a client whose network goes away, of which neither end of its connection is notified.
 *
 * The client is in its own network namespace, joined to ours by a pair of interfaces. Only root may make
 * one; skipped elsewhere.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import { WATCH } from '../live/support.ts';
import { KEY } from '../support/gateway-process.ts';
import { ID, openWatched } from './live-watchers.ts';

/** Unique among the runs on a machine. */
const NAME = createHash('sha256').update(String(process.pid)).digest('hex').slice(0, 8);
const [OURS, THEIRS] = [`ours-${NAME}`, `them-${NAME}`];
const NET = `10.77.${process.pid % 256}`;

const ip = (...args: readonly string[]): boolean => spawnSync('ip', args).status === 0;

const inNamespace = (...args: readonly string[]): boolean =>
  ip('netns', 'exec', NAME, 'ip', ...args);

function joinNamespace(): boolean {
  const isMade =
    ip('netns', 'add', NAME) &&
    ip('link', 'add', OURS, 'type', 'veth', 'peer', 'name', THEIRS) &&
    ip('link', 'set', THEIRS, 'netns', NAME) &&
    ip('addr', 'add', `${NET}.1/24`, 'dev', OURS) &&
    ip('link', 'set', OURS, 'up') &&
    inNamespace('addr', 'add', `${NET}.2/24`, 'dev', THEIRS) &&
    inNamespace('link', 'set', THEIRS, 'up');
  onTestFinished(() => {
    ip('link', 'del', OURS);
    ip('netns', 'del', NAME);
  });
  return isMade;
}

it('T104 ends the stream of a client that has lost its network', async ({ skip }) => {
  if (!joinNamespace()) skip('No network namespace can be made here.');
  const { gateway } = await openWatched({ HOST: '0.0.0.0' });
  const body = JSON.stringify({ query: WATCH, variables: { id: ID } });
  const headers = { 'x-api-key': KEY, 'content-type': 'application/json' };
  const script = `
    const answer = await fetch('http://${NET}.1:${gateway.port}/graphql', {
      method: 'POST',
      headers: ${JSON.stringify({ ...headers, accept: 'text/event-stream' })},
      body: ${JSON.stringify(body)},
    });
    for await (const chunk of answer.body) process.stdout.write(chunk);`;
  const node = [process.execPath, '--input-type=module', '-e', script];
  const client = spawn('ip', ['netns', 'exec', NAME, ...node]);
  onTestFinished(() => void client.kill('SIGKILL'));
  let heard = '';
  while (!heard.includes('event: next')) {
    const [chunk] = (await once(client.stdout, 'data')) as [Buffer];
    heard += chunk.toString();
  }
  expect(await gateway.metric('gateway_live_watchers')).toBe(1);

  inNamespace('link', 'set', THEIRS, 'down');

  // The next heartbeat is due after 20 s, and would never get a response.
  const watchers = () => gateway.metric('gateway_live_watchers');
  await expect.poll(watchers, { timeout: 25_000, interval: 250 }).toBe(0);
  expect(await gateway.metric('gateway_live_pollers')).toBe(0);
});
