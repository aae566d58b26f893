/** Reports contract violations at `/drift`, with the trusted documents that select the fields. */
import type { Extension } from '../../gateway/extension.ts';
import { forGet } from '../../gateway/http/site.ts';
import { driftReport } from './drift-report.ts';
import type { Drift } from './drift.ts';
import { sumDrift } from './sum-drift.ts';

export const driftExtension = (drift: Drift): Extension => ({
  calls: { onAnswer: (...answered) => drift.onAnswer(...answered) },
  operatorRoutes({ gather, schema, trusted }) {
    const reports = gather('drift', () => driftReport(drift, { schema, trusted: trusted() }));
    return { '/drift': forGet(async () => Response.json(sumDrift(await reports()))) };
  },
});
