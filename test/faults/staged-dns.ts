/**
 * Loaded into a gateway by T20, and by tests in their own process: a file decides what `backend.test` resolves to, and
 * `localhost.`, which certificates for `localhost` are valid for.
 *
 * The file holds addresses with spaces between them, or the code to fail with. Other names are looked up as usual.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isIP } from 'node:net';
import type { LookupAddress, LookupOptions } from 'node:dns';

type Callback = (
  error: NodeJS.ErrnoException | null,
  address?: string | LookupAddress[],
  family?: number,
) => void;
type Lookup = (host: string, options: LookupOptions, callback: Callback) => void;

// The CommonJS module is the one that `net` uses.
const dns = createRequire(import.meta.url)('node:dns') as { lookup: Lookup };
const real = dns.lookup;

dns.lookup = (host, options, callback) => {
  if (host !== 'backend.test' && host !== 'localhost.') {
    real(host, options, callback);
    return;
  }
  const answer = readFileSync(process.env['STAGED_DNS']!, 'utf8').trim();
  process.nextTick(() => {
    if (/^[A-Z]/.test(answer)) {
      callback(Object.assign(new Error(`getaddrinfo ${answer} ${host}`), { code: answer }));
    } else if (options.all) {
      const addresses = answer.split(' ').map((address) => ({ address, family: isIP(address) }));
      callback(null, addresses);
    } else {
      callback(null, answer.split(' ')[0], 4);
    }
  });
};
