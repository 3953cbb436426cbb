// Files of size distributions: what is read, and each mistake at its place.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Diagnostics } from '../../src/base/diagnostics.js';
import { readSizeDistribution } from '../../src/formats/size-distribution.js';
import { seed } from '../support/seed.js';

function mistakes(text: string): string[] {
  const diagnostics = new Diagnostics();
  expect(readSizeDistribution(text, 'sizes.txt', diagnostics)).toBe(null);
  return diagnostics.list.map(({ line, column, code, got }) => `${line}:${column} ${code} ${got}`);
}

describe('a file of sizes', () => {
  it.each([
    ['blanks', '0 0\n1000 50\n3000 100\n'],
    ['commas, comments, CRLF and a mark', '\ufeff# sizes\r\n0, 0 # none\r\n\r\n1e3,50\r\n3000,100.0\r\n'],
    ['tabs, no end of line', '0\t0\n1000\t50\n3000\t100'],
  ])('is read with %s', (_, text) => {
    const sizes = readSizeDistribution(text, 'sizes.txt', new Diagnostics())!;
    // 0.5 x 500 + 0.5 x 2000
    expect(sizes.meanBytes).toBe(1250);
    expect(sizes.sizeAt(0.75)).toBe(2000);
  });

  it.each([
    ['0 0\n1000\n', ['2:1 sizes-field-count 1000']],
    ['0 0\n10 20 30\n', ['2:1 sizes-field-count 10 20 30']],
    ['x 0\n -5 3\n300000000000 4\n', ['1:1 sizes-bytes x', '2:2 sizes-bytes -5', '3:1 sizes-bytes 300000000000']],
    ['0 0\n10 101\n10 1O\n', ['2:4 sizes-percent 101', '3:4 sizes-percent 1O']],
    ['10 0\n5 50\n20 40\n20 30\n', ['2:1 sizes-order 5', '4:4 sizes-order 30']],
    ['0 0\n10 99\n', ['3:1 sizes-end 99 %']],
    ['# nothing\n', ['2:1 sizes-end no point']],
    ['0 100\n', ['2:1 sizes-zero 0']],
  ])('%j is refused', (text, wanted) => {
    expect(mistakes(text)).toEqual(wanted);
  });

  it(`of any text is read or refused (WEFT_SEED=${seed})`, () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.string(), fc.constantFrom('0 0', '10 100', '1e9,100', '__proto__ 3', '\0'))),
        (lines) => {
          const diagnostics = new Diagnostics();
          const sizes = readSizeDistribution(lines.join('\n'), 'sizes.txt', diagnostics);
          expect(sizes === null).toBe(diagnostics.hasErrors);
          if (sizes !== null) expect(sizes.sizeAt(1)).toBeGreaterThanOrEqual(1);
        },
      ),
      { seed },
    );
  });
});
