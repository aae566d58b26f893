/** Keys as strings, by which loaders and lists look up their entries. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mapKeyOf } from '../../src/graph/types/key.ts';
import { cases } from '../support/cases.ts';

describe('the map key of ids', () => {
  it('is equal exactly when the ids are equal, whatever characters they contain', () => {
    const value = fc.oneof(fc.string(), fc.stringMatching(/^[a:="\d]{0,6}$/));
    const key = fc.dictionary(fc.constantFrom('a', 'b', 'c'), value);

    fc.assert(
      fc.property(key, key, (one, other) => {
        const equal = JSON.stringify(Object.entries(one)) === JSON.stringify(Object.entries(other));
        expect(mapKeyOf(one) === mapKeyOf(other)).toBe(equal);
      }),
      { numRuns: cases(1_000) },
    );
  });

  it('consists of the named ids in the given order', () => {
    const key = { audienceId: 'a', pageId: 'p' };

    expect(mapKeyOf({ ...key, name: 'Ada' }, ['pageId', 'audienceId'])).toBe(
      mapKeyOf({ pageId: 'p', audienceId: 'a' }),
    );
  });

  it('throws the error that is found instead of an id', () => {
    const broken = new Error('broken');

    expect(() => mapKeyOf({ pageId: broken })).toThrow(broken);
  });
});
