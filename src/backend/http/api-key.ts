/** API keys and their tenants. Only hashes are stored, so a copied database reveals no key. */
import { createHash } from 'node:crypto';
import { eq } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { apiKeys } from '../database/tables.ts';

/** SHA-256 in hex, stored in place of a key. */
export const hashKey = (key: string): string => createHash('sha256').update(key).digest('hex');

/** Finds the tenant of a key; undefined for an unknown key. */
export function tenantFinder(database: Database) {
  // Cached forever: keys are never removed at runtime. Unknown keys are not cached, which bounds memory.
  const tenants = new Map<string, string>();
  return async (key: string): Promise<string | undefined> => {
    const keyHash = hashKey(key);
    const known = tenants.get(keyHash);
    if (known !== undefined) return known;
    const row = await database.read((db) =>
      db.select().from(apiKeys).where(eq(apiKeys.keyHash, keyHash)).get(),
    );
    if (row) tenants.set(keyHash, row.tenantId);
    return row?.tenantId;
  };
}
