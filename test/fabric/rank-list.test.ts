// Lists of ranks: what they come to, and what is wrong with others.

import { expect, it } from 'vitest';
import { parseRankList } from '../../src/fabric/rank-list.js';

it.each([
  ['0-3', [0, 1, 2, 3]],
  ['5, 0-6:3', [5, 0, 3, 6]],
  ['9', [9]],
  ['0-7:8', [0]],
  [' 2 - 4 ', [2, 3, 4]],
])('%s', (text, ranks) => {
  expect([...(parseRankList(text, 10) as Int32Array)]).toEqual(ranks);
});

it.each([
  ['', ''],
  ['a', 'a'],
  ['3-1', '3-1'],
  ['0-9,10', '10'],
  ['0-3,2', '2'],
  ['0-4:0', '0-4:0'],
  ['1,,2', ''],
  ['-1', '-1'],
  ['99999999', '99999999'],
])('%s is none', (text, got) => {
  expect(parseRankList(text, 10)).toMatchObject({ got });
});
