/**
 * The flat error body.
 *
 * Assumed: from the public reference; the document shows none. All fields are optional: the HTTP status is sufficient.
 */
import { z } from 'zod';

export const ErrorBody = z.object({
  code: z.string().optional().catch(undefined),
  message: z.string().optional().catch(undefined),
  requestId: z.string().optional().catch(undefined),
  details: z
    .looseObject({
      field: z.string().optional().catch(undefined),
      reason: z.string().optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
});
export type ErrorBody = z.infer<typeof ErrorBody>;
