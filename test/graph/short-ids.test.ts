/** T40, T41: global ids and cursors are short, and no other text is parsed as one. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cursorOf } from '../../src/graph/loading/page-request.ts';
import { List } from '../../src/graph/loading/list.ts';
import { formatCursor, parseCursor } from '../../src/graph/types/cursor.ts';
import { formatNodeId, parseNodeId } from '../../src/graph/types/node-id.ts';
import { planningContext } from '../../src/plan/cost.ts';
import { segmentFault } from '../../src/rest/client/path.ts';
import { schema } from '../../src/app/schema.ts';
import { routes } from '../../src/v0/routes.ts';
import { cases } from '../support/cases.ts';
import { IDS } from '../support/ids.ts';

const RUNS = cases(500);

const UUIDS = [
  '0190a6c2-7b1e-7cc3-98c4-dc0c0c07398f',
  '0190a6c2-7b1e-7cc3-98c4-dc0c0c073990',
  '0190a6c2-7b1e-7cc3-98c4-dc0c0c073991',
];

describe('a global id', () => {
  it('has 76 characters for three UUIDs and 28 for the raw id of a page', () => {
    expect(schema.getType('AudienceVersion')).toBeDefined();
    expect(formatNodeId('AudienceVersion', UUIDS)).toHaveLength(76);
    expect(formatNodeId('Page', [IDS.page])).toHaveLength(28);
  });

  it('is parsed to its raw ids, or refused when one of them may not stand in a path', () => {
    const part = fc.oneof(
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 100 }),
      fc.uuid(),
      fc.uuid().map((id) => id.toUpperCase()),
      fc.string({ minLength: 1, maxLength: 300 }).filter((text) => !/^\.{1,2}$/.test(text)),
    );
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 3 }), (parts) => {
        const id = formatNodeId('Page', parts);
        expect(id).toMatch(/^[\w-]+$/);
        if (parts.every((part) => segmentFault(part) === undefined)) {
          expect(parseNodeId(id)).toEqual({ typename: 'Page', parts });
        } else expect(() => parseNodeId(id)).toThrow(/is not a global id/);
      }),
      { numRuns: RUNS },
    );
  });

  it('T40: is not parsed from random or altered text', () => {
    const known = new Set(Array.from({ length: 100 }, (_, i) => formatNodeId('Person', [`p${i}`])));
    const altered = fc
      .tuple(fc.constantFrom(...known), fc.nat(), fc.base64String({ minLength: 1, maxLength: 4 }))
      .map(([id, at, put]) => id.slice(0, at % id.length) + put + id.slice((at % id.length) + 1));

    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.base64String(), altered), (id) => {
        if (known.has(id)) return;
        expect(() => parseNodeId(id)).toThrow(/is not a global id/);
      }),
      { numRuns: RUNS },
    );
  });

  it('is refused when a bit is flipped, or when it is truncated', () => {
    const id = formatNodeId('AudienceVersion', UUIDS);
    const bytes = Buffer.from(id, 'base64url');
    for (let i = 0; i < bytes.length; i++) {
      const changed = Buffer.from(bytes);
      changed[i]! ^= 1;
      expect(() => parseNodeId(changed.toString('base64url'))).toThrow(/is not a global id/);
      expect(() => parseNodeId(bytes.subarray(0, i).toString('base64url'))).toThrow();
    }
  });
});

describe('a cursor', () => {
  const list = List.of(planningContext('extended'), routes.listTopics, {});

  it.each([
    ['of the first page', 7, null, 7],
    ['with a cursor of the backend', 99, 'eyJpZCI6MTIzNDU2fQ', 34],
  ])('%s is short', (_, skip, from, length) => {
    expect(cursorOf(list, { skip, from })).toHaveLength(length);
  });

  it('T41: is parsed by its own list alone, and refused when a byte is changed', () => {
    const position = fc.string({ unit: 'grapheme', minLength: 1 });
    fc.assert(
      fc.property(position, fc.nat(), fc.nat(255), (position, at, byte) => {
        const cursor = formatCursor('list', position);
        expect(parseCursor('list', cursor, 'after')).toBe(position);
        expect(() => parseCursor('other', cursor, 'after')).toThrow();
        const bytes = Buffer.from(cursor, 'base64url');
        const old = bytes[at % bytes.length]!;
        bytes[at % bytes.length] = byte;
        if (byte !== old) {
          expect(() => parseCursor('list', bytes.toString('base64url'), 'after')).toThrow();
        }
      }),
      { numRuns: RUNS },
    );
  });

  it('T41: is refused with a character in it that decoders of base64 skip', () => {
    const skipped = fc.constantFrom('=', '!', '*', ' ', '\n', '\u0000', '.', 'é');
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.nat(), skipped, (position, at, character) => {
        const cursor = formatCursor('list', position);
        const place = at % (cursor.length + 1);
        const changed = cursor.slice(0, place) + character + cursor.slice(place);
        expect(() => parseCursor('list', changed, 'after')).toThrow(/not a cursor of this list/);
      }),
      { numRuns: RUNS },
    );
  });

  it('T41: is not parsed from random text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.base64String()), (cursor) => {
        expect(() => parseCursor('list', cursor, 'after')).toThrow(/not a cursor of this list/);
      }),
      { numRuns: RUNS },
    );
  });
});
