// SL2VL tables: texts as OpenSM 3.3.23 dumps them and smpquery 44 prints them, counted by hand, mistakes with their
// places.

import { describe, expect, it } from 'vitest';
import { Diagnostics } from '../../src/base/diagnostics.js';
import { readLaneTables } from '../../src/formats/opensm-sl2vl.js';
import { identifiedTree } from '../support/infiniband.js';

const tree = identifiedTree('fat-tree', { pods: 1, edgesPerPod: 2, hostsPerEdge: 2, aggregationPerPod: 2 });
const { identity } = tree;
const leaves = ['leaf00', 'leaf01'].map((name) => identity.nodeName.indexOf(name));
const guid = (node: number): string => `0x${identity.portGuid[node]!.toString(16).padStart(16, '0')}`;
const block = (node: number, kind: string, rows: string): string =>
  `${kind} ${guid(node)}, base LID ${identity.lid[node]}, "a "name" # 0 1 : 2"\n#in out : 0  1  2  3  4  5  6  7  8  9  10 11 12 13 14 15\n#--------------------------------------------------------\n${rows}#--------------------------------------------------------\n\n`;
const four = '0  1  2  3  0  1  2  3  0  1  2  3  0  1  2  3 ';
const same = '0  1  2  3  4  5  6  7  8  9  10 11 12 13 14 7 ';
const dump =
  block(leaves[0]!, 'Switch', `0   1   : ${four}\n1   1   : ${four}\n2   1   : ${same}\n1   0   : ${same}\n`) +
  block(0, 'Channel Adapter', `0   0   : ${four}\n`);
const asked = `# SL2VL table: Lid ${identity.lid[leaves[1]!]}\n#                 SL: | 0| 1| 2| 3| 4| 5| 6| 7| 8| 9|10|11|12|13|14|15|\nports: in  0, out  1: | 0| 1| 2| 3| 4| 5| 6| 7| 8| 9|10|11|12|13|14| 7|\n`;

function read(text: string): { found: ReturnType<typeof readLaneTables>; said: string[] } {
  const diagnostics = new Diagnostics();
  const found = readLaneTables(text, 'f', tree, diagnostics);
  return { found, said: diagnostics.list.map(({ severity, code, line }) => `${severity} ${code} ${line}`) };
}

it('counts pairs of ports by table; port 0 of a switch is left out, that of an adapter is not', () => {
  const { found, said } = read(dump + asked);
  expect(said).toEqual([]);
  expect(found.tables).toEqual([
    { lanes: [0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3], pairs: 3, nodes: [0, leaves[0]] },
    { lanes: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 7], pairs: 2, nodes: leaves },
  ]);
  // the two spines
  expect(found.missingSwitches.map((node) => identity.nodeName[node])).toEqual(['spine00', 'spine01']);
});

it('of two readings of a pair the last one counts', () => {
  expect(read(dump + dump.replaceAll(four, same)).found.tables).toMatchObject([{ pairs: 4 }]);
});

describe('what is odd is said', () => {
  it.each([
    ['nothing', 'hello\n', ['error bad-lanes 1']],
    ['an empty file', '\n', ['error no-lanes 0']],
    ['another fabric', dump.replaceAll(' 0x0', ' 0x1'), ['error no-lanes 0']],
    ['a node that the fabric has not', dump + asked.replace(/Lid \d+/, 'Lid 999'), ['warning unknown-port 16']],
    [
      'a directed route',
      dump + asked.replace(/Lid \d+/, 'DR path slid 65535; dlid 65535; 0,1'),
      ['warning unknown-port 16'],
    ],
    ['15 lanes', dump.replace('13 14 7 ', '13 14 '), ['error bad-lanes 6']],
    ['lane 16', dump.replace('13 14 7 ', '13 14 16'), ['error bad-lanes 6']],
    ['a line cut off', dump.slice(0, dump.indexOf(same) + 10), ['error bad-lanes 6']],
    ['a port beyond the radix', dump.replace('2   1   :', '2   5   :'), ['error port-beyond-radix 6']],
    ['lanes before a node', `0   1   : ${four}\n${dump}`, ['error bad-lanes 1']],
  ])('%s', (_, text, expected) => {
    expect(read(text).said).toEqual(expected);
  });
});
