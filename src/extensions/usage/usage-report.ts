/** The report of `/usage`. */
import { z } from 'zod';

const documentUsage = z.object({
  app: z.string(),
  version: z.string(),
  /** SHA-256 of a trusted document; `other` for others. */
  document: z.string(),
  operation: z.string(),
  executions: z.number(),
  /** Number of executions by schema coordinate. */
  uses: z.record(z.string(), z.number()),
});

export const usageReport = z.object({
  /** Start of counting. */
  since: z.string(),
  documents: z.array(documentUsage),
});

export type DocumentUsage = z.infer<typeof documentUsage>;
export type UsageReport = z.infer<typeof usageReport>;
