// Property: every row that fct.txt can say is read back as it was written.

import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { Diagnostics } from '../../src/base/diagnostics.js';
import { fctLine, readFct, type FctRow } from '../../src/formats/simai-fct.js';
import { rounds } from '../support/rounds.js';
import { seed } from '../support/seed.js';

const row: fc.Arbitrary<FctRow> = fc.record({
  sourceAddress: fc.nat(0xffffffff),
  destinationAddress: fc.nat(0xffffffff),
  sourcePort: fc.nat(65_535),
  destinationPort: fc.nat(65_535),
  sizeBytes: fc.maxSafeNat(),
  startNs: fc.maxSafeNat(),
  completionNs: fc.maxSafeNat(),
  standaloneNs: fc.maxSafeNat(),
});

it(`fct rows survive writing and reading (WEFT_SEED=${seed})`, () => {
  fc.assert(
    fc.property(fc.array(row, { maxLength: 20 }), (rows) => {
      const diagnostics = new Diagnostics();
      expect(readFct('f', rows.map(fctLine).join(''), diagnostics)).toEqual(rows);
      expect(diagnostics.list).toEqual([]);
    }),
    { seed, numRuns: rounds(100) },
  );
});

it(`any text gives rows or positioned errors, never an exception (WEFT_SEED=${seed})`, () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('0', '9', 'b', ' ', '\n', '\r', '-', 'é', '\t'), maxLength: 200 }),
      (text) => {
        const diagnostics = new Diagnostics();
        const rows = readFct('f', text, diagnostics);
        const lines = text.split('\n').filter((line) => line.trim() !== '').length;
        expect(rows.length + new Set(diagnostics.list.map((diagnostic) => diagnostic.line)).size).toBeLessThanOrEqual(
          lines,
        );
      },
    ),
    { seed, numRuns: rounds(100) },
  );
});
