/** Global ids and cursors are short, and are parsed to what they were made of. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { List } from '../../src/graph/loading/list.ts';
import {
  cursorOf,
  formatCursor,
  MarkedItems,
  parseCursor,
} from '../../src/graph/loading/cursor.ts';
import { formatNodeId, parseNodeId } from '../../src/graph/types/node-id.ts';
import { MAX_ID_LENGTH } from '../../src/rest/client/path.ts';
import { planningContext } from '../../src/plan/cost.ts';
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

  it('is parsed to its raw ids', () => {
    const part = fc
      .oneof(
        fc.string({ unit: 'grapheme', minLength: 1, maxLength: 100 }),
        fc.uuid(),
        fc.uuid().map((id) => id.toUpperCase()),
        fc.uuid().map((id) => id.replaceAll('-', 'f')),
        fc.string({ minLength: 1, maxLength: 300 }),
        fc.string({ minLength: 250, maxLength: 256 }),
      )
      .filter((text) => !/^\.{1,2}$/.test(text));
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 3 }), (parts) => {
        const id = formatNodeId('Page', parts);
        expect(id).toMatch(/^[\w-]+$/);
        expect(parseNodeId(id)).toEqual({ typename: 'Page', parts });
      }),
      { numRuns: RUNS },
    );
  });

  it('is parsed to raw ids of the maximum length', () => {
    const parts = ['頁', '客', '版'].map((letter) => letter.repeat(MAX_ID_LENGTH));

    expect(parseNodeId(formatNodeId('AudienceVersion', parts)).parts).toEqual(parts);
  });
});

describe('a cursor', () => {
  const { id } = List.of(planningContext('extended'), routes.listTopics, {});
  const marked = new MarkedItems([{ topicId: 'topic_01' }, { topicId: 'topic_02' }], ['topicId']);

  it.each([
    ['of the first page', null, 28],
    ['with a cursor of the backend', 'eyJpZCI6MTIzNDU2fQ', 54],
  ])('%s is short', (_, from, length) => {
    expect(cursorOf(id, marked.startAfter(1, from))).toHaveLength(length);
  });

  it('is parsed to its position', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (position) => {
        const cursor = formatCursor('list', position);
        expect(cursor).toMatch(/^[\w-]+$/);
        expect(parseCursor('list', cursor)).toBe(position);
      }),
      { numRuns: RUNS },
    );
  });
});
