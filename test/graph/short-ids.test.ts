/** Global ids and cursors are short, and those that version 0.1 gave out still work. */
import { createHmac, hkdfSync } from 'node:crypto';
import { crc32 } from 'node:zlib';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openCursor, sealCursor } from '../../src/graph/connection/cursor.ts';
import { createContext } from '../../src/graph/context.ts';
import { formatNodeId, parseNodeId } from '../../src/graph/types/node-id.ts';
import { planningContext } from '../../src/plan/cost.ts';
import { schema } from '../../src/schema.ts';
import { IDS } from '../support/ids.ts';
import { openStack } from '../support/open-stack.ts';

const UUIDS = [
  '0190a6c2-7b1e-7cc3-98c4-dc0c0c07398f',
  '0190a6c2-7b1e-7cc3-98c4-dc0c0c073990',
  '0190a6c2-7b1e-7cc3-98c4-dc0c0c073991',
];

/** As version 0.1 wrote it. */
function oldId(typename: string, parts: readonly string[]): string {
  const text = Buffer.from(typename + JSON.stringify(parts));
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(text));
  return Buffer.concat([checksum, text]).toString('base64url');
}

describe('a global id', () => {
  it('is little longer than the raw ids in it, and shorter where they are UUIDs', () => {
    expect(schema.getType('AudienceVersion')).toBeDefined();
    expect(formatNodeId('AudienceVersion', UUIDS)).toHaveLength(76);
    expect(oldId('AudienceVersion', UUIDS)).toHaveLength(183);
    expect(formatNodeId('Page', [IDS.page])).toHaveLength(28);
    expect(oldId('Page', [IDS.page])).toHaveLength(35);
  });

  it('is read back, whatever the raw ids are', () => {
    const part = fc.oneof(
      fc.uuid(),
      fc.uuid().map((id) => id.toUpperCase()),
      fc.string({ minLength: 1, maxLength: 300 }).filter((text) => !/^\.{1,2}$/.test(text)),
    );
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 3 }), (parts) => {
        const id = formatNodeId('Page', parts);
        expect(id).toMatch(/^[\w-]+$/);
        try {
          expect(parseNodeId(id)).toEqual({ typename: 'Page', parts });
        } catch (error) {
          // Some texts may not stand in a path, as before.
          expect(() => parseNodeId(oldId('Page', parts))).toThrow(
            (error as Error).message.slice(-60),
          );
        }
      }),
    );
  });

  it('is refused when it is cut or changed', () => {
    const id = formatNodeId('AudienceVersion', UUIDS);
    const bytes = Buffer.from(id, 'base64url');
    for (let i = 0; i < bytes.length; i++) {
      const changed = Buffer.from(bytes);
      changed[i]! ^= 1;
      expect(() => parseNodeId(changed.toString('base64url'))).toThrow(/is not a global id/);
      expect(() => parseNodeId(bytes.subarray(0, i).toString('base64url'))).toThrow();
    }
  });

  it('of version 0.1 is answered with the one of today', async () => {
    const stack = await openStack();
    const id = oldId('Audience', [IDS.page, IDS.audience]);

    const { data } = await stack.query(
      `{ node(id: "${id}") { id ... on Audience { audienceId } } }`,
    );

    expect(data['node']).toEqual({
      id: formatNodeId('Audience', [IDS.page, IDS.audience]),
      audienceId: IDS.audience,
    });
  });
});

describe('a cursor', () => {
  const { rest } = planningContext('extended');
  const context = createContext(rest, { apiKey: 'mine' });

  /** As version 0.1 sealed it. */
  function oldCursor(position: unknown): string {
    const text = Buffer.from(JSON.stringify(position));
    const key = Buffer.from(hkdfSync('sha256', 'mine', '', 'content-pages-gateway cursor', 32));
    const seal = createHmac('sha256', key).update('4:list').update(text).digest().subarray(0, 9);
    return Buffer.concat([seal, text]).toString('base64url');
  }

  it.each([
    ['of the first page', [7, null], 15],
    ['with a cursor of the backend in base64url', [99, 'eyJpZCI6MTIzNDU2fQ'], 32],
    ['with any other', [0, 'page two'], 26],
  ])('%s is short', (_, position, length) => {
    const cursor = sealCursor(context, 'list', position);

    expect(cursor).toHaveLength(length);
    expect(openCursor(context, 'list', cursor, 'after')).toEqual(position);
  });

  it('is opened to what was sealed, in either form', () => {
    const position = fc.oneof(
      fc.tuple(fc.nat(300), fc.option(fc.oneof(fc.string({ unit: 'binary' }), fc.base64String()))),
      fc.array(fc.string()),
      fc.nat(),
    );
    fc.assert(
      fc.property(position, (position) => {
        const seen: unknown = JSON.parse(JSON.stringify(position));
        for (const cursor of [sealCursor(context, 'list', position), oldCursor(position)]) {
          expect(openCursor(context, 'list', cursor, 'after')).toEqual(seen);
        }
      }),
    );
  });
});
