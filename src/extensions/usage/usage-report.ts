/** What `/usage` tells, in JSON. */
import { z } from 'zod';

const documentUsage = z.object({
  app: z.string(),
  version: z.string(),
  /** The SHA-256 of a trusted document; `other` for all that are not. */
  document: z.string(),
  operation: z.string(),
  executions: z.number(),
  /** In how many executions each was asked for, by schema coordinate. */
  uses: z.record(z.string(), z.number()),
});

export const usageReport = z.object({
  /** When counting began. */
  since: z.string(),
  documents: z.array(documentUsage),
});

export type DocumentUsage = z.infer<typeof documentUsage>;
export type UsageReport = z.infer<typeof usageReport>;
