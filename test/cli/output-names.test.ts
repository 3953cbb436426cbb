// A file that a command is to write has a name: none is refused before anything is read or computed.

import { expect, it } from 'vitest';
import { commandWith } from '../support/run-command.js';

const weft = commandWith({});

it.each([
  ['report', 'results', '--out', ''],
  ['report', 'results', '--out', ' '],
])('weft %s %s %s "%s"', async (...words) => {
  const { code, stdout, stderr } = await weft(...words);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(/error: a file for the results has no name\n {2}hint: {3}give the file a name\n$/);
});
