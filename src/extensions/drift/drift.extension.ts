/** Counts contract violations of the backend, and reports them at `/drift`. */
import type { Open } from '../../gateway/extension.ts';
import { Drift } from './drift.ts';
import { driftExtension } from './drift-extension.ts';

export const open: Open<object> = (_settings, { metrics }) => {
  const violations = metrics.instruments.counter(
    'gateway_drift_total',
    'Departures of the backend from its document, by route and kind, in the answers that were looked at.',
    ['method', 'route', 'kind'],
  );
  const drift = new Drift({
    onViolation: ({ method, path: route }, kind) => violations.inc({ method, route, kind }),
  });
  return driftExtension(drift);
};
