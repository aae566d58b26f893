/**
 * The control of an attack: honest callers who make as many REST calls a second as the attacker did, each
 * for a small lookup of its own.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Attack } from './definition.ts';

/** How often requests that are due are sent, in milliseconds. */
const TICK_MS = 5;

const KEY = 'key-of-honest-callers';

export const HONEST_LOAD = 'honest load';

export const attacks: readonly Attack[] = [
  {
    point: 0,
    name: HONEST_LOAD,
    run: async (attacker) => {
      const beganMs = performance.now();
      let sent = 0;
      while (!attacker.over) {
        const due = ((performance.now() - beganMs) / 1_000) * attacker.callsASecond;
        for (; sent < due; sent++) {
          const query = 'query Honest($id: ID!) { person(personId: $id) { personId name email } }';
          const variables = { id: `h${sent}` };
          // What is left when time is over fails.
          attacker.send({ query, variables, key: KEY }).catch(() => {});
        }
        await sleep(TICK_MS);
      }
    },
  },
];
