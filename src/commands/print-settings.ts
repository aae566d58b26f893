/**
 * Prints every setting with its default and its meaning: `npm run settings`.
 *
 * docs/operating.md holds what is printed; a test compares them.
 */
import { SETTINGS } from '../config.ts';
import { listOf } from '../settings/list.ts';
import { offerHelp } from './terminal.ts';

offerHelp('npm run settings\n\nPrints every setting with its default and its meaning.');
process.stdout.write(
  `${listOf({
    Listening: SETTINGS.http,
    'The backend': SETTINGS.backend,
    'Headers that pass the gateway': SETTINGS.headers,
    'Limits of a request': SETTINGS.limits,
    'Documents and caches': SETTINGS.documents,
    Subscriptions: SETTINGS.live,
    'Browsers and tools': SETTINGS.tools,
    'Several replicas': SETTINGS.fleet,
    'The process': SETTINGS.process,
    'Record and replay': SETTINGS.recording,
    Traces: SETTINGS.traces,
    'The embedded backend': SETTINGS.embedded,
  })}\n`,
);
