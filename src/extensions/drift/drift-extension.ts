/** Tells at `/drift` where the backend departs from its document, with the trusted documents that select it. */
import type { Extension } from '../../gateway/extension.ts';
import { forGet } from '../../gateway/http/site.ts';
import { driftReport, type UsesOf } from './drift-report.ts';
import type { Drift } from './drift.ts';
import { sumDrift } from './sum-drift.ts';

/** @param usesOf the schema coordinates that an operation uses. */
export const driftExtension = (drift: Drift, usesOf: UsesOf): Extension => ({
  operatorRoutes({ gather, schema, trusted }) {
    const reports = gather('drift', () =>
      driftReport(drift, { schema, usesOf, trusted: trusted() }),
    );
    return { '/drift': forGet(async () => Response.json(sumDrift(await reports()))) };
  },
});
