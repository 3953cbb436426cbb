// SimAI.conf as text: keys and values with their places, and what is said of mistakes.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Diagnostics } from '../../src/base/diagnostics.js';
import { checkConfValues, confPairs, confRateBps, readSimaiConf, type ConfForm } from '../../src/formats/simai-conf.js';
import { rounds } from '../support/rounds.js';
import { seed } from '../support/seed.js';

function read(text: string): { entries: ReturnType<typeof readSimaiConf>; diagnostics: Diagnostics } {
  const diagnostics = new Diagnostics();
  return { entries: readSimaiConf('c', text, diagnostics), diagnostics };
}

describe('reading', () => {
  it('gives keys and values with their places, without comments', () => {
    const { entries, diagnostics } = read(
      '\uFEFF# head\r\nCC_MODE 1   # DCQCN\r\n\n\t RATE_AI\t50Mb/s\nLINK_DOWN 0 0 0',
    );
    expect(diagnostics.list).toEqual([]);
    expect(entries).toEqual([
      { key: 'CC_MODE', line: 2, column: 1, values: [{ line: 2, column: 9, text: '1' }] },
      { key: 'RATE_AI', line: 4, column: 3, values: [{ line: 4, column: 11, text: '50Mb/s' }] },
      { key: 'LINK_DOWN', line: 5, column: 1, values: [11, 13, 15].map((column) => ({ line: 5, column, text: '0' })) },
    ]);
  });

  it('takes the last of several lines of a key, with a warning', () => {
    const { entries, diagnostics } = read('VAR_WIN 1\nVAR_WIN 0\n');
    expect(entries.map(({ values }) => values[0]!.text)).toEqual(['0']);
    expect(diagnostics.list).toMatchObject([
      {
        severity: 'warning',
        code: 'conf-duplicate',
        line: 2,
        column: 1,
        message: 'VAR_WIN is given again; this line counts, not line 1',
      },
    ]);
  });

  it('refuses a line without a key', () => {
    expect(read('VAR_WIN 1\n  100 400\n').diagnostics.list).toMatchObject([
      { severity: 'error', code: 'conf-key', line: 2, column: 3, got: '100' },
    ]);
  });
});

describe('values', () => {
  it.each<[ConfForm, string, string | null, number]>([
    ['flag', 'K 1', null, 0],
    ['flag', 'K 2', 'conf-value', 3],
    ['flag', 'K', 'conf-value-missing', 1],
    ['flag', 'K 1 0', 'conf-value-extra', 5],
    ['count', 'K 9000', null, 0],
    ['count', 'K 9.5', 'conf-value', 3],
    ['count', 'K 9999999999999999', 'conf-value', 3],
    ['number', 'K 0.95', null, 0],
    ['number', 'K -1', 'conf-value', 3],
    ['number', 'K 1e999', 'conf-value', 3],
    ['rate', 'K 50Mb/s', null, 0],
    ['rate', 'K 50Mb', 'conf-value', 3],
    ['rate', 'K 0', 'conf-value', 3],
    ['map', 'K 2 25000000000 400 1e11 0.5', null, 0],
    ['map', 'K 2 25000000000 400', 'conf-map-length', 17],
    ['map', 'K 1 25000000000 400 5', 'conf-map-length', 21],
    ['map', 'K 0', 'conf-value', 3],
    ['map', 'K 1 x 400', 'conf-value', 5],
    ['map', 'K 1 100 -4', 'conf-value', 9],
    ['text', 'K', null, 0],
  ])('%s: %s', (form, text, code, column) => {
    const { entries, diagnostics } = read(text);
    expect(checkConfValues('c', entries[0]!, form, diagnostics)).toBe(code === null);
    expect(diagnostics.list.map((found) => [found.code, found.line, found.column])).toEqual(
      code === null ? [] : [[code, 1, column]],
    );
  });

  it('gives the pairs of a map, and rates as ns-3 writes them', () => {
    expect(confPairs(read('K 2 1e9 4 2e9 8').entries[0]!).map(({ rate, value }) => [rate.text, value.text])).toEqual([
      ['1e9', '4'],
      ['2e9', '8'],
    ]);
    expect(['50Mb/s', '50Mbps', '1000', '0', 'x', '1e30'].map(confRateBps)).toEqual([
      50e6,
      50e6,
      1000,
      null,
      null,
      null,
    ]);
  });
});

it(`any text gives entries or positioned errors, never an exception (WEFT_SEED=${seed})`, () => {
  const piece = fc.oneof(
    fc.constantFrom(
      'CC_MODE',
      'KMAX_MAP',
      '__proto__',
      'constructor',
      '1',
      '2',
      '-1',
      '1e11',
      '50Mb/s',
      ' ',
      ' ',
      '\n',
      '\t',
      '#',
      '\0',
      '\r',
    ),
    fc.string({ maxLength: 4 }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      const text = pieces.join('');
      const lines = text.split('\n');
      const { entries, diagnostics } = read(text);
      for (const entry of entries)
        for (const form of ['flag', 'count', 'number', 'rate', 'map', 'text'] as const)
          checkConfValues('c', entry, form, diagnostics);
      expect(new Set(entries.map(({ key }) => key)).size).toBe(entries.length);
      for (const { line, column } of diagnostics.list)
        expect(line >= 1 && line <= lines.length && column >= 1 && column <= lines[line - 1]!.length + 1).toBe(true);
    }),
    { seed, numRuns: rounds(300) },
  );
});
