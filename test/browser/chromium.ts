/**
 * Chromium: the one that `CHROMIUM_PATH` names, or the first of the usual places.
 */
import { existsSync } from 'node:fs';
import { chromium, type Browser, type LaunchOptions } from 'playwright-core';

const PLACES = [
  process.env['CHROMIUM_PATH'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/**
 * How Playwright starts it.
 *
 * @param flags in addition to those that every test needs.
 */
export function chromiumOptions(...flags: string[]): LaunchOptions {
  const executablePath = PLACES.find((place) => place !== undefined && existsSync(place));
  if (!executablePath)
    throw new Error('Chromium is not installed. Install it, or set CHROMIUM_PATH.');
  return { executablePath, args: [...FLAGS, ...flags] };
}

export const launch = (...flags: string[]): Promise<Browser> =>
  chromium.launch(chromiumOptions(...flags));
