/** Limits of Redis and of traces without a setting: docs/scaling.md and docs/logs.md state them as the code has them. */
import { expect, it } from 'vitest';
import { MAX_TIMEOUTS, PROBE_MS } from '../../src/extensions/redis/breaker.ts';
import { COMMAND_TIMEOUT_MS, MAX_PAUSE_MS } from '../../src/extensions/redis/connection.ts';
import { KEPT_MS } from '../../src/extensions/redis/shared-reads.ts';
import { CLOSE_MS, COMPLAIN_MS } from '../../src/extensions/traces/tracer.ts';
import { inWords } from '../support/numbers.ts';
import { readPage, textOf } from '../support/pages.ts';

it.each([
  `No command waits longer than ${COMMAND_TIMEOUT_MS} ms`,
  `After ${inWords(MAX_TIMEOUTS)} in a row that were not answered`,
  `only ${inWords(1, 'probe')} ${inWords(PROBE_MS / 1_000, 'second')} is sent`,
  `connects again once ${inWords(MAX_PAUSE_MS / 1_000, 'second')}`,
  `Every entry expires, after ${inWords(KEPT_MS / 86_400_000, 'day')} at the latest`,
  `the log says so, once ${inWords(COMPLAIN_MS / 60_000, 'minute')} at most`,
  `the process ends ${inWords(CLOSE_MS / 1_000)} seconds later at most`,
])('the pages for operators say “%s”', (phrase) => {
  const [scaling, logs] = ['scaling', 'logs'].map((name) => readPage(`docs/${name}.md`));

  expect(textOf(scaling!) + textOf(logs!)).toContain(phrase);
});
