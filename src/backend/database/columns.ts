/** Columns that every table of the embedded backend writes alike. */
import { integer, text } from 'drizzle-orm/sqlite-core';

export const tenantId = () => text('tenant_id').notNull();
export const moment = (name: string) => integer(name);
export const json = (name: string) => text(name, { mode: 'json' });
