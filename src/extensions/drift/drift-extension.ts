/** Reports contract violations at `/drift`, with the trusted documents that select the fields. */
import type { Extension } from '../../gateway/extension.ts';
import { forGet } from '../../gateway/http/site.ts';
import { driftReport } from './drift-report.ts';
import type { Drift } from './drift.ts';

export const driftExtension = (drift: Drift): Extension => ({
  calls: { onAnswer: (...answered) => drift.onAnswer(...answered) },
  operatorRoutes({ schema, trusted }) {
    return {
      '/drift': forGet(async () =>
        Response.json(driftReport(drift, { schema, trusted: trusted() })),
      ),
    };
  },
});
