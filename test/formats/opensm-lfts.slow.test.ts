// OpenSM's table files: its own dumps are written byte for byte, every form of them is read, and what OpenSM would take
// silently is said.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Diagnostics } from '../../src/base/diagnostics.js';
import { withColdStartLids } from '../../src/fabric/identity.js';
import { NodeKind } from '../../src/fabric/fabric.js';
import { recogniseFatTree } from '../../src/fabric/fat-tree.js';
import { readGuid2lid, readSwitchList } from '../../src/formats/guid-files.js';
import { readIbnetdiscover } from '../../src/formats/ibnetdiscover.js';
import type { IdentifiedFabric } from '../../src/formats/subnet-records.js';
import { LftReader } from '../../src/formats/opensm-lfts.js';
import { lftTexts, omittedEntries } from '../../src/formats/opensm-lfts-writer.js';
import { changedEntries, ForwardingTables, noPort } from '../../src/routing/forwarding-tables.js';
import { routeFtree } from '../../src/routing/ftree.js';
import { referencePath } from '../reference.js';
import { identifiedTree, infinibandText } from '../support/infiniband.js';
import { seed } from '../support/seed.js';

const tree = identifiedTree('fat-tree', { pods: 2, edgesPerPod: 2, hostsPerEdge: 2, aggregationPerPod: 2, cores: 2 });
const tables = routeFtree(tree.fabric, tree.identity) as ForwardingTables;
const dump = [...lftTexts(tree, [tables])].join('');

function read(
  text: string,
  source: IdentifiedFabric = tree,
  pieceSize = 1 << 20,
): { result: ForwardingTables | null; diagnostics: Diagnostics } {
  const diagnostics = new Diagnostics();
  const reader = new LftReader(source, 'f.lfts', diagnostics);
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += pieceSize) reader.push(bytes.subarray(at, at + pieceSize));
  return { result: reader.end(), diagnostics };
}

function errors(text: string): string[] {
  const { result, diagnostics } = read(text);
  expect(result).toBeNull();
  return diagnostics.list
    .filter(({ severity }) => severity === 'error')
    .map(({ code, line, column }) => `${code} ${line}:${column}`);
}

function warnings(text: string): { codes: string[]; result: ForwardingTables } {
  const { result, diagnostics } = read(text);
  expect(diagnostics.hasErrors).toBe(false);
  return { codes: diagnostics.list.map(({ code }) => code), result: result! };
}

describe('reading', () => {
  it('reads what is written, in pieces of any size', () => {
    for (const size of [1, 7, 4096]) {
      const { result, diagnostics } = read(dump, tree, size);
      expect(diagnostics.list).toEqual([]);
      expect(changedEntries(result!, tables)).toBe(0);
    }
  });

  it.each([
    ['CRLF', dump.replaceAll('\n', '\r\n')],
    ['remarks and other lines', `# made by hand\n${dump.replaceAll('Unicast', '\nsome words\nUnicast')}`],
    [
      'names that look like fields',
      dump
        .replaceAll(/\('(\w+)'\)/g, "('a guid 0x5 b portguid 0x7: $1')")
        .replaceAll(/: '([^']*)'/g, ": '$1 portguid 0x7: x'"),
    ],
    ['LIDs alone', dump.replaceAll(/ #.*/g, ' # a remark')],
    ['brackets, as ibroute prints', dump.replaceAll(/ # (.*)/g, ' : ($1)')],
    ['no counts', dump.replaceAll(/^\d+ lids dumped\n/gm, '')],
  ])('accepts %s', (_, text) => {
    const { codes, result } = warnings(text);
    expect(codes).toEqual([]);
    expect(changedEntries(result, tables)).toBe(0);
  });

  it('goes by the GUID of a port and not by the LID before it, as OpenSM does', () => {
    const { result } = warnings(dump.replaceAll(/^0x[0-9a-f]{4}/gm, '0x0ff0'));
    expect(changedEntries(result, tables)).toBe(0);
  });

  it('knows switches whose port has another GUID than their node by either', () => {
    const { fabric, identity } = tree;
    const portGuid = identity.portGuid.map((guid, node) =>
      fabric.nodeKind[node] === NodeKind.host ? guid : guid + 0x77n,
    );
    const own: IdentifiedFabric = { fabric, identity: { ...identity, portGuid } };
    for (const text of [[...lftTexts(own, [tables])].join(''), dump]) {
      const { result, diagnostics } = read(text, own);
      expect(diagnostics.list).toEqual([]);
      expect(changedEntries(result!, tables)).toBe(0);
    }
  });

  it('255 is no way', () => {
    const line = dump.split('\n').findIndex((text) => text.includes('node003'));
    const text = dump
      .split('\n')
      .map((own, i) => (i === line ? own.replace(/ \d{3} /, ' 255 ') : own))
      .join('\n');
    expect(changedEntries(warnings(text).result, tables)).toBe(1);
  });
});

it('an attached port is led to as its switch is, and on that switch to its own port; read again, it is passed over', () => {
  const spine = tree.identity.nodeName.indexOf('spine01');
  const attached = [
    {
      name: 'Aggregation Node',
      nodeGuid: 0xa0n,
      portGuid: 0xa1n,
      lid: 99,
      ownPort: 1,
      switchNode: spine,
      switchPort: 4,
    },
  ];
  const source = {
    ...tree,
    identity: { ...tree.identity, radix: tree.identity.radix.map((ports) => Math.max(ports, 4)), attached },
  };
  const text = [...lftTexts(source, [tables])].join('');
  for (const block of text.split(/(?=Unicast)/)) {
    const number = (end: string): string | undefined =>
      new RegExp(`^0x\\w+ (\\d{3}) # .*'${end}'$`, 'm').exec(block)?.[1];
    expect(number('Aggregation Node')).toBe(block.includes("('spine01'):") ? '004' : number('spine01'));
  }
  expect(text).toContain(
    "0x0063 004 # Channel Adapter portguid 0x00000000000000a1: 'Aggregation Node'\n99 lids dumped\n",
  );
  const { result, diagnostics } = read(text, source);
  expect([diagnostics.list, changedEntries(result!, tables)]).toEqual([[], 0]);
});

describe('what OpenSM would take silently', () => {
  const blocks = dump.split(/(?=Unicast)/);
  it('switches without a table', () => {
    const { codes, result } = warnings(blocks.slice(1).join(''));
    expect(codes).toEqual(['missing-switch']);
    // all 8 hosts and all but itself among the 10 switches, less the other core, for a core
    expect(changedEntries(result, tables)).toBeGreaterThan(8);
  });

  it('tables of unknown switches, entries of unknown ports, ports without links', () => {
    expect(warnings(`${dump}${blocks[0]!.replace(/guid 0x[0-9a-f]+/, 'guid 0x99')}`).codes).toEqual(['unknown-switch']);
    expect(warnings(dump.replace(/portguid 0x[0-9a-f]+/, 'portguid 0x99')).codes).toEqual(['unknown-destination']);
    const wide = { ...tree, identity: { ...tree.identity, radix: tree.identity.radix.map((ports) => ports + 1) } };
    const { diagnostics } = read(dump.replace(/ 004 # Channel/, ' 005 # Channel'), wide);
    expect(diagnostics.list.map(({ code }) => code)).toEqual(['unlinked-port']);
  });

  it('a second table of a switch replaces the first, and is said', () => {
    expect(warnings(`${dump}${blocks[0]!}`).codes).toEqual(['duplicate-switch']);
    const { codes, result } = warnings(`${dump}${blocks[0]!.split('\n')[0]!}\n18 lids dumped\n`);
    expect(codes).toEqual(['duplicate-switch']);
    expect([...tree.fabric.hosts].map((host) => result.entry(tables.switches[0]!, host))).toEqual(
      Array.from({ length: 8 }, () => noPort),
    );
  });

  it('the last LID, which dump_fts of infiniband-diags 44 leaves out where it is a multiple of 64', () => {
    const shape = { pods: 2, edgesPerPod: 2, hostsPerEdge: 13, aggregationPerPod: 2, cores: 4 };
    const source = identifiedTree('fat-tree', shape);
    expect(Math.max(...source.identity.lid)).toBe(64);
    const whole = [...lftTexts(source, [routeFtree(source.fabric, source.identity) as ForwardingTables])].join('');
    const asked = whole.replaceAll('lids [0-64]', 'lids [0x0-0x40]');
    const cut = asked.replaceAll(/^0x0040 .*\n/gm, '');
    const codesOf = (text: string): string[] => read(text, source).diagnostics.list.map(({ code }) => code);
    expect(codesOf(asked)).not.toContain('last-lid');
    expect(codesOf(cut)).toContain('last-lid');
    // any other LID that is missing is no such cut
    expect(codesOf(asked.replaceAll(/^0x003f .*\n/gm, ''))).not.toContain('last-lid');
  });

  it('omissions are counted before a file is handed to OpenSM', () => {
    const { tree: levels } = recogniseFatTree(tree.fabric);
    expect(omittedEntries(levels!, [tables])).toEqual({ count: 0, first: null });
    const less = tables.copy();
    less.entries[less.rowOf[8]! * less.columns + 5] = noPort;
    expect(omittedEntries(levels!, [less])).toEqual({ count: 1, first: { node: 8, destination: 5 } });
  });
});

describe('mistakes', () => {
  it.each<[string, string, string]>([
    ['an empty file', '', 'no-tables 0:0'],
    ['text of something else', 'hello\nworld\n', 'no-tables 0:0'],
    ['tables of another fabric', dump.replaceAll(/guid 0x0/g, 'guid 0xf'), 'no-tables 0:0'],
    [
      'a file that is cut off',
      dump.slice(0, -30),
      `truncated ${dump.slice(0, dump.lastIndexOf('Unicast')).split('\n').length}:1`,
    ],
    [
      'a line that is cut off',
      dump.slice(0, dump.lastIndexOf('\n0x') + 4),
      `bad-entry ${dump.slice(0, dump.lastIndexOf('\n0x') + 1).split('\n').length}:1`,
    ],
    ['a port beyond the radix', dump.replace(' 002 ', ' 007 '), 'port-beyond-radix'],
    ['a port of a word', dump.replace(' 002 ', ' two '), 'bad-entry'],
    ['a LID of five digits', dump.replace('0x0001', '0x00001'), 'bad-entry 2:1'],
    ['an entry before a switch', `0x0001 001 # x\n${dump}`, 'entry-without-switch 1:1'],
    ['another switch on port 0', dump.replace(/ 001 # Channel/, ' 000 # Channel'), 'wrong-own-entry 2:8'],
    ['a switch that sends what is for itself elsewhere', dump.replace(' 000 ', ' 001 '), 'wrong-own-entry'],
    [
      'two entries for one destination',
      dump.replace(/^(0x0001 .*\n)/m, '$10x0001 004 # twice\n').replace('18 lids', '19 lids'),
      'duplicate-entry 3:1',
    ],
    [
      'several LIDs of one port',
      dump.replace(/^0x0001( .*\n)/m, '0x0001$10x0021$1').replace('18 lids', '19 lids'),
      'duplicate-entry 3:1',
    ],
    ['GUIDs and LIDs of another fabric', dump.replaceAll(/portguid 0x0/g, 'portguid 0xf'), 'no-tables 2:1'],
    ['more entries than counted', dump.replace('18 lids dumped', '3 lids dumped'), 'wrong-count'],
  ])('%s', (_, text, expected) => {
    expect(text).not.toBe(dump);
    const found = errors(text);
    expect(found[0]).toMatch(new RegExp(`^${expected}`));
  });
});

it(`any change of a few characters gives tables or positioned errors, byte by byte or at once (WEFT_SEED=${seed})`, () => {
  const edit = fc.record({
    at: fc.nat(dump.length),
    drop: fc.nat(40),
    insert: fc.string({
      unit: fc.constantFrom('0', 'x', '9', ' ', '\n', 'U', ' guid 0x', 'lids', '#', '\u0000', 'é'),
      maxLength: 6,
    }),
  });
  fc.assert(
    fc.property(fc.array(edit, { minLength: 1, maxLength: 4 }), (edits) => {
      let text = dump;
      for (const { at, drop, insert } of edits) text = text.slice(0, at) + insert + text.slice(at + drop);
      const { result, diagnostics } = read(text);
      expect(result === null).toBe(diagnostics.hasErrors);
      for (const { line } of diagnostics.list) expect(line).toBeLessThanOrEqual(text.split('\n').length);
      // of single bytes no line is taken by what came before it
      const single = read(text, tree, 1);
      expect(single.diagnostics.list).toEqual(diagnostics.list);
      expect(single.result?.entries).toEqual(result?.entries);
    }),
    { seed, numRuns: 400 },
  );
});

describe('guid2lid and lists of switches', () => {
  const blank = { ...tree.identity, lid: new Uint16Array(tree.fabric.nodeCount) };
  const isSwitch = (node: number): boolean => tree.fabric.nodeKind[node] !== NodeKind.host;
  const text = Array.from(
    tree.identity.portGuid,
    (guid, node) => `0x${guid.toString(16)} 0x${(node + 5).toString(16)} 0x${(node + 5).toString(16)}\n`,
  ).join('\n');

  it('gives every port its LID', () => {
    const diagnostics = new Diagnostics();
    expect([...readGuid2lid(text, 'f', { ...tree, identity: blank }, diagnostics).lid]).toEqual(
      Array.from({ length: tree.fabric.nodeCount }, (_, node) => node + 5),
    );
    expect(diagnostics.list).toEqual([]);
  });

  it.each([
    ['0x1 0x2\n', 'bad-guid2lid'],
    ['x 0x2 0x2\n', 'bad-guid2lid'],
    ['0x1 0xc000 0xc000\n', 'bad-guid2lid'],
    ['0x1 0x0 0x0\n', 'bad-guid2lid'],
    ['0x1 0x3 0x4\n', 'bad-guid2lid'],
    ['0x1 0x4 0x6\n', 'bad-guid2lid'],
    ['0x1 0x10 0x1f\n', 'bad-guid2lid'],
    ['0x1 0x4 0x7\n0x2 0x6 0x7\n', 'duplicate-lid'],
    ['0x1 2 2\n0x2 2 2\n', 'duplicate-lid'],
    ['\n# nothing\n', 'empty-file'],
  ])('refuses %j: %s', (own, code) => {
    const diagnostics = new Diagnostics();
    readGuid2lid(own, 'f', { ...tree, identity: blank }, diagnostics);
    expect(diagnostics.list.filter(({ severity }) => severity === 'error').map((each) => each.code)).toEqual([code]);
  });

  it('reads roots as OpenSM does, with remarks and in decimal', () => {
    const diagnostics = new Diagnostics();
    const [first, second] = [...tree.identity.nodeGuid].slice(-2);
    expect(
      readSwitchList(
        `# cores\n0x${first!.toString(16)} core00\n\n${second!}\n`,
        'f',
        tree.identity,
        isSwitch,
        diagnostics,
      ),
    ).toEqual([tree.fabric.nodeCount - 2, tree.fabric.nodeCount - 1]);
    expect(diagnostics.list).toEqual([]);
  });

  it.each([
    ['zero\n', 'bad-guid'],
    ['0x99999999999999999\n', 'bad-guid'],
    ['0x1234\n', 'unknown-switch'],
    ['', 'empty-file'],
  ])('refuses the list %j: %s', (own, code) => {
    const diagnostics = new Diagnostics();
    readSwitchList(own, 'f', tree.identity, isSwitch, diagnostics);
    expect(diagnostics.list.map((each) => each.code)).toEqual([code]);
  });
});

describe.skipIf(referencePath('infiniband') === null)('captured files', () => {
  it('small: the dump is written byte for byte; dump_lfts gives the same tables, an edited file two other entries', () => {
    const source = readIbnetdiscover(infinibandText('small', 'ibnetdiscover.out'), 'f', new Diagnostics())!;
    const made = routeFtree(source.fabric, source.identity) as ForwardingTables;
    expect([...lftTexts(source, [made])].join('')).toBe(infinibandText('small', 'opensm-lfts.dump'));
    expect(changedEntries(read(infinibandText('small', 'dump_lfts.out'), source).result!, made)).toBe(0);
    expect(changedEntries(read(infinibandText('small', 'mod.lfts'), source).result!, made)).toBe(2);
  });

  it("quartz1: ftree from the preset is OpenSM's dump, byte for byte", () => {
    const preset = identifiedTree('quartz1');
    const made = routeFtree(preset.fabric, preset.identity) as ForwardingTables;
    const expected = infinibandText('quartz1', 'opensm-lfts.ftree.dump.gz');
    expect([...lftTexts(preset, [made])].join('') === expected).toBe(true);
    expect(made.entries.reduce((count, entry) => count + (entry === noPort ? 0 : 1), 0)).toBe(674_864);
    const netFile = readIbnetdiscover(infinibandText('quartz1', 'quartz1.net.gz'), 'f', new Diagnostics())!;
    const source = { ...netFile, identity: withColdStartLids(netFile.fabric, netFile.identity)! };
    const fromNet = routeFtree(source.fabric, source.identity) as ForwardingTables;
    expect(changedEntries(read(expected, source).result!, fromNet)).toBe(0);
  });
});

it('other LIDs before the GUIDs of a table are counted once each, however the file is cut into pieces', () => {
  const shifted = dump.replaceAll(
    /^0x([0-9a-f]{4})/gm,
    (_, lid: string) => `0x${(parseInt(lid, 16) + 256).toString(16).padStart(4, '0')}`,
  );
  const said = [1, 100, 1 << 20].map((size) =>
    read(shifted, tree, size).diagnostics.list.map(({ message }) => message),
  );
  expect(said[0]).toEqual([expect.stringMatching(`^${tree.fabric.nodeCount} LIDs stand before GUIDs`)]);
  expect(said[1]).toEqual(said[0]);
  expect(said[2]).toEqual(said[0]);
});
