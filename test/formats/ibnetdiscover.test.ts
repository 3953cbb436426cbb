// ibnetdiscover's output: what is read from captured fabrics, and the code and the place of every mistake.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Diagnostics } from '../../src/base/diagnostics.js';
import { irregularity, recogniseFatTree } from '../../src/fabric/fat-tree.js';
import { generateFabric } from '../../src/fabric/generators/catalogue.js';
import { generatedIdentity, withAttachedLids, withColdStartLids } from '../../src/fabric/identity.js';
import { readIbnetdiscover } from '../../src/formats/ibnetdiscover.js';
import type { IdentifiedFabric } from '../../src/formats/subnet-records.js';
import {
  commentOf,
  linkRateBps,
  linkRateName,
  readPortLine,
  readUsualPortLine,
} from '../../src/formats/ibnetdiscover-lines.js';
import { writeIbnetdiscover } from '../../src/formats/ibnetdiscover-writer.js';
import { referencePath } from '../reference.js';
import { identifiedTree, infinibandText } from '../support/infiniband.js';
import { rounds } from '../support/rounds.js';
import { seed } from '../support/seed.js';

// two hosts on one leaf; the second adapter has its second port linked to a spine-less port 3
const good = `# a comment
vendid=0x2c9
switchguid=0x10(10)
Switch\t4 "S-0000000000000010"\t\t# "leaf" base port 0 lid 7 lmc 0
[1]\t"H-0000000000000020"[1](21)\t\t# "n10 HCA-1" lid 8 4xEDR
[3]\t"H-0000000000000030"[2](32)\t\t# "n9 HCA-1" lid 9 4xHDR

caguid=0x20
Ca\t1 "H-0000000000000020"\t\t# "n10 HCA-1"
[1](21) \t"S-0000000000000010"[1]\t\t# lid 8 lmc 0 "leaf" lid 7 4xEDR

caguid=0x30
Ca\t2 "H-0000000000000030"\t\t# "n9 HCA-1"
[2](32) \t"S-0000000000000010"[3]\t\t# lid 9 lmc 0 "leaf" lid 7 4xHDR
`;

function read(text: string): { result: IdentifiedFabric | null; diagnostics: Diagnostics } {
  const diagnostics = new Diagnostics();
  return { result: readIbnetdiscover(text, 'f.net', diagnostics), diagnostics };
}

function mustRead(text: string): IdentifiedFabric {
  const { result, diagnostics } = read(text);
  expect(diagnostics.list).toEqual([]);
  return result!;
}

describe('reading', () => {
  it('gives nodes by name, ports by number, GUIDs, LIDs and rates', () => {
    const { fabric, identity } = mustRead(good);
    expect(identity.nodeName).toEqual(['n9 HCA-1', 'n10 HCA-1', 'leaf']);
    expect([...identity.lid]).toEqual([9, 8, 7]);
    expect([...identity.portGuid]).toEqual([0x32n, 0x21n, 0x10n]);
    expect([...identity.nodeGuid]).toEqual([0x30n, 0x20n, 0x10n]);
    expect([...identity.radix]).toEqual([2, 1, 4]);
    const leafPorts = [fabric.portOffset[2]!, fabric.portOffset[2]! + 1];
    expect(
      leafPorts.map((port) => [
        identity.portNumber[port],
        fabric.portNode[fabric.portPeer[port]!],
        fabric.linkRateBps[fabric.portLink[port]!],
      ]),
    ).toEqual([
      [1, 1, 100e9],
      [3, 0, 200e9],
    ]);
  });

  it.each([
    ['CRLF', good.replaceAll('\n', '\r\n')],
    ['a byte order mark', `\ufeff${good}`],
    ['chassis, as with -g', good.replace('vendid=0x2c9\n', '\nChassis 1 (guid 0x8f1000000)\nvendid=0x2c9\n')],
    ['external port numbers of chassis switches', good.replace('[1]\t"H', '[1][ext 17]\t"H')],
  ])('accepts %s', (_, text) => {
    expect(mustRead(text)).toEqual(mustRead(good));
  });

  it('leaves out cables from a switch to itself and adapters without links, and says so', () => {
    const { result, diagnostics } = read(
      `${good.replace('[3]\t"H', '[2]\t"S-0000000000000010"[4]\t# "leaf" lid 7 4xEDR\n[4]\t"S-0000000000000010"[2]\t# "leaf" lid 7 4xEDR\n[3]\t"H')}\ncaguid=0x40\nCa\t1 "H-0000000000000040"\n`,
    );
    expect(diagnostics.list.map(({ severity, code }) => `${severity} ${code}`).sort()).toEqual([
      'warning loopback',
      'warning unlinked-host',
    ]);
    expect(result!.fabric.linkCount).toBe(2);
  });

  it('names are bytes as they are: quotes, hashes, words that look like fields', () => {
    for (const name of [
      'q"uo"te',
      'a # lid 3 lmc 2 b',
      '[3] "S-1"[2]',
      'Switch 4',
      '\u00fcber \u6f22',
      'x'.repeat(500),
    ]) {
      expect(mustRead(good.replaceAll('"n9 HCA-1"', `"${name}"`)).identity).toMatchObject({
        nodeName: expect.arrayContaining([name, 'n10 HCA-1', 'leaf']) as string[],
      });
    }
  });

  it('aggregation nodes are no hosts: they are kept beside the fabric, and said', () => {
    const text = `${good.replace('[3]\t"H', '[4]\t"H-0000000000000040"[1](41)\t\t# "Mellanox Technologies Aggregation Node" lid 11 4xHDR\n[3]\t"H')}\ncaguid=0x40\nCa\t1 "H-0000000000000040"\t\t# "Mellanox Technologies Aggregation Node"\n[1](41) \t"S-0000000000000010"[4]\t\t# lid 11 lmc 0 "leaf" lid 7 4xHDR\n`;
    const { result, diagnostics } = read(text);
    expect(diagnostics.list.map(({ severity, code, line }) => `${severity} ${code} ${line}`)).toEqual([
      'warning aggregation-node 18',
    ]);
    const {
      fabric,
      identity: { attached, ...identity },
    } = result!;
    expect({ fabric, identity }).toEqual(mustRead(good));
    expect(attached).toEqual([
      {
        name: 'Mellanox Technologies Aggregation Node',
        nodeGuid: 0x40n,
        portGuid: 0x41n,
        lid: 11,
        ownPort: 1,
        switchNode: 2,
        switchPort: 4,
      },
    ]);
    expect(read(writeIbnetdiscover(result!)).result!.identity).toEqual(result!.identity);
    // their LIDs and GUIDs are end ports' like others
    expect(read(text.replace('# lid 11 lmc', '# lid 8 lmc')).diagnostics.list.map(({ code }) => code)).toContain(
      'duplicate-lid',
    );
    // on a cold start they have LIDs as others do: 1 to the first host, then by GUIDs with their bytes reversed: 10,
    // 21, 41
    const cold = withColdStartLids(fabric, {
      ...result!.identity,
      lid: new Uint16Array(3),
      attached: withAttachedLids(attached!, () => 0),
    })!;
    expect([[...cold.lid], cold.attached!.map(({ lid }) => lid)]).toEqual([[1, 3, 2], [4]]);
  });

  it('a router is taken for a host, and said', () => {
    const { result, diagnostics } = read(good.replace('caguid=0x30\nCa', 'rtguid=0x30\nRt'));
    expect([
      result!.fabric.hosts.length,
      diagnostics.list.map(({ severity, code, line }) => `${severity} ${code} ${line}`),
    ]).toEqual([2, ['warning router 13']]);
  });

  it('orders hosts by name and not by place in the file', () => {
    const records = good.split('\n\n');
    expect(mustRead([records[2]!, records[0]!, records[1]!].join('\n\n')).identity).toEqual(mustRead(good).identity);
  });

  it('knows rates by name', () => {
    expect(['4xSDR', '4xQDR', '1xHDR', '2xHDR', '4xHDR', '4xNDR', '4xXDR'].map(linkRateBps)).toEqual([
      8e9, 32e9, 50e9, 100e9, 200e9, 400e9, 800e9,
    ]);
    expect(linkRateName(100e9)).toBe('4xEDR');
    expect(linkRateBps('3xEDR')).toBeNull();
    expect(linkRateBps('4xtoString')).toBeNull();
  });
});

describe('mistakes', () => {
  const replaced = (from: string, to: string): string => {
    expect(good).toContain(from);
    return good.replace(from, to);
  };
  it.each<[string, string, string[]]>([
    ['an empty file', '\n# nothing\n', ['empty-file 0:0']],
    ['a line of something else', replaced('caguid=0x20', 'hello'), ['unknown-line 8:1']],
    ['a node without ports count', replaced('Ca\t1', 'Ca\tx'), ['bad-node 9:1']],
    ['a radix of 300', replaced('Switch\t4', 'Switch\t300'), ['bad-radix 4:1']],
    ['a port beyond the radix', replaced('[3]\t"H', '[5]\t"H'), ['port-beyond-radix 6:1']],
    [
      'a remote port beyond the radix',
      replaced('"S-0000000000000010"[3]', '"S-0000000000000010"[9]'),
      ['contradicting-link 6:1', 'port-beyond-radix 14:1'],
    ],
    ['a port twice', replaced('[3]\t"H', '[1]\t"H'), ['duplicate-port 6:1']],
    ['a port of no form', replaced('[3]\t"H-0000000000000030"[2](32)', '[3]\t"H-0000000000000030"'), ['bad-port 6:1']],
    ['nothing of the form', 'hello\nyou\n', ['unknown-line 1:1']],
    ['a speed that is a number', replaced('lid 9 4xHDR', 'lid 9 4x53.125'), ['bad-rate 6:1']],
    ['a width of ??', replaced('lid 9 4xHDR', 'lid 9 ??xHDR'), ['bad-rate 6:1']],
    ['no speed where others have one', replaced('"n9 HCA-1" lid 9 4xHDR', '"n9 HCA-1" lid 9'), ['bad-rate 6:1']],
    ['an unknown speed', replaced('lid 9 4xHDR', 'lid 9 4xQQR'), ['bad-rate 6:1']],
    ['a port before any node', `[1] "S-1"[2]\n${good}`, ['port-without-node 1:1']],
    ['a file that is cut off', good.slice(0, good.indexOf('caguid=0x30')), ['unknown-node 6:1']],
    ['a file that is cut off in a record', good.slice(0, good.lastIndexOf('[2](32)')), ['one-sided-link 6:1']],
    [
      'ends that contradict each other',
      replaced('"S-0000000000000010"[1]', '"S-0000000000000010"[3]'),
      ['contradicting-link 5:1', 'contradicting-link 10:1'],
    ],
    ['a node twice', `${good}\ncaguid=0x20\nCa\t1 "H-0000000000000020"\n`, ['duplicate-node 17:1']],
    ['a LID twice', replaced('# lid 9 lmc', '# lid 7 lmc'), ['duplicate-lid 4:1']],
    ['a LID out of range', replaced('# lid 9 lmc', '# lid 49152 lmc'), ['bad-lid 14:1']],
    ['several LIDs of a switch alone', replaced('port 0 lid 7 lmc 0', 'port 0 lid 8 lmc 1'), ['different-lmc 4:1']],
    ['several LIDs of one host alone', replaced('# lid 9 lmc 0', '# lid 10 lmc 1'), ['different-lmc 10:1']],
    ['a base LID that does not fit its LMC', good.replace(/lmc 0 "/g, 'lmc 1 "'), ['bad-lid 14:1']],
    ['LIDs that overlap', good.replace(/lid (?:8|9) lmc 0 "/g, 'lid 8 lmc 1 "'), ['duplicate-lid 10:1']],
    [
      'a LID within the range of a host',
      good.replace(/lid [89] lmc 0 "/g, 'lid 4 lmc 2 "'),
      ['duplicate-lid 10:1', 'duplicate-lid 4:1'],
    ],
    ['16 LIDs per host', good.replace(/lid [89] lmc 0 "/g, 'lid 0 lmc 4 "'), ['several-lids 14:1']],
    ['a GUID twice', good.replaceAll('(32)', '(21)'), ['duplicate-guid 10:1']],
    ['no hosts', 'switchguid=0x10\nSwitch 4 "S-0000000000000010"\n', ['no-host 0:0']],
    [
      'a node without a GUID',
      replaced('switchguid=0x10(10)\n', '').replaceAll('S-0000000000000010', 'S-x'),
      ['missing-guid 3:1', 'unknown-node 9:1', 'unknown-node 13:1'],
    ],
  ])('%s', (_, text, expected) => {
    const { result, diagnostics } = read(text);
    expect(result).toBeNull();
    const errors = diagnostics.list
      .filter(({ severity }) => severity === 'error')
      .map(({ code, line, column }) => `${code} ${line}:${column}`);
    if (expected.includes('unknown-node 9:1')) expect(errors[0]).toBe(expected[0]);
    else expect(errors).toEqual(expected);
  });
});

it('a file that is cut anywhere is refused, or nothing is missing', () => {
  const whole = mustRead(good);
  for (let length = 0; length < good.length; length++) {
    const { result } = read(good.slice(0, length));
    if (result !== null) expect({ length, result }).toEqual({ length, result: whole });
  }
  // the last line without its end is whole
  expect(read(good.slice(0, -1)).result).not.toBeNull();
});

it('the slower of two ends counts, and is said', () => {
  const { result, diagnostics } = read(good.replace('lid 9 4xHDR', 'lid 9 4xFDR10'));
  expect([
    Math.min(...result!.fabric.linkRateBps),
    diagnostics.list.map(({ severity, code, line }) => `${severity} ${code} ${line}`),
  ]).toEqual([40e9, ['warning contradicting-rate 14']]);
});

it(`any text near the form gives a fabric or positioned errors (WEFT_SEED=${seed})`, () => {
  const edit = fc.record({
    at: fc.nat(good.length),
    drop: fc.nat(8),
    insert: fc.string({
      unit: fc.constantFrom(
        '0',
        '9',
        '[',
        ']',
        '"',
        '(',
        'S-',
        'Ca',
        '#',
        ' ',
        '\t',
        '\n',
        '\r',
        'lid ',
        '4x',
        '\u2028',
        '😀',
      ),
      maxLength: 5,
    }),
  });
  fc.assert(
    fc.property(fc.array(edit, { minLength: 1, maxLength: 5 }), (edits) => {
      let text = good;
      for (const { at, drop, insert } of edits) text = text.slice(0, at) + insert + text.slice(at + drop);
      const { result, diagnostics } = read(text);
      expect(result === null).toBe(diagnostics.hasErrors);
      const lines = text.split('\n');
      for (const { line, column } of diagnostics.list) {
        expect(line).toBeLessThanOrEqual(lines.length);
        if (line > 0) expect(column).toBeLessThanOrEqual(lines[line - 1]!.length + 1);
      }
    }),
    { seed, numRuns: rounds(400) },
  );
});

/** A generated fat tree with the identity that its levels give it. */
function identified(given: Readonly<Record<string, unknown>>): IdentifiedFabric {
  const fabric = generateFabric('fat-tree', given);
  return { fabric, identity: generatedIdentity(fabric, recogniseFatTree(fabric).tree!.nodeLevel)! };
}

/** GUID, LID and far end of every port, whatever the numbers of the nodes. */
function byGuid({ fabric, identity }: IdentifiedFabric): string[] {
  const end = (port: number): string => `${identity.portGuid[fabric.portNode[port]!]!}[${identity.portNumber[port]}]`;
  return Array.from(
    fabric.portPeer,
    (peer, port) =>
      `${end(port)} ${identity.lid[fabric.portNode[port]!]} ${identity.nodeName[fabric.portNode[port]!]} ${end(peer)}`,
  ).sort();
}

it('what is written is read back', () => {
  for (const given of [
    { k: 4 },
    { pods: 2, edgesPerPod: 3, hostsPerEdge: 2, aggregationPerPod: 4, cores: 6, coreGroups: 2 },
  ]) {
    const tree = identified(given);
    expect(byGuid(mustRead(writeIbnetdiscover(tree)))).toEqual(byGuid(tree));
  }
});

/** LIDs by GUID of a guid2lid file. */
function lidsOf(text: string): Map<bigint, number> {
  return new Map(
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => line.split(' '))
      .map(([guid, lid]) => [BigInt(guid!), Number(lid)]),
  );
}

function lids({ identity }: IdentifiedFabric): Map<bigint, number> {
  return new Map([...identity.portGuid].map((guid, node) => [guid, identity.lid[node]!]));
}

describe.skipIf(referencePath('infiniband') === null)('captured fabrics', () => {
  it("small: the net file and what was discovered are one fabric, and LIDs of a cold start are OpenSM's", () => {
    const netFile = mustRead(infinibandText('small', 'small.net'));
    const cold = { ...netFile, identity: withColdStartLids(netFile.fabric, netFile.identity)! };
    expect(byGuid(mustRead(infinibandText('small', 'ibnetdiscover.out')))).toEqual(byGuid(cold));
    expect(lids(cold)).toEqual(lidsOf(infinibandText('small', 'guid2lid')));
  });

  it('quartz1 is what the preset generates, GUIDs, LIDs and ports included', () => {
    const netFile = mustRead(infinibandText('quartz1', 'quartz1.net.gz'));
    const preset = generateFabric('quartz1');
    const { tree } = recogniseFatTree(preset);
    const generated = { fabric: preset, identity: generatedIdentity(preset, tree!.nodeLevel)! };
    expect(byGuid({ ...netFile, identity: withColdStartLids(netFile.fabric, netFile.identity)! })).toEqual(
      byGuid(generated),
    );
    expect(lids(generated)).toEqual(lidsOf(infinibandText('quartz1', 'guid2lid.gz')));
    expect(irregularity(tree!)).toBeNull();
  });
});

it.each([
  [54.545e9, '4xFDR'],
  [2e9, '1xSDR'],
  [400e9, '4xNDR'],
  [56e9, null],
  [60e9, null],
  [3e9, null],
  [99e9, null],
])('a rate of %d bit/s is written as %s, or refused with the rates that there are', (rateBps, name) => {
  const tree = identifiedTree('leaf-spine', { hostRate: `${rateBps / 1e6}Mbps` });
  if (name === null) expect(() => writeIbnetdiscover(tree)).toThrow(/no InfiniBand link has this rate[^]*4xEDR/);
  else expect(writeIbnetdiscover(tree).match(/"H-.*lid \d+ (\w+)$/m)?.[1]).toBe(name);
});

it(`reads the usual line of a port as any other (WEFT_SEED=${seed})`, () => {
  const words =
    ' ,|,\t,|,#,|,",|,lid 7,|,lmc 1,|,lid 49151 lmc 3,|,"leaf # 1",|,"a "b" c",|,[ext 18],|,(2c9),|,4xEDR,|,2xHDR,|,' +
    's=4,|,lid,|,"S-00",|,[3],|,[33],|,(00FF),|,\r,|,4xFDR10,|,???,|,1x';
  const word = fc.constantFrom(...words.split(',|,'));
  let usual = 0;
  fc.assert(
    fc.property(
      fc.record({
        guid: fc.constantFrom('', '(2c90000400001)', '(0)'),
        blank: fc.constantFrom('', '\t', ' \t '),
        own: fc.constantFrom('', ' lid 0 lmc 0', ' lid 12 lmc 1', 'lid 5 lmc 0'),
        rate: fc.constantFrom('4xEDR', '12xSDR', '4xFDR10'),
        extra: fc.array(fc.tuple(word, fc.nat(80)), { maxLength: 2 }),
      }),
      ({ guid, blank, own, rate, extra }) => {
        let line = `[33]${guid}${blank}"S-0002c90000040000"[1]\t\t#${own} "leaf 0" lid 9 ${rate}`;
        for (const [text, at] of extra) line = line.slice(0, at) + text + line.slice(at);
        const { body, comment } = commentOf(line);
        for (const ofSwitch of [true, false]) {
          const read = readUsualPortLine(line, ofSwitch);
          if (read === null) continue;
          usual++;
          expect(read, line).toEqual(readPortLine(body.trimEnd(), comment, ofSwitch));
        }
      },
    ),
    { seed, numRuns: rounds(2000) },
  );
  expect(usual).toBeGreaterThan(0);
});
