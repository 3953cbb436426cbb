// Files of inference requests: what is read, and every mistake at its place.

import { expect, it } from 'vitest';
import { Diagnostics } from '../../src/base/diagnostics.js';
import { readRequests } from '../../src/formats/requests-csv.js';

function read(text: string): unknown {
  const diagnostics = new Diagnostics();
  const rows = readRequests(text, 'r.csv', diagnostics);
  if (rows === null) return diagnostics.list.map(({ code, line, column }) => `${code} ${line}:${column}`);
  return [...rows.arrivalPs].map((arrivalPs, i) => [arrivalPs, rows.promptTokens[i], rows.outputTokens[i]]);
}

it('header, comments, blank lines and a byte order mark are passed over', () => {
  expect(read('\ufeffarrival_ns,prompt_tokens,output_tokens\r\n0,100,10\r\n\n# later\n2000, 7 ,1 # short\n')).toEqual([
    [0, 100, 10],
    [2_000_000, 7, 1],
  ]);
});

it.each([
  ['', 'requests-empty 1:1'],
  ['# nothing\n', 'requests-empty 1:1'],
  ['0,100\n', 'requests-field-count 1:1'],
  ['0,100,1\n5,x,2\n', 'requests-value 2:3'],
  ['0,100,1\n5, 3, 0\n', 'requests-value 2:7'],
  ['-1,100,1\n', 'requests-value 1:1'],
  ['0,1e3,1\n', 'requests-value 1:3'],
  ['0,20000000,1\n', 'requests-value 1:3'],
  ['10,1,1\n9,1,1\n', 'requests-order 2:1'],
  ['9999999999999999,1,1\n', 'requests-value 1:1'],
])('%j', (text, wanted) => {
  expect(read(text)).toEqual([wanted]);
});
