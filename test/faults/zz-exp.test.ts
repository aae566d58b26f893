import { setTimeout as sleep } from 'node:timers/promises';
import { readFileSync } from 'node:fs';
import { it } from 'vitest';
import { openStand } from '/work/wt/server/test/faults/stand.ts';
import { openCallers } from '/work/wt/server/test/faults/callers.ts';
import { routes } from '/work/wt/server/src/v0/routes.ts';
import { sampleOf } from '/work/wt/server/test/support/world.ts';
import { text } from '/work/wt/server/test/support/faults.ts';
it('rss', async () => {
  const stand = await openStand({ LOG_LEVEL: 'warn', ...(process.env.NO ? { NODE_OPTIONS: process.env.NO } : {}) });
  const rss = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${stand.gateway.process.pid}/status`, 'utf8'))![1]) / 1024;
  const list = JSON.stringify({ ...sampleOf(routes.listPersons), items: Array.from({ length: 100 }, (_, i) => ({ ...(sampleOf(routes.getPerson, { person_id: 'p' + i }) as any) })) });
  const log = sampleOf(routes.getPersonLog, { person_id: 'big', person_log_id: 'l' });
  stand.upstream.on('*', text(list));
  stand.upstream.on('GET /v0/persons', text(list));
  const callers = openCallers(stand.gateway);
  await callers.ask('{ __typename }');
  const before = rss(); let peak = 0; let n = 0;
  const t = setInterval(() => (peak = Math.max(peak, rss())), 50);
  await callers.loop(150, Number(process.env.MS ?? 8000), async () => {
    n++;
    await callers.ask(`{ ${Array.from({ length: 4 }, (_, i) => `a${i}: persons(first: 100) { nodes { id personId name email domain createdAt updatedAt } }`).join(' ')} } # ${n} ${'x'.repeat(3000)}`, { apiKey: 'k' + (n % 300) });
  });
  clearInterval(t);
  const after: string[] = []; const t0 = Date.now();
  await callers.close();
  for (let i = 0; i < 14; i++) { after.push(`${((Date.now() - t0) / 1000).toFixed(0)}s ${rss().toFixed(0)}`); await sleep(2000); }
  console.log(process.env.NO, 'before', before.toFixed(0), 'peak', peak.toFixed(0), 'n', n, after.join(' | '));
  await stand.close();
}, 120000);
