// Entries as what differs from others: carried out again they are the same, in few bytes where few differ.

import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { changesBetween, withChanges } from '../../src/routing/table-changes.js';
import { seed } from '../support/seed.js';

it(`carried out, changes make the other entries, and leave the first as they were (WEFT_SEED=${seed})`, () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(255), fc.nat(255), fc.boolean()), { maxLength: 60 }), (cells) => {
      const from = Uint8Array.from(cells, ([own]) => own);
      const before = from.slice();
      const to = Uint8Array.from(cells, ([own, other, changed]) => (changed ? other : own));
      expect([...withChanges(from, changesBetween(from, to))]).toEqual([...to]);
      expect(from).toEqual(before);
    }),
    { seed },
  );
});

it('takes five bytes for each that differs, and never more than all of them', () => {
  const from = new Uint8Array(100);
  const few = from.slice().fill(7, 10, 13);
  expect(changesBetween(from, few)).toEqual({ cells: Uint32Array.of(10, 11, 12), entries: Uint8Array.of(7, 7, 7) });
  const many = from.slice().fill(7, 10, 30);
  expect(changesBetween(from, many)).toEqual({ all: many });
});

it('are of tables of one fabric', () => {
  expect(() => changesBetween(new Uint8Array(2), new Uint8Array(3))).toThrow('two fabrics');
});
