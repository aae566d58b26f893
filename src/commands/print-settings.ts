/**
 * Prints every setting with its default and its meaning: `npm run settings`.
 *
 * docs/operating.md holds what is printed; a test compares them.
 */
import { SETTINGS } from '../config.ts';
import { listOf } from '../settings/list.ts';

const {
  http,
  backend,
  headers,
  limits,
  documents,
  live,
  tools,
  fleet,
  process: own,
  recording,
  traces,
  hive,
  embedded,
} = SETTINGS;

process.stdout.write(
  `${listOf({
    Listening: http,
    'The backend': backend,
    'Headers that pass the gateway': headers,
    'Limits of a request': limits,
    'Documents and caches': documents,
    Subscriptions: live,
    'Browsers and tools': tools,
    'Several replicas': fleet,
    'The process': own,
    'Record and replay': recording,
    Traces: traces,
    'GraphQL Hive': hive,
    'The embedded backend': embedded,
  })}\n`,
);
