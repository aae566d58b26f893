/**
 * Attacks by amount: floods of one key and of invented keys, pipelining, slow readers, and many
 * connections.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { INVENTED, type Attack, type Attacker, type Post } from './definition.ts';
import { KEY, pipelineRead, rawPost, readNothing } from './raw.ts';

/** Twenty lookups of objects that no other request asks for. */
const twenty = (turn: number): Post => ({
  query: TWENTY,
  variables: Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`v${i}`, `a${turn}-${i}`])),
  key: KEY,
});
const numbers = Array.from({ length: 20 }, (_, i) => i);
const TWENTY = `query (${numbers.map((i) => `$v${i}: ID!`).join(' ')}) { ${numbers
  .map((i) => `p${i}: person(personId: $v${i}) { name }`)
  .join(' ')} }`;

/** A document close to the limits, another one each time. */
const large = (turn: number): Post => ({
  query: `query L${turn} { ${numbers
    .map(
      (i) => `a${i}: page(pageId: "x${turn}") { pageId name title status createdAt updatedAt
        metadata { title description author canonicalUrl ogTitle ogDescription ogSiteName }
        actions { actionId purpose buttonTitle url } footerLinks { title links { text url } }
        audiences(first: 1) { nodes { audienceId effectiveName status computedName customName
          latestVersion { versionId versionNumber status } person { personId name email } } } }`,
    )
    .join(' ')} }`,
  key: KEY,
});

/** A request of 300 bytes with an answer of about 400 KB. */
const LARGE_ANSWER = rawPost(
  '{"query":"{page(pageId:\\"p\\"){audiences(first:100){nodes{page{audiences(first:100){nodes{id computedName effectiveName status createdAt pageId audienceId}}}}}}}"}',
);
const SMALL_ANSWER = rawPost('{"query":"{__typename}"}', {});

/** Reads an answer at a kilobyte a second. */
async function readSlowly(attacker: Attacker, request: string): Promise<void> {
  while (!attacker.over) {
    const socket = attacker.connect();
    socket.pause();
    socket.write(request);
    attacker.count('requests');
    while (!attacker.over && !socket.destroyed) {
      await sleep(Math.min(1_000, attacker.leftMs));
      socket.read(1_024);
    }
    socket.resetAndDestroy();
  }
}

/** Opens ten thousand connections in quick succession, and holds half of them. */
async function connectTenThousand(attacker: Attacker): Promise<void> {
  const held: ReturnType<Attacker['connect']>[] = [];
  for (let i = 0; i < 10_000 && !attacker.over; i++) {
    const socket = attacker.connect();
    socket.once('close', () => attacker.count('closed by the gateway'));
    held.push(socket);
    if (held.length > 5_000) held.shift()!.removeAllListeners('close').resetAndDestroy();
    if (i % 50 === 0) await sleep(5);
  }
  await sleep(attacker.leftMs);
  for (const socket of held) socket.removeAllListeners('close');
}

/** Opens a thousand connections, asks on each, and leaves all of them at one moment. */
async function leaveTogether(attacker: Attacker): Promise<void> {
  for (let turn = 0; !attacker.over;) {
    const sockets = Array.from({ length: 1_000 }, () => attacker.connect());
    for (const socket of sockets) {
      const query = `{ person(personId: "l${turn++}") { name } }`;
      socket.resume().write(rawPost(JSON.stringify({ query })));
      attacker.count('requests');
    }
    await sleep(500);
    for (const socket of sockets) socket.resetAndDestroy();
    await sleep(100);
  }
}

const many = (count: number, one: () => Promise<void>): Promise<unknown> =>
  Promise.all(Array.from({ length: count }, one));

export const attacks: readonly Attack[] = [
  {
    point: 4,
    name: '100 × 20 lookups of one key, shed and asked again',
    backend: { latencyMs: 300 },
    requests: [twenty],
    run: ({ loop, ask, count }) => {
      let turn = 0;
      return loop(100, async () => {
        const { status } = await ask(twenty(turn++));
        count(`status ${status}`);
      });
    },
  },
  {
    point: 4,
    name: 'large documents, each a new one',
    requests: [large],
    run: ({ loop, send }) => {
      let turn = 0;
      return loop(50, () => send(large(++turn)));
    },
  },
  {
    point: 6,
    name: 'a flood of invented keys',
    run: ({ loop, ask, count }) => {
      let turn = 0;
      return loop(100, async () => {
        const query = `{ person(personId: "i${turn}") { name } }`;
        const { text } = await ask({ query, key: `${INVENTED}${turn++}` });
        count(/"code":"(\w+)"/.exec(text)?.[1] ?? 'data');
      });
    },
  },
  {
    point: 6,
    name: 'invented keys, twenty slow lookups each',
    backend: { latencyMs: 300 },
    run: ({ loop, ask, count }) => {
      let turn = 0;
      return loop(100, async () => {
        const { text } = await ask({ ...twenty(turn), key: `${INVENTED}${turn++}` });
        count(/"code":"(\w+)"/.exec(text)?.[1] ?? 'data');
      });
    },
  },
  {
    point: 7,
    name: '4 × 240 requests pipelined, nothing read',
    returnsMemory: true,
    run: async (attacker) => {
      await many(4, () => readNothing(attacker, LARGE_ANSWER, 240));
    },
  },
  {
    point: 7,
    name: '20 × 9,000 requests pipelined',
    returnsMemory: true,
    run: async (attacker) => {
      await attacker.loop(20, () => pipelineRead(attacker, 9_000, () => SMALL_ANSWER));
    },
  },
  {
    point: 7,
    name: '300 slow readers',
    returnsMemory: true,
    run: async (attacker) => {
      await many(300, () => readSlowly(attacker, LARGE_ANSWER));
    },
  },
  {
    point: 7,
    name: 'ten thousand connections',
    // What another machine may have without this; the attacker is on this one, which may have all.
    env: { MAX_CONNECTIONS_PER_ADDRESS: '1024' },
    returnsMemory: true,
    run: connectTenThousand,
  },
  {
    point: 7,
    name: 'a thousand lookups left at one moment',
    run: leaveTogether,
  },
];
