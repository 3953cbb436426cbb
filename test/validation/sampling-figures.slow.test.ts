// The tables of docs/models/reservoir-sampling.md at a smaller size: errors are those of theory, and runs of a random
// function are those of independent bits.

import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { linkMask, multipliers, parity } from '../../src/sampling/link-hash.js';
import { errorTable, runLengths, samplingErrors } from '../../validation/figures/sampling-figures.js';
import { seed } from '../support/seed.js';

it(`errors at 1, 10, 100 and 1,000 are those of theory (WEFT_SEED=${seed})`, () => {
  const errors = samplingErrors(8000, 3, seed);
  expect(errors.map(({ variant, every }) => `${variant} ${every}`)).toEqual([
    ...[1, 10, 100, 1000].map((every) => `standard ${every}`),
    ...[1, 10, 100, 1000].map((every) => `one-bit ${every}`),
  ]);
  for (const {
    traffic,
    theory: [least, most],
  } of errors) {
    // about 100 links x 3 seeds, which share packets: known to some 5 %
    expect(traffic).toBeGreaterThan(0.8 * least);
    expect(traffic).toBeLessThan(1.2 * most);
  }
  expect(errorTable(errors)).toMatch(/\| one-bit \| 1000 \| [\d.]+ %/);
});

it('runs of MD5 are those of independent bits, runs of the hash are longer', () => {
  const identifiers = Array.from({ length: 100 }, (_, i) => Math.imul(i + 1 + seed, 0x9e3779b1) >>> 0);
  const md5 = runLengths((id, link) => createHash('md5').update(`${id} ${link}`).digest()[0]! & 1, identifiers);
  const all = md5.reduce((sum, count) => sum + count, 0);
  // of 1,024 bits some 256 runs; 5 standard deviations
  expect(Math.abs(all / 100 - 256)).toBeLessThan(5);
  for (const length of [1, 2, 3, 4, 5]) {
    const expected = all * 2 ** -length;
    expect(Math.abs(md5[length]! - expected)).toBeLessThan(5 * Math.sqrt(expected));
  }
  const hash = runLengths((id, link) => parity(id & linkMask(link, multipliers.B5E4DC75, 32)), identifiers);
  expect(hash.length).toBeGreaterThan(md5.length);
  // 0111 0: by hand; a run that lasts to the end counts
  expect(runLengths((_, link) => (link % 4 === 0 ? 0 : 1), [1])).toEqual([0, 0, 0, 256]);
});
