/**
 * What a lease is in Redis: `token:holder`, where the token has 16 digits and is the server's time in microseconds
 * when it was given. A counter would begin anew in an empty Redis, and an old holder's token would be the higher one.
 */
import type { Script } from './redis/connection.ts';

/**
 * Takes the lease, renews it, or tells whose it is.
 *
 * KEYS lease, shared. ARGV holder, ms, the highest token the caller has seen, what it has read of what is shared.
 * Answers whether it is the caller's, its token, and what was shared last, or '' where the caller knows it.
 */
export const HOLD: Script = {
  name: 'gatewayHold',
  lua: `
local lease = redis.call('GET', KEYS[1])
local shared = redis.call('GET', KEYS[2]) or ''
if string.sub(shared, 1, #ARGV[4]) == ARGV[4] and ARGV[4] ~= '' then shared = '' end
if lease then
  local isMine = string.sub(lease, 18) == ARGV[1]
  if isMine then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
  return {isMine and 1 or 0, string.sub(lease, 1, 16), shared}
end
local time = redis.call('TIME')
local token = math.max(time[1] * 1000000 + time[2], tonumber(ARGV[3]) + 1)
token = string.format('%016.0f', token)
redis.call('SET', KEYS[1], token .. ':' .. ARGV[1], 'PX', ARGV[2])
return {1, token, shared}
`,
};

/** Shares, where the lease is still the caller's. KEYS lease, shared. ARGV lease, entry, ms, channel. */
export const SHARE: Script = {
  name: 'gatewayShare',
  lua: `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[2], ARGV[2], 'PX', ARGV[3])
redis.call('PUBLISH', ARGV[4], 'shared ' .. ARGV[2])
return 1
`,
};

/** Gives the lease back. KEYS lease. ARGV lease, channel. */
export const RELEASE: Script = {
  name: 'gatewayRelease',
  lua: `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('DEL', KEYS[1])
redis.call('PUBLISH', ARGV[2], 'free')
return 1
`,
};
