/**
 * The process of an attacker: executes one attack until its time is over, then prints what it saw as one
 * line. A separate process, because an attacker who keeps a core busy would delay the victim's clock.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent } from 'undici';
import { attacks } from './attacks.ts';
import { bodyOf, headersOf, type Attacker, type AttackReport } from './definition.ts';
import { VICTIM_KEY } from './victim.ts';

/** What `load.ts` passes as the only argument, in JSON. */
export interface AttackerArguments {
  readonly name: string;
  readonly url: string;
  readonly backendUrl: string;
  readonly seconds: number;
}

// Written by load.ts, which has the same type.
const report = await carryOut(JSON.parse(process.argv[2]!) as AttackerArguments);
process.stdout.write(`REPORT ${JSON.stringify(report)}\n`, () => process.exit(0));

async function carryOut(given: AttackerArguments): Promise<AttackReport> {
  const attack = attacks.find(({ name }) => name === given.name);
  if (!attack) throw new Error(`No attack "${given.name}".`);
  const agent = new Agent({ headersTimeout: 60_000, bodyTimeout: 60_000 });
  const endMs = performance.now() + given.seconds * 1_000;
  const facts: Record<string, number> = {};
  const wrong: Record<string, number> = {};
  let requests = 0;
  const add = (counts: Record<string, number>, what: string) => {
    counts[what] = (counts[what] ?? 0) + 1;
  };
  const attacker: Attacker = {
    url: given.url,
    backendUrl: given.backendUrl,
    get isOver() {
      return performance.now() >= endMs;
    },
    ask: async (post, signal) => {
      requests += 1;
      const { statusCode, body } = await agent.request({
        origin: given.url,
        path: '/graphql',
        method: 'POST',
        headers: headersOf(post),
        body: bodyOf(post),
        ...(signal && { signal }),
      });
      const text = await body.text();
      add(facts, `status ${statusCode}`);
      if (text.includes(VICTIM_KEY)) add(wrong, "A response contained the victim's data.");
      return { status: statusCode, text };
    },
    loop: async (callers, turn) => {
      await Promise.all(
        Array.from({ length: callers }, async (_, caller) => {
          while (!attacker.isOver) {
            try {
              await turn(caller);
            } catch {
              if (attacker.isOver) return;
              add(facts, 'cancelled or failed');
              await sleep(5); // a gateway that has ended refuses connections in no time
            }
          }
        }),
      );
    },
    count: (fact) => {
      if (fact === 'request') requests += 1;
      else add(facts, fact);
    },
    wrong: (complaint) => add(wrong, complaint),
  };
  process.stdout.write('BEGUN\n');
  // Requests that still wait for a response then are cancelled.
  const cut = setTimeout(() => void agent.destroy(), given.seconds * 1_000);
  await attack.run(attacker);
  clearTimeout(cut);
  return { requests, facts, wrong };
}
