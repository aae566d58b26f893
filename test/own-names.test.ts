/**
 * Objects whose keys come from callers or the backend come from `dictionary()`, which has no
 * prototype: on any other, `__proto__` is dropped and `constructor` is found.
 *
 * What fills an object by computed names in another way is listed here, with its reason.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const SRC = fileURLToPath(new URL('../src', import.meta.url));

/** `Object.fromEntries(…)`, and an empty literal that is a record or is filled where it stands. */
const FILLED = /Object\.fromEntries\(|Record<[^=;]*>+ = \{\};|\?\?= \{\}\)|\{\} as [\w ]*Record/g;

/** Files, how often they do it, and why no caller chooses the names. */
const ALLOWED: Readonly<Record<string, readonly [times: number, reason: string]>> = {
  'backend/database/packed.ts': [1, 'columns of a table'],
  'backend/http/openapi.ts': [3, 'routes, methods and statuses of the document'],
  'backend/http/present.ts': [1, 'columns of a table'],
  'cache/freshness.ts': [1, 'headers that are kept'],
  'client/cache/apollo.ts': [3, 'types and fields of the schema'],
  'client/cache/graphcache.ts': [3, 'types and fields of the schema'],
  'client/cache/rules.preset.ts': [3, 'types and fields of the schema'],
  'config.ts': [1, 'groups of the settings'],
  'graph/entity/entity.ts': [4, 'parts of an entity’s key'],
  'graph/fields/outcome.ts': [1, 'fields that a mutation shows'],
  'graph/fields/reference-field.ts': [2, 'parts of an entity’s key'],
  'graph/loading/list.ts': [1, 'arguments that a field declares'],
  'impact/samples.ts': [2, 'variables of documents that operators trust'],
  'mcp/json-schema.ts': [3, 'variables and fields of documents that operators trust'],
  'plan/objects.ts': [1, 'parts of an entity’s key'],
  'plan/price.ts': [5, 'routes, and variables of documents that operators trust'],
  'recording/replayer.ts': [1, 'headers that a recording keeps'],
  'rest/client/route-discovery.ts': [1, 'routes of the table'],
  'server/gateway.ts': [1, 'paths of carriers'],
  'server/http/request-listener.ts': [1, 'headers that the reply sets'],
  'settings/setting.ts': [1, 'settings of the table'],
  'usage/sum-usage.ts': [1, 'coordinates of our own schema'],
  'usage/usage.ts': [2, 'coordinates of our own schema'],
  'v0/schemas/body.ts': [1, 'fields of the document'],
};

it('makes no object of names that callers choose but with dictionary()', () => {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.includes('generated/'),
  );
  const found = files.flatMap((file) => {
    const times = readFileSync(join(SRC, file), 'utf8').match(FILLED)?.length ?? 0;
    return times > 0 ? [[file, times] as const] : [];
  });

  const allowed = Object.entries(ALLOWED).map(([file, [times]]) => [file, times] as const);
  expect(new Map(found)).toEqual(new Map(allowed));
});
