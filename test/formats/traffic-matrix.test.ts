// Traffic files: both forms, what is written is read back, and the code and the place of every mistake.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Diagnostics } from '../../src/base/diagnostics.js';
import { TrafficColumn, TrafficBuilder, type Traffic } from '../../src/flows/traffic/matrix.js';
import { trafficCsv, TrafficReader } from '../../src/formats/traffic-matrix.js';
import { rounds } from '../support/rounds.js';
import { seed } from '../support/seed.js';

const names = new Map([
  ['node7', [0]],
  ['node8', [1]],
  ['node9', [2]],
  ['node10', [3]],
  ['höst 漢', [3]],
  ['twin', [1, 2]],
]);

function read(text: string, pieceSize = 1 << 20): { result: Traffic | null; diagnostics: Diagnostics } {
  const diagnostics = new Diagnostics();
  const reader = new TrafficReader('f', 'f.csv', { count: 4, ranksOf: (name) => names.get(name) ?? [] }, diagnostics);
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += pieceSize) reader.push(bytes.subarray(at, at + pieceSize));
  return { result: reader.end(), diagnostics };
}

/** `phase source destination weight` of every pair. */
function pairs(traffic: Traffic): string[] {
  const column = new TrafficColumn(traffic.hostCount);
  return traffic.phases.flatMap(({ name, matrix }) =>
    Array.from({ length: traffic.hostCount }, (_, destination) => {
      matrix.toDestination(destination, column);
      return Array.from(
        { length: column.length },
        (__, i) => `${name} ${column.sources[i]} ${destination} ${column.weights[i]}`,
      );
    }).flat(),
  );
}

function mustRead(text: string): Traffic {
  const { result, diagnostics } = read(text);
  expect(diagnostics.list).toEqual([]);
  return result!;
}

const good = 'source,destination,KiB\n0,1,2\n3,1,0.5\n1,2,1e1\n';

describe('reading', () => {
  it('CSV with units', () => {
    expect(pairs(mustRead(good))).toEqual(['all 0 1 2048', 'all 3 1 512', 'all 1 2 10240']);
    expect(mustRead(good).unit).toBe('bytes');
    expect(mustRead(good.replace('KiB', 'weight')).unit).toBe('relative');
  });

  it.each([
    ['CRLF and a byte order mark', `\ufeff${good.replaceAll('\n', '\r\n')}`],
    [
      'comments, blank lines and blanks',
      `# made by hand\n\n${good.replaceAll(',', ' , ').replaceAll('\n', '\n\n# more\n')}`,
    ],
    ['no newline at the end', good.trimEnd()],
    ['quotes', good.replace('0,1,2', '"node7" , "1","2"').replace('source', '"source"')],
    ['names of hosts', good.replace('0,1,2', 'node7,node8,2')],
    ['names of other alphabets', good.replace('3,1,0.5', 'höst 漢,1,0.5')],
    ['capitals in the header', good.replace('source', 'Source')],
    ['a pair in two rows', good.replace('0,1,2', '0,1,1.5\n0,1,.5')],
    ['amounts of 0', good.replace('0,1,2', '0,1,2\n2,3,0')],
  ])('accepts %s', (_, text) => {
    expect(pairs(mustRead(text))).toEqual(pairs(mustRead(good)));
  });

  it('phases in the order in which they come', () => {
    const { phases } = mustRead('source,destination,bytes,phase\n0,1,1,second\n0,1,2,first\n2,1,3,second\n');
    expect(phases.map(({ name, matrix }) => [name, matrix.pairCount])).toEqual([
      ['second', 2],
      ['first', 1],
    ]);
  });

  it('MatrixMarket: general, symmetric, patterns, a unit', () => {
    expect(
      pairs(mustRead('%%MatrixMarket matrix coordinate real general\n% made by hand\n4 4 2\n1 2 1.5\n4 1 2\n')),
    ).toEqual(['all 3 0 2', 'all 0 1 1.5']);
    expect(pairs(mustRead('%%MatrixMarket matrix coordinate integer symmetric\n4 4 1\n2 1 7\n'))).toEqual([
      'all 1 0 7',
      'all 0 1 7',
    ]);
    const pattern = mustRead('%%MatrixMarket matrix coordinate pattern general\n% unit: KiB\n4 4 1\n2 1\n');
    expect([pairs(pattern), pattern.unit]).toEqual([['all 1 0 1024'], 'bytes']);
  });

  it('what hosts send to themselves is left out, and said', () => {
    const { result, diagnostics } = read(`${good}2,2,5\n`);
    expect(diagnostics.list.map(({ severity, code, line }) => `${severity} ${code} ${line}`)).toEqual([
      'warning self-traffic 5',
    ]);
    expect(pairs(result!)).toEqual(pairs(mustRead(good)));
  });
});

it('no traffic at all is said', () => {
  expect(
    read('source,destination,bytes\n0,1,0\n').diagnostics.list.map(({ severity, code }) => `${severity} ${code}`),
  ).toEqual(['warning no-traffic']);
});

describe('mistakes', () => {
  const market = '%%MatrixMarket matrix coordinate real general\n4 4 2\n1 2 1.5\n4 1 2\n';
  it.each<[string, string, string[]]>([
    ['an empty file', '', ['empty-file 0:0']],
    ['a header alone', 'source,destination,bytes\n', ['empty-file 0:0']],
    ['no header', '0,1,2\n', ['wrong-header 1:1']],
    ['an unknown unit', good.replace('KiB', 'parsecs'), ['wrong-header 1:1']],
    ['NaN', good.replace('3,1,0.5', '3,1,NaN'), ['bad-amount 3:5']],
    ['infinity', good.replace('3,1,0.5', '3,1,1e400'), ['bad-amount 3:5']],
    ['a negative amount', good.replace('3,1,0.5', '3,1,-1'), ['bad-amount 3:5']],
    ['an amount whose square is infinite', good.replace('3,1,0.5', '3,1,1e200'), ['bad-amount 3:5']],
    ['a number of 300 digits', good.replace('3,1,0.5', `3,1,1${'0'.repeat(300)}`), ['long-field 3:5']],
    ['a line of 5000 bytes', good.replace('3,1,0.5', `3,1,${' '.repeat(5000)}0.5`), ['long-line 3:1']],
    ['a quote without an end', good.replace('3,1,0.5', '"node9,1,0.5'), ['bad-quotes 3:1']],
    ['words behind a quote', good.replace('3,1,0.5', '3,"node9"x,0.5'), ['bad-quotes 3:3']],
    ['doubled quotes', good.replace('3,1,0.5', '3,"a""b",0.5'), ['bad-quotes 3:3']],
    ['a comma in a name', good.replace('3,1,0.5', '3,a,b,0.5'), ['wrong-field-count 3:1']],
    ['semicolons', good.replaceAll(',', ';'), ['wrong-header 1:1']],
    ['a unit beside the amount', good.replace('3,1,0.5', '3,1,5kB'), ['bad-amount 3:5']],
    ['a host outside the fabric', good.replace('3,1,0.5', '4,1,0.5'), ['unknown-host 3:1']],
    ['a name of two hosts', good.replace('3,1,0.5', '3,twin,0.5'), ['several-hosts 3:3']],
    ['a host of no name', good.replace('3,1,0.5', '3,node1,0.5'), ['unknown-host 3:3']],
    ['a negative host', good.replace('3,1,0.5', '-3,1,0.5'), ['unknown-host 3:1']],
    ['a field too few', good.replace('3,1,0.5', '3,1'), ['wrong-field-count 3:1']],
    ['a field too many', good.replace('3,1,0.5', '3,1,0.5,x'), ['wrong-field-count 3:1']],
    ['an empty field', good.replace('3,1,0.5', '3,1,'), ['bad-amount 3:5']],
    ['MatrixMarket: an array', market.replace('coordinate', 'array'), ['wrong-header 1:1']],
    ['MatrixMarket: complex numbers', market.replace('real', 'complex'), ['wrong-header 1:1']],
    ['MatrixMarket: of another size', market.replace('4 4 2', '5 5 2'), ['wrong-size 2:1']],
    ['MatrixMarket: not square', market.replace('4 4 2', '4 5 2'), ['wrong-size 2:1']],
    ['MatrixMarket: cut off', market.replace('4 1 2\n', ''), ['wrong-count 2:1']],
    ['MatrixMarket: more entries than announced', `${market}2 1 1\n`, ['wrong-count 5:1']],
    ['MatrixMarket: no size line', market.split('\n')[0]!, ['wrong-size 0:0']],
    ['MatrixMarket: a size in words', market.replace('4 4 2', '4 4 two'), ['wrong-size 2:1']],
    ['MatrixMarket: a row outside', market.replace('4 1 2', '5 1 2'), ['unknown-host 4:1']],
    ['MatrixMarket: row 0', market.replace('4 1 2', '0 1 2'), ['unknown-host 4:1']],
    ['MatrixMarket: NaN', market.replace('4 1 2', '4 1 nan'), ['bad-amount 4:5']],
    ['MatrixMarket: no amount', market.replace('4 1 2', '4 1'), ['wrong-field-count 4:1']],
  ])('%s', (_, text, [first]) => {
    const { result, diagnostics } = read(text);
    expect(result).toBeNull();
    const error = diagnostics.list.find(({ severity }) => severity === 'error');
    expect(`${error!.code} ${error!.line}:${error!.column}`).toBe(first);
  });
});

it(`what is written is read back, in pieces of any size (WEFT_SEED=${seed})`, () => {
  const triple = fc.tuple(fc.nat(3), fc.nat(3), fc.double({ min: 0, max: 1e58, noNaN: true }));
  fc.assert(
    fc.property(
      fc.array(fc.array(triple, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 3 }),
      fc.integer({ min: 1, max: 50 }),
      (lists, size) => {
        const phases = lists.map((triples, i) => {
          const builder = new TrafficBuilder(4, 'bytes');
          builder.add(0, 1, 1);
          for (const [source, destination, weight] of triples) builder.add(source, destination, weight);
          return { name: lists.length === 1 ? 'all' : `phase ${i}`, matrix: builder.build() };
        });
        const traffic: Traffic = { name: 'f', hostCount: 4, unit: 'bytes', note: '', phases };
        const { result, diagnostics } = read([...trafficCsv(traffic)].join(''), size);
        expect(diagnostics.list).toEqual([]);
        expect(result).toEqual(traffic);
      },
    ),
    { seed, numRuns: rounds(100) },
  );
});

it(`any text gives traffic or positioned errors (WEFT_SEED=${seed})`, () => {
  const word = fc.constantFrom(
    '0',
    '1',
    '9',
    ',',
    ',',
    '\n',
    ' ',
    '1e5',
    'NaN',
    '%',
    '#',
    '"',
    'source,destination,bytes\n',
    '%%MatrixMarket matrix coordinate real general\n',
    '4 4 1\n',
    '\u0000',
    'é',
  );
  fc.assert(
    fc.property(fc.array(word, { maxLength: 30 }), (words) => {
      const text = words.join('');
      const { result, diagnostics } = read(text);
      expect(result === null).toBe(diagnostics.hasErrors);
      for (const { line } of diagnostics.list) expect(line).toBeLessThanOrEqual(text.split('\n').length);
    }),
    { seed, numRuns: rounds(300) },
  );
});
