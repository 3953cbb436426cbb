// Bad input of every kind for weft route and weft traffic, on every command that reads it: a message with its place,
// exit code 2, nothing on stdout, nothing written. And texts changed at random: whatever stands in a file, commands end
// with 0, 1 or 2 and say why.

import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recogniseFatTree } from '../../src/fabric/fat-tree.js';
import { writeIbnetdiscover } from '../../src/formats/ibnetdiscover-writer.js';
import { lftTexts } from '../../src/formats/opensm-lfts-writer.js';
import { routeDmodK } from '../../src/routing/d-mod-k.js';
import { type CommandResult, runCommand } from '../support/run-command.js';
import { identifiedTree } from '../support/infiniband.js';
import { rounds } from '../support/rounds.js';
import { seed } from '../support/seed.js';

const tree = identifiedTree('fat-tree', { pods: 2, edgesPerPod: 2, hostsPerEdge: 2, aggregationPerPod: 2, cores: 2 });
const { identity } = tree;
const hex = (value: bigint | number): string => `0x${value.toString(16).padStart(4, '0')}`;
const leaf = identity.nodeName.indexOf('leaf00');
/** a valid file of each kind */
const good = {
  'f.net': writeIbnetdiscover(tree),
  'a.lfts': [...lftTexts(tree, [routeDmodK(recogniseFatTree(tree.fabric).tree!)])].join(''),
  guid2lid: Array.from(
    identity.portGuid,
    (guid, node) => `${hex(guid)} ${hex(identity.lid[node]!)} ${hex(identity.lid[node]!)}\n`,
  ).join('\n'),
  roots: identity.nodeName
    .flatMap((name, node) => (name.startsWith('core') ? [`${hex(identity.nodeGuid[node]!)} # ${name}\n`] : []))
    .join(''),
  'm.csv': 'source,destination,KiB,phase\n0,1,2,first\nnode003,"node001 HCA-1",0.5,second\n7,2,1e1,second\n',
  'm.mtx': '%%MatrixMarket matrix coordinate real general\n% unit: bytes\n8 8 3\n1 2 1.5\n8 1 2\n4 5 1e3\n',
  sl2vl: `Switch 0x${identity.nodeGuid[leaf]!.toString(16)}, base LID ${identity.lid[leaf]}, "leaf00"\n#in out : 0  1  2 ...\n0   1   : ${'0  1  2  3  '.repeat(4)}\n`,
  counters: `# Port extended counters: Lid ${identity.lid[leaf]} port 1 (CapMask: 0x1300 CapMask2: 0x0000000)\nPortSelect:......................1\nPortXmitData:....................5000000000\n   GUID 0x${identity.nodeGuid[leaf]!.toString(16)} port 2: [SymbolErrorCounter == 9] [PortXmitData == 1224 (4.781KB)]\n`,
} as const;
type Kind = keyof typeof good;

/** Command lines that read a file of a kind, as @KIND; all but those that only count write something. */
const fabric = ['--fabric', '@f.net'];
const compute = ['route', 'compute', ...fabric, '--algorithm', 'dmodk', '--out', '@made.lfts'];
const onTables = [
  ['route', 'evaluate', ...fabric, '--tables', '@a.lfts'],
  ['route', 'import', ...fabric, '--tables', '@a.lfts', '--out', '@made.lfts'],
  ['route', 'export', ...fabric, '--tables', '@a.lfts', '--out', '@made'],
  [...compute, '--current', '@a.lfts'],
  ['route', 'compare', ...fabric, '--traffic', 'stencil', '--tables', '@a.lfts', '--figure', '@made.svg'],
];
const onTraffic = (file: string): string[][] => [
  [...compute, '--traffic', file],
  ['route', 'evaluate', ...fabric, '--tables', '@a.lfts', '--traffic', file],
  ['route', 'compare', ...fabric, '--algorithms', 'dmodk', '--traffic', file, '--figure', '@made.svg'],
  ['route', 'model', ...fabric, '--traffic', file, '--out', '@made.lp'],
  ['traffic', 'stats', ...fabric, '--traffic', file],
  ['traffic', 'write', ...fabric, '--traffic', file, '--out', '@made.csv'],
];
const readers: Readonly<Record<Kind, readonly string[][]>> = {
  'f.net': [compute, ...onTables.slice(0, 3), ...onTraffic('stencil')],
  'a.lfts': onTables,
  guid2lid: [
    [...compute, '--guid2lid', '@guid2lid'],
    ...onTables.slice(0, 3).map((words) => words.concat('--guid2lid', '@guid2lid')),
  ],
  roots: [[...compute, '--roots', '@roots'], ...onTables.slice(0, 3).map((words) => words.concat('--roots', '@roots'))],
  'm.csv': onTraffic('@m.csv'),
  'm.mtx': onTraffic('@m.mtx'),
  sl2vl: [['route', 'import', ...fabric, '--tables', '@a.lfts', '--sl2vl', '@sl2vl', '--out', '@made.lfts']],
  counters: [
    ['route', 'import', ...fabric, '--tables', '@a.lfts', '--counters', '@counters', '--out', '@made.lfts'],
    [
      'route',
      'import',
      ...fabric,
      '--tables',
      '@a.lfts',
      '--before',
      '@counters',
      '--counters',
      '@counters',
      '--out',
      '@made.lfts',
    ],
  ],
};

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-bad-'));
  for (const [name, text] of Object.entries(good)) await writeFile(join(folder, name), text);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const weft = (words: readonly string[]): Promise<CommandResult> => runCommand(folder, words);

/** Runs commands on a changed file, which stands in the place of the good one meanwhile. */
async function withFile(kind: Kind, content: string | Uint8Array, act: () => Promise<void>): Promise<void> {
  await writeFile(join(folder, kind), content);
  try {
    await act();
  } finally {
    await writeFile(join(folder, kind), good[kind]);
    for (const name of await readdir(folder))
      if (name.startsWith('made')) await rm(join(folder, name), { recursive: true });
  }
}

/** A text with one replacement that has to hit. */
function changed(kind: Kind, from: string | RegExp, to: string): string {
  const text = good[kind].replace(from, to);
  if (text === good[kind]) throw new Error(`${String(from)} is not in ${kind}`);
  return text;
}

it('the valid files are taken by every command', async () => {
  for (const [kind, lines] of Object.entries(readers)) {
    for (const words of lines) {
      await withFile(kind as Kind, good[kind as Kind], async () => {
        expect({ words, ...(await weft(words)) }).toMatchObject({ code: 0, stderr: '' });
      });
    }
  }
});

const lastHeader = good['a.lfts'].slice(0, good['a.lfts'].lastIndexOf('Unicast')).split('\n').length;

/** Tables in which leaf01 and both spines of its pod send node000 round in a circle. */
function loop(): string {
  let own = '';
  return good['a.lfts']
    .split('\n')
    .map((line) => {
      own = /^Unicast.*\('(\w+)'\)/.exec(line)?.[1] ?? own;
      if (!line.endsWith("'node000 HCA-1'")) return line;
      // port 2 of a spine leads to leaf01, ports 3 and 4 of a leaf to spines
      return own === 'leaf01'
        ? line.replace(/ \d{3} /, ' 003 ')
        : /^spine0[01]$/.test(own)
          ? line.replace(/ \d{3} /, ' 002 ')
          : line;
    })
    .join('\n');
}

describe('ends with 2, says where, prints and writes nothing', () => {
  const node0 = `${hex(identity.portGuid[0]!)} `;
  it.each<[string, Kind, () => string | Uint8Array, RegExp]>([
    ['a fabric that is empty', 'f.net', () => '', /f\.net: error: there is no node/],
    [
      'a fabric of bytes',
      'f.net',
      () => Uint8Array.from({ length: 3000 }, (_, i) => (i * 7919) % 256),
      /f\.net: is not a text file \(byte 1 is 0/,
    ],
    [
      'tables in the place of a fabric',
      'f.net',
      () => good['a.lfts'],
      /f\.net:1:1: error: the file holds forwarding tables/,
    ],
    [
      'a fabric cut in the middle of a line',
      'f.net',
      () => good['f.net'].slice(0, good['f.net'].lastIndexOf('"S-')),
      /f\.net:\d+:\d+: error: /,
    ],
    [
      'a fabric cut in the last comment',
      'f.net',
      () => good['f.net'].trimEnd().slice(0, -8),
      /f\.net:\d+:1: error: the file ends within this line/,
    ],
    [
      'a link of one side',
      'f.net',
      () => changed('f.net', /^\[1\].*"leaf00".*\n/m, ''),
      /f\.net:\d+:1: error: node000 HCA-1 does not name the link at its port 1/,
    ],
    [
      'two ends that contradict',
      'f.net',
      () => changed('f.net', /^(\[1\].*"S-\w+")\[1\](.*"leaf00")/m, '$1[2]$2'),
      /f\.net:\d+:1: error: port 2 of leaf00 leads elsewhere/,
    ],
    [
      'a port beyond the radix',
      'f.net',
      () => changed('f.net', /^\[4\]/m, '[5]'),
      /f\.net:\d+:1: error: leaf00 has 4 ports/,
    ],
    [
      'a node twice',
      'f.net',
      () => `${good['f.net']}\ncaguid=0x2c90000100000\nCa\t1 "H-0002c90000100000"\n`,
      /f\.net:\d+:1: error: the node H-0002c90000100000 stands here a second time\n[^]*first on line 5/,
    ],
    [
      'a LID twice',
      'f.net',
      () => changed('f.net', `lid ${identity.lid[leaf]} lmc`, `lid ${identity.lid[leaf + 1]} lmc`),
      /f\.net:\d+:\d+: error: .* has the LID of/,
    ],
    [
      'several LIDs',
      'f.net',
      () => good['f.net'].replaceAll('lmc 0', 'lmc 2'),
      /f\.net:\d+:\d+: error: the base LID of .* does not fit its LMC/,
    ],
    [
      'two fabrics in one file',
      'f.net',
      () =>
        `${good['f.net']}\n${good['f.net']
          .replaceAll('0002c9', '0003c9')
          .replaceAll('(2c9', '(3c9')
          .replaceAll(/lid \d+/g, 'lid 0')}`,
      /f\.net: error: the fabric falls into parts that no link joins\n +found: +no path from node000/,
    ],
    ['guid2lid of nothing', 'guid2lid', () => '\n# nothing\n', /guid2lid: error: there is no LID/],
    [
      'guid2lid with several LIDs',
      'guid2lid',
      () => changed('guid2lid', new RegExp(`^(${node0}\\w+) \\w+`, 'm'), '$1 0x0100'),
      /guid2lid:1:1: error: the range of LIDs is none that an LMC gives/,
    ],
    [
      'guid2lid with one LID for two ports',
      'guid2lid',
      () => good.guid2lid.replaceAll(/ 0x0003 0x0003/g, ' 0x0004 0x0004'),
      /guid2lid:\d+:1: error: the LID belongs to 0x/,
    ],
    [
      'guid2lid with two LIDs for one port',
      'guid2lid',
      () => `${good.guid2lid}${node0}0x0100 0x0100\n`,
      /guid2lid:\d+:1: error: a second LID for/,
    ],
    [
      'guid2lid with a LID of a port that it does not name',
      'guid2lid',
      () => `${hex(identity.portGuid[0]!)} ${hex(identity.lid[1]!)} ${hex(identity.lid[1]!)}\n`,
      /guid2lid: error: .* have one LID/,
    ],
    [
      'guid2lid with a LID of multicast',
      'guid2lid',
      () => changed('guid2lid', ' 0x0003 0x0003', ' 0xc003 0xc003'),
      /guid2lid:\d+:1: error: this is no line of guid2lid/,
    ],
    [
      'guid2lid cut in a line',
      'guid2lid',
      () => good.guid2lid.slice(0, -10),
      /guid2lid:35:1: error: this is no line of guid2lid/,
    ],
    ['roots of words', 'roots', () => 'core00\n', /roots:1:1: error: this is no GUID/],
    [
      'roots of an unknown GUID',
      'roots',
      () => `${good.roots}0x1234\n`,
      /roots:3:1: error: the fabric has no switch with this GUID/,
    ],
    [
      'roots that are hosts',
      'roots',
      () => `${hex(identity.nodeGuid[0]!)}\n`,
      /roots:1:1: error: the fabric has no switch/,
    ],
    [
      'roots that leave a part out',
      'roots',
      () => `${hex(identity.nodeGuid[leaf]!)}\n`,
      /f\.net: error: this is no fat tree/,
    ],
    [
      'tables cut in a block',
      'a.lfts',
      () => good['a.lfts'].slice(0, -300),
      new RegExp(`a\\.lfts:${lastHeader}:1: error: the table that begins here is cut off`),
    ],
    [
      'tables cut in an entry',
      'a.lfts',
      () => good['a.lfts'].slice(0, good['a.lfts'].lastIndexOf('\n0x') + 5),
      /a\.lfts:\d+:1: error: the entry has not the usual form/,
    ],
    [
      'a port number beyond the radix',
      'a.lfts',
      () => changed('a.lfts', ' 002 ', ' 037 '),
      /a\.lfts:\d+:8: error: leaf00 has 4 ports\n +found: +37/,
    ],
    [
      'a port number beyond any',
      'a.lfts',
      () => changed('a.lfts', ' 002 ', ' 999 '),
      /a\.lfts:\d+:8: error: leaf00 has 4 ports/,
    ],
    [
      'two entries for one host',
      'a.lfts',
      () => changed('a.lfts', /^(0x0001 .*\n)/m, '$1$1').replace('18 lids', '19 lids'),
      /a\.lfts:3:1: error: a second entry of leaf00 for node000 HCA-1\n[^]*first on line 2/,
    ],
    [
      'port 0 for a host',
      'a.lfts',
      () => changed('a.lfts', / \d{3} # Channel/, ' 000 # Channel'),
      /a\.lfts:2:8: error: port 0 of leaf00 is the switch itself/,
    ],
    [
      'unknown switches alone',
      'a.lfts',
      () => good['a.lfts'].replaceAll(' guid 0x0', ' guid 0xf'),
      /a\.lfts: error: no switch of the file is a switch of the fabric/,
    ],
    [
      'unknown ports alone',
      'a.lfts',
      () => good['a.lfts'].replaceAll('portguid 0x0', 'portguid 0xf'),
      /a\.lfts:2:1: error: no entry of the file is for an end port/,
    ],
    ['a fabric in the place of tables', 'a.lfts', () => good['f.net'], /a\.lfts:1:1: error: the file holds a fabric/],
    ['a matrix with a NaN', 'm.csv', () => changed('m.csv', '0.5', 'NaN'), /m\.csv:3:25: error: .*\n +found: +NaN/],
    ['a matrix with an infinity', 'm.csv', () => changed('m.csv', '1e1', 'Infinity'), /m\.csv:4:5: error: /],
    ['a negative amount', 'm.csv', () => changed('m.csv', '1e1', '-1'), /m\.csv:4:5: error: .*\n +found: +-1/],
    ['an amount whose sum is infinite', 'm.csv', () => changed('m.csv', '1e1', '1e308'), /m\.csv:4:5: error: /],
    [
      'a host outside the fabric',
      'm.csv',
      () => changed('m.csv', '7,2', '8,2'),
      /m\.csv:4:1: error: the fabric has no such host\n +found: +8\n +wanted: a rank from 0 to 7/,
    ],
    [
      'a host by an unknown name',
      'm.csv',
      () => changed('m.csv', 'node003', 'node033'),
      /m\.csv:3:1: error: the fabric has no such host/,
    ],
    [
      'a quote without an end',
      'm.csv',
      () => changed('m.csv', 'HCA-1"', 'HCA-1'),
      /m\.csv:3:9: error: the quote that ends the field is missing/,
    ],
    [
      'words behind a quote',
      'm.csv',
      () => changed('m.csv', 'HCA-1"', 'HCA"-1'),
      /m\.csv:3:9: error: something follows the quote/,
    ],
    [
      'a field too many',
      'm.csv',
      () => changed('m.csv', '7,2', '7,2,2'),
      /m\.csv:4:1: error: the row has not as many fields/,
    ],
    [
      'a field too few',
      'm.csv',
      () => changed('m.csv', '7,2,', '7,'),
      /m\.csv:4:1: error: the row has not as many fields/,
    ],
    ['no header', 'm.csv', () => changed('m.csv', /.*\n/, ''), /m\.csv:1:1: error: the first line is no header/],
    [
      'UTF-16',
      'm.csv',
      () => Buffer.from(`\ufeff${good['m.csv']}`, 'utf16le'),
      /m\.csv:1:1: error: the first line is no header[^]*UTF-8/,
    ],
    [
      'MatrixMarket of complex numbers',
      'm.mtx',
      () => changed('m.mtx', 'real', 'complex'),
      /m\.mtx:1:1: error: this kind of MatrixMarket file/,
    ],
    [
      'MatrixMarket without a symmetry',
      'm.mtx',
      () => changed('m.mtx', ' general', ''),
      /m\.mtx:1:1: error: this kind of MatrixMarket file/,
    ],
    [
      'MatrixMarket of another size',
      'm.mtx',
      () => changed('m.mtx', '8 8 3', '9 9 3'),
      /m\.mtx:3:1: error: the matrix does not fit the fabric\n +found: +9 9 3\n +wanted: 8 8/,
    ],
    [
      'MatrixMarket that announces fewer',
      'm.mtx',
      () => changed('m.mtx', '8 8 3', '8 8 2'),
      /m\.mtx:6:1: error: there are more entries/,
    ],
    [
      'MatrixMarket that announces more',
      'm.mtx',
      () => changed('m.mtx', '8 8 3', '8 8 4'),
      /m\.mtx:3:1: error: the matrix has not as many entries/,
    ],
    [
      'MatrixMarket with row 0',
      'm.mtx',
      () => changed('m.mtx', '1 2 1.5', '0 2 1.5'),
      /m\.mtx:4:1: error: the fabric has no such host/,
    ],
    ['MatrixMarket with a NaN', 'm.mtx', () => changed('m.mtx', '1.5', 'nan'), /m\.mtx:4:5: error: /],
    ['lanes of nothing', 'sl2vl', () => '# hello\n', /sl2vl: error: there is no SL2VL table/],
    [
      'a lane beyond 15',
      'sl2vl',
      () => changed('sl2vl', '3  0', '3  16'),
      /sl2vl:3:1: error: this is no line of an SL2VL table/,
    ],
    ['counters of nothing', 'counters', () => 'hello\n', /counters: error: there is no counter/],
    [
      'counters of another fabric',
      'counters',
      () => good.counters.replaceAll('GUID 0x2', 'GUID 0x3').replace(/Lid \d+/, 'Lid 4000'),
      /counters: error: no port of the file is a linked port/,
    ],
    [
      'a counter cut off',
      'counters',
      () => changed('counters', /\.5000000000\n[^]*/, ''),
      /counters:3:1: error: this is no counter/,
    ],
    [
      'a line of ibqueryerrors cut off',
      'counters',
      () => changed('counters', / \[SymbolErr[^]*/, ''),
      /counters:4:1: error: the line has no counter/,
    ],
  ])('%s', async (_, kind, content, message) => {
    await withFile(kind, content(), async () => {
      const before = (await readdir(folder)).sort();
      for (const words of readers[kind]) {
        const { code, stdout, stderr } = await weft(words);
        expect({ words, code, stdout }).toEqual({ words, code: 2, stdout: '' });
        expect(stderr).toMatch(message);
        expect((await readdir(folder)).sort()).toEqual(before);
      }
    });
  });
});

it.each([
  ['route', 'model', ...fabric, '--out', '@made.lp'],
  ['route', 'compare', ...fabric],
  ['traffic', 'stats', ...fabric],
  ['traffic', 'write', ...fabric, '--out', '@made.csv'],
])('%s %s without --traffic', async (...words) => {
  expect(await weft(words)).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(/^--traffic: error: /) as string,
  });
});

describe(`texts changed at random (WEFT_SEED=${seed})`, () => {
  const piece = fc.constantFrom(
    '0',
    '9',
    '-',
    '.',
    ',',
    ':',
    ' ',
    '\t',
    '\n',
    '\r\n',
    '"',
    '#',
    '[',
    ']',
    '(',
    '0x',
    '255',
    '999',
    '1e999',
    'NaN',
    'lid ',
    'Unicast lids',
    ' guid 0x',
    'Switch\t',
    'GUID 0x',
    '%',
    '\u0000',
    '\ufeff',
    'é',
    '😀',
    'x'.repeat(5000),
  );
  // cut, drop, insert, repeat a stretch, exchange two stretches
  const edit = fc.record({
    kind: fc.constantFrom('drop', 'insert', 'repeat', 'cut', 'digits'),
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    length: fc.nat(60),
    text: fc.array(piece, { minLength: 1, maxLength: 3 }).map((pieces) => pieces.join('')),
  });
  type Edit = typeof edit extends fc.Arbitrary<infer T> ? T : never;
  const edited = (text: string, { kind, at, length, text: added }: Edit): string => {
    const from = Math.floor(at * text.length);
    if (kind === 'cut') return text.slice(0, from);
    if (kind === 'insert') return text.slice(0, from) + added + text.slice(from);
    if (kind === 'repeat')
      return text.slice(0, from) + text.slice(from, from + length).repeat(3) + text.slice(from + length);
    if (kind === 'digits') return text.slice(0, from) + text.slice(from).replace(/\d+/, String(length * 997));
    return text.slice(0, from) + text.slice(from + length);
  };
  it.each(Object.keys(good) as Kind[])(
    '%s: every command ends with 0, 1 or 2; with 2 it says why and writes nothing',
    async (kind) => {
      const codes = new Set<number>();
      await fc.assert(
        fc.asyncProperty(fc.array(edit, { minLength: 1, maxLength: 4 }), fc.nat(), async (edits, which) => {
          const words = readers[kind][which % readers[kind].length]!;
          await withFile(kind, edits.reduce(edited, good[kind]), async () => {
            const before = (await readdir(folder)).sort();
            const { code, stdout, stderr } = await weft(words);
            codes.add(code);
            expect([0, 1, 2]).toContain(code);
            if (code !== 2) return;
            expect(stdout).toBe('');
            expect(stderr).toMatch(/error: /);
            // what files hold may be long and odd: messages are neither
            expect(stderr.length).toBeLessThan(20_000);
            expect((await readdir(folder)).sort()).toEqual(before);
          });
        }),
        { seed, numRuns: rounds(60) },
      );
      expect(codes).toContain(2);
    },
  );
});

/** What is said of those tables. */
function loopLine(severity: string): RegExp {
  const found = 'found: +.*leaf01.* -> .*spine00.* -> ';
  return new RegExp(`a\\.lfts:\\d+:1: ${severity}: packets for node000 HCA-1 go round in circles.*\n +${found}`);
}

it('tables with a loop: told as a result or of tables in use, refused by whoever would go on with them', async () => {
  const told = /valid +NO\n +\d+ pairs \(leaf, host\) go round in circles/;
  const codes: Readonly<Record<string, number>> = { import: 1, evaluate: 1, compute: 0 };
  await withFile('a.lfts', loop(), async () => {
    for (const words of readers['a.lfts'].filter((own) => own[1] !== 'repair')) {
      const { code, stdout, stderr } = await weft(words[1] === 'compute' ? [...words, '--force'] : words);
      expect({ words, code }).toEqual({ words, code: codes[words[1]!] ?? 2 });
      if (code === 1) expect(stdout).toMatch(told);
      else expect(stdout + stderr).toMatch(loopLine(code === 0 ? 'warning' : 'error'));
    }
  });
});

it('a search begins with what is right of tables with a loop, a transition first ends it, a limit refuses it', async () => {
  const search = ['--algorithm', 'weft', '--traffic', 'stencil', '--current', '@a.lfts', '--work', '1', '--json'];
  const compute = ['route', 'compute', ...fabric, ...search];
  await withFile('a.lfts', loop(), async () => {
    const { code, stdout } = await weft([...compute, '--out', '@made.lfts', '--force']);
    const { validity, warnings } = JSON.parse(stdout) as {
      validity: { valid: boolean };
      warnings: { code: string }[];
    };
    expect([code, validity.valid, warnings.map((own) => own.code)]).toEqual([0, true, ['loop']]);
    const limited = await weft([...compute, '--most-changes', '2']);
    expect([limited.code, limited.stderr]).toEqual([2, expect.stringMatching(/circles[^]*weft route repair/)]);
    const plan = await weft(['route', 'transition', '@a.lfts', '@made.lfts', ...fabric, '--json']);
    const { safe, steps, violations } = JSON.parse(plan.stdout) as Record<'steps' | 'violations', unknown[]> & {
      safe: boolean;
    };
    expect([plan.code, safe]).toEqual([0, false]);
    expect(steps[0]).toMatchObject({ kind: 'destinations', destinations: [{ destination: 'node000 HCA-1' }] });
    expect(violations[0]).toMatchObject({ kind: 'loop', destination: 'node000 HCA-1', updated: [] });
  });
});
