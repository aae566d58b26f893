/** Limits of Redis and of traces without a setting: docs/scaling.md and docs/logs.md state them as the code has them. */
import { expect, it } from 'vitest';
import {
  COMMAND_TIMEOUT_MS,
  MAX_DELAY_MS,
  MAX_TIMEOUTS,
} from '../../src/extensions/redis/connection.ts';
import { KEPT_MS } from '../../src/extensions/redis/shared-reads.ts';
import { CLOSE_MS, FAILURE_LOG_INTERVAL_MS } from '../../src/extensions/traces/tracer.ts';
import { inSeconds } from '../support/numbers.ts';
import { readPage, textOf } from '../support/pages.ts';

it.each([
  `No command waits longer than ${COMMAND_TIMEOUT_MS} ms`,
  `After ${MAX_TIMEOUTS} consecutive commands without a reply`,
  `connections with delays of up to ${inSeconds(MAX_DELAY_MS)}`,
  `reconnects every ${inSeconds(MAX_DELAY_MS)}`,
  `Every entry expires within ${KEPT_MS / 3_600_000} h`,
  `a warning at most every ${inSeconds(FAILURE_LOG_INTERVAL_MS)}`,
  `delays shutdown by at most ${inSeconds(CLOSE_MS)}`,
])('the docs for operators contain “%s”', (phrase) => {
  const [scaling, logs] = ['scaling', 'logs'].map((name) => readPage(`docs/${name}.md`));

  expect(textOf(scaling!) + textOf(logs!)).toContain(phrase);
});
