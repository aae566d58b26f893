/** How a request has ended, for the log and the metrics. */
import type { RequestRecord } from '../operation/request-record.ts';

/**
 * `ok`: data without errors. `partial`: data with errors. `refused`: errors alone, of the caller's.
 * `failed`: errors alone, of ours or the backend's. `abandoned`: the caller has left.
 */
export type Outcome = 'ok' | 'partial' | 'refused' | 'failed' | 'abandoned';

export function outcomeOf({ leaving, errors, hasData }: RequestRecord, status: number): Outcome {
  if (leaving.cancelled) return 'abandoned';
  if (status >= 500) return 'failed';
  if (status < 400 && !errors?.length) return 'ok';
  return hasData ? 'partial' : 'refused';
}
