/**
 * The scripts of a lease, run by a real Redis, against a model: whatever several processes do in whatever order, one
 * of them holds the lease, tokens grow, and nobody else shares anything.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HOLD, RELEASE, SHARE } from '../../src/shared-state/lease-scripts.ts';
import type { Script } from '../../src/shared-state/redis/connection.ts';
import { hasRedis, openRedis, type RedisServer } from '../support/redis.ts';

const LEASE = 'gateway:1:test:lease';
const SHARED = 'gateway:1:test:shared';

interface Model {
  holder: string | undefined;
  /** The last token of each process, and the highest of all. */
  tokens: Map<string, string>;
  highest: string;
  shared: string;
  count: number;
}

/** As the connection does, without its timeout. */
const run = (
  redis: RedisServer,
  { lua }: Script,
  keys: readonly string[],
  args: readonly (string | number)[],
) => redis.command('EVAL', lua, keys.length, ...keys, ...args);

const HOLDERS = ['one', 'two', 'three'];

const commands = HOLDERS.flatMap((name) => [
  command(`${name} holds`, async (model, redis) => {
    const [isMine, token, shared] = (await run(
      redis,
      HOLD,
      [LEASE, SHARED],
      [name, 60_000, '0', ''],
    )) as [number, string, string];
    expect(isMine === 1).toBe(model.holder === undefined || model.holder === name);
    expect(shared).toBe(model.shared);
    expect(token).toMatch(/^\d{16}$/);
    if (model.holder === undefined) {
      expect(token > model.highest).toBe(true);
      Object.assign(model, { holder: name, highest: token });
      model.tokens.set(name, token);
    }
    expect(token).toBe(model.tokens.get(model.holder!));
  }),
  command(`${name} shares`, async (model, redis) => {
    const token = model.tokens.get(name) ?? '0000000000000000';
    const entry = `${token} ${(model.count += 1)} {}`;
    const isShared = await run(
      redis,
      SHARE,
      [LEASE, SHARED],
      [`${token}:${name}`, entry, 60_000, 'gateway:1:test:channel'],
    );
    expect(isShared === 1).toBe(model.holder === name);
    if (isShared === 1) model.shared = entry;
  }),
  command(`${name} releases`, async (model, redis) => {
    const token = model.tokens.get(name) ?? '0000000000000000';
    const held = [`${token}:${name}`, 'gateway:1:test:channel'];
    const isReleased = await run(redis, RELEASE, [LEASE], held);
    expect(isReleased === 1).toBe(model.holder === name);
    if (isReleased === 1) model.holder = undefined;
  }),
]).concat(
  command('the lease expires', async (model, redis) => {
    await redis.command('DEL', LEASE);
    model.holder = undefined;
  }),
  command('Redis is emptied', async (model, redis) => {
    await redis.command('FLUSHALL');
    Object.assign(model, { holder: undefined, shared: '' });
  }),
);

function command(
  name: string,
  run: (model: Model, redis: RedisServer) => Promise<void>,
): fc.Arbitrary<fc.AsyncCommand<Model, RedisServer>> {
  return fc.constant({ check: () => true, run, toString: () => name });
}

describe.skipIf(!hasRedis)('the scripts of a lease', () => {
  it('do what the model does, whatever is done in whatever order', async () => {
    const redis = await openRedis();

    await fc.assert(
      fc.asyncProperty(fc.commands(commands, { maxCommands: 40 }), async (sequence) => {
        await redis.command('FLUSHALL');
        const tokens = new Map<string, string>();
        const model = { holder: undefined, tokens, highest: '', shared: '', count: 0 };
        await fc.asyncModelRun(() => ({ model, real: redis }), sequence);
      }),
      { numRuns: Number(process.env['CASES'] ?? 1) * 100 },
    );
  });

  it('give a higher token than any that was seen, though the clock of Redis is behind', async () => {
    const redis = await openRedis();

    const future = '9000000000000000';
    const answer = await run(redis, HOLD, [LEASE, SHARED], ['one', 60_000, future, '']);

    expect(answer).toEqual([1, '9000000000000001', '']);
  });

  it('give a higher token after Redis was killed and comes back empty', async () => {
    const redis = await openRedis();
    const hold = async (name: string) => {
      const answer = await run(redis, HOLD, [LEASE, SHARED], [name, 60_000, '0', '']);
      return (answer as [number, string])[1];
    };

    const before = await hold('one');
    await redis.kill();
    await redis.start();
    const after = await hold('two');

    expect(after > before).toBe(true);
    const late = [`${before}:one`, 'too late', 60_000, 'gateway:1:test:channel'];
    expect(await run(redis, SHARE, [LEASE, SHARED], late)).toBe(0);
  });
});
