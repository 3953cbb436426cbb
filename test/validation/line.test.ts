// The verdict of a validation line follows from its figures: what is out of tolerance fails, and a check that throws
// fails.

import { expect, it } from 'vitest';
import { linesOf, type Check } from '../../validation/check.js';
import {
  apartBy,
  bounded,
  compared,
  exact,
  figure,
  type Line,
  matched,
  skipped,
  spanned,
  within,
} from '../../validation/line.js';
import { pageWith, rowCsv, tableCsv, tally } from '../../validation/table.js';

const subject = { mechanism: 'a', oracle: 'b' };

it.each([
  [100, 100, exact, 'ok'],
  [100, 101, exact, 'failed'],
  [0, 0, exact, 'ok'],
  [100, 105, within(0.05), 'ok'],
  [100, 94, within(0.05), 'failed'],
  [0, 1, within(0.05), 'failed'],
  [0, 0, within(0.05), 'ok'],
  [10, 11.5, apartBy(1.5), 'ok'],
  [10, 8.4, apartBy(1.5), 'failed'],
  [10, Number.NaN, exact, 'failed'],
  [10, Number.NaN, within(0.5), 'failed'],
  [10, Number.NaN, apartBy(5), 'failed'],
] as const)('expected %d, ours %d, %j: %s', (expected, ours, tolerance, verdict) => {
  expect(compared({ ...subject, expected, ours, tolerance, unit: 'B' }).verdict).toBe(verdict);
});

it.each([
  [1, 0, 2, 'ok'],
  [3, 0, 2, 'failed'],
  [-1, 0, 2, 'failed'],
  [Number.NaN, 0, 2, 'failed'],
] as const)('%d between %d and %d: %s', (ours, least, most, verdict) => {
  expect(bounded({ ...subject, ours, least, most, unit: '' }).verdict).toBe(verdict);
  expect(spanned({ ...subject, expected: ours, least, most, unit: '' }).verdict).toBe(verdict);
});

it('tells differences in the terms of the tolerance', () => {
  expect(
    compared({ ...subject, expected: 849_712, ours: 849_903.04, unit: 'ns', digits: 2, tolerance: within(0.005) }),
  ).toMatchObject({ expected: '849,712.00 ns', ours: '849,903.04 ns', difference: '+0.02 %', tolerance: '0.5 %' });
  expect(
    compared({ ...subject, expected: 16, ours: 15, unit: 'packets', tolerance: apartBy(1.5), digits: 1 }),
  ).toMatchObject({ difference: '-1.0 packets', tolerance: '1.5 packets' });
  expect(bounded({ ...subject, ours: 1, least: 0, unit: 'B' })).toMatchObject({
    expected: 'at least 0 B',
    tolerance: '',
  });
  expect(matched({ ...subject, expected: '1 2', ours: '1 3' })).toMatchObject({
    difference: 'differs',
    verdict: 'failed',
  });
  expect([figure(-0.001, 2, ''), figure(1234567.891, 1, 'B'), figure(-1234, 0, '')]).toEqual([
    '0.00',
    '1,234,567.9 B',
    '-1,234',
  ]);
});

it('counts a check that throws as failed, after what it had said', async () => {
  const check: Check = {
    name: 'x',
    title: 'X',
    about: 'x',
    *run() {
      yield matched({ ...subject, expected: '1', ours: '1' });
      throw new Error('broke');
    },
  };
  const lines: Line[] = [];
  for await (const line of linesOf(check, { isQuick: true, seed: 1, reference: null, progress: () => {} }))
    lines.push(line);
  expect(lines.map(({ verdict }) => verdict)).toEqual(['ok', 'failed']);
  expect(lines[1]!.ours).toBe('broke');
  expect(tally([{ check, lines }])).toBe('2 lines: 1 ok, 0 skipped, 1 failed');
});

it('writes its part of the page and no other', () => {
  const check: Check = { name: 'x', title: 'X', about: 'What.', run: () => [] };
  const lines = [
    matched({ mechanism: 'a, "b"', oracle: 'c', expected: '1', ours: '1' }),
    compared({ ...subject, expected: 100, ours: 101, tolerance: within(0.05), unit: 'B' }),
    compared({ mechanism: 'far', oracle: 'b', expected: 100, ours: 96, tolerance: within(0.05), unit: 'B' }),
    skipped({ mechanism: 'd', oracle: 'e', why: 'not here' }),
  ];
  const page = pageWith(
    'before\n<!-- validation: begin (written by `npm run validate`) -->\nold\n<!-- validation: end -->\nafter\n',
    [{ check, lines }],
  );
  expect(page).toMatch(
    /^before\n<!-- validation: begin[^]*### X\n\nWhat\. `npm run validate -- --only x`\n\n4 lines: 1 exact, 2 within tolerances or bounds, d: not here\. Nearest to its tolerance of 5 %: far, 100 B expected, 96 B here\.\n\n<!-- validation: end -->\nafter\n$/,
  );
  expect(pageWith(page, [{ check, lines }])).toBe(page);
  expect(() => pageWith('nothing', [])).toThrow('no lines');
  expect(tableCsv([{ check, lines }]).split('\n')).toEqual([
    'check,mechanism,oracle,expected,weft,difference,tolerance,verdict',
    'x,"a, ""b""",c,1,1,none,exact,ok',
    'x,a,b,100 B,101 B,+1.0 %,5 %,ok',
    'x,far,b,100 B,96 B,-4.0 %,5 %,ok',
    'x,d,e,,,,not here,skipped',
    '',
  ]);
  expect(rowCsv(check, lines[3]!)).not.toContain('undefined');
});
