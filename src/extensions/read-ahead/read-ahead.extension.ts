/** Begins the calls of a query's later rounds beside its first, if its key has asked it before. */
import { systemClock } from '../../lib/clock.ts';
import type { Open } from '../../gateway/extension.ts';
import { readingAhead } from './reading-ahead.ts';

export const open: Open<object> = (_settings, { metrics }) =>
  readingAhead({ metrics, clock: systemClock });
