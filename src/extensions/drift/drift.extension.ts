/** Where the backend departs from its document: counted, and told at `/drift`. */
import type { Open } from '../../gateway/extension.ts';
import { Drift } from './drift.ts';
import { driftExtension } from './drift-extension.ts';

export const open: Open<object> = (_settings, { metrics }) => {
  const departures = metrics.instruments.counter(
    'gateway_drift_total',
    'Departures of the backend from its document, by route and kind, in the answers that were looked at.',
    ['method', 'route', 'kind'],
  );
  const drift = new Drift({
    onDeparture: ({ method, path: route }, kind) => departures.inc({ method, route, kind }),
  });
  return driftExtension(drift);
};
