/**
 * What GraphiQL costs: bytes and times of a first visit and of a reload, and the server's memory.
 *
 * By `npm run bench:page`, over a line of 10 Mbit/s and 40 ms. Needs Chromium. Fails when a number
 * is above its limit.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { launch } from '../browser/chromium.ts';

const LINE = {
  offline: false,
  latency: 40,
  downloadThroughput: 10_000_000 / 8,
  uploadThroughput: 10_000_000 / 8,
};

const LIMITS = { firstBytes: 1_200_000, firstMs: 2_500, reloadBytes: 30_000 };

interface Load {
  /** Over the wire, headers included, until Play can be pressed, and until nothing more comes. */
  readonly usableBytes: number;
  readonly allBytes: number;
  /** Until Play can be pressed. */
  readonly usableMs: number;
}

const gateway = spawn(process.execPath, ['dist/main.js'], {
  env: { ...process.env, PORT: '0', BACKEND_DATABASE_URL: ':memory:', LOG_LEVEL: 'info' },
  stdio: ['ignore', 'pipe', 'inherit'],
});
const browser = await launch();
try {
  const url = await urlOf();
  await (await fetch(url, { method: 'POST' })).text();
  const before = residentBytes();
  const { first, reload } = await visit(browser, url);
  const after = residentBytes();
  console.table({
    'first visit, until Play (bytes)': { value: first.usableBytes, limit: LIMITS.firstBytes },
    'first visit, until Play (ms)': { value: first.usableMs, limit: LIMITS.firstMs },
    'first visit, all but workers (bytes)': { value: first.allBytes },
    'reload, all (bytes)': { value: reload.allBytes, limit: LIMITS.reloadBytes },
    'reload, until Play (ms)': { value: reload.usableMs },
    'server, resident before (MB)': { value: Math.round(before / 1e6) },
    'server, resident after (MB)': { value: Math.round(after / 1e6) },
  });
  if (
    first.usableBytes > LIMITS.firstBytes ||
    first.usableMs > LIMITS.firstMs ||
    reload.allBytes > LIMITS.reloadBytes
  )
    process.exitCode = 1;
} finally {
  await browser.close();
  gateway.kill();
}

async function urlOf(): Promise<string> {
  let output = '';
  for await (const chunk of gateway.stdout) {
    output += String(chunk);
    const url = /http:\/\/[\w.:]+\/graphql/.exec(output)?.[0];
    if (url) return url;
  }
  throw new Error(`The gateway did not start: ${output}`);
}

/** What Linux says that the server holds. */
function residentBytes(): number {
  const [, pages] = readFileSync(`/proc/${gateway.pid}/statm`, 'utf8').split(' ');
  return Number(pages) * 4_096;
}

async function visit(chromium: Browser, url: string) {
  const page = await chromium.newPage();
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', LINE);
  const first = await load(page, session, () => page.goto(url));
  const reload = await load(page, session, () => page.reload());
  return { first, reload };
}

async function load(page: Page, session: CDPSession, open: () => Promise<unknown>): Promise<Load> {
  let bytes = 0;
  const count = ({ encodedDataLength }: { encodedDataLength: number }) =>
    void (bytes += encodedDataLength);
  session.on('Network.loadingFinished', count);
  const startMs = performance.now();
  await open();
  await page.locator('.graphiql-execute-button').waitFor();
  const usableMs = Math.round(performance.now() - startMs);
  const usableBytes = bytes;
  await page.getByText('2–12 calls').waitFor();
  await page.waitForTimeout(2_000);
  session.off('Network.loadingFinished', count);
  return { usableBytes, usableMs, allBytes: bytes };
}
