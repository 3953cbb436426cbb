// What other tools than plain ibnetdiscover say of a fabric: each form, written here by its rules from generated trees,
// is the same fabric; what is odd is said with its place.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Diagnostics } from '../../src/base/diagnostics.js';
import { NodeKind } from '../../src/fabric/fabric.js';
import { recogniseFatTree } from '../../src/fabric/fat-tree.js';
import { generateFabric } from '../../src/fabric/generators/catalogue.js';
import { generatedIdentity, withColdStartLids } from '../../src/fabric/identity.js';
import { linkRateName } from '../../src/formats/ibnetdiscover-lines.js';
import { writeIbnetdiscover } from '../../src/formats/ibnetdiscover-writer.js';
import { readInfinibandFabric } from '../../src/formats/infiniband-fabric.js';
import type { IdentifiedFabric } from '../../src/formats/subnet-records.js';
import { rounds } from '../support/rounds.js';
import { seed } from '../support/seed.js';

function tree(given: Readonly<Record<string, unknown>>): IdentifiedFabric {
  const fabric = generateFabric('fat-tree', given);
  const identity = generatedIdentity(fabric, recogniseFatTree(fabric).tree!.nodeLevel)!;
  return { fabric, identity: withColdStartLids(fabric, identity)! };
}

function read(text: string): { result: IdentifiedFabric | null; said: string[] } {
  const diagnostics = new Diagnostics();
  const result = readInfinibandFabric(text, 'f', diagnostics);
  return { result, said: diagnostics.list.map(({ severity, code, line }) => `${severity} ${code} ${line}`) };
}

const hex = (value: bigint | number, digits: number): string => value.toString(16).padStart(digits, '0');

/** An end of a link with what forms say of it. */
function endOf({ fabric, identity }: IdentifiedFabric, port: number) {
  const node = fabric.portNode[port]!;
  return {
    kind: fabric.nodeKind[node] === NodeKind.host ? 'CA' : 'SW',
    name: identity.nodeName[node]!,
    nodeGuid: identity.nodeGuid[node]!,
    portGuid: identity.portGuid[node]!,
    lid: identity.lid[node]!,
    number: identity.portNumber[port]!,
    radix: identity.radix[node]!,
    rate: linkRateName(fabric.linkRateBps[fabric.portLink[port]!]!)!,
  };
}
type End = ReturnType<typeof endOf>;

const allPorts = ({ fabric }: IdentifiedFabric): number[] => Array.from({ length: fabric.portCount }, (_, i) => i);

const reportEnd = ({ kind, lid, number, portGuid }: End): string =>
  `${kind} ${String(lid).padStart(5)} ${String(number).padStart(2)} 0x${hex(portGuid, 16)}`;

/** As `ibnetdiscover -p`. */
function portsReport(given: IdentifiedFabric): string {
  return allPorts(given)
    .map((port) => {
      const [own, other] = [endOf(given, port), endOf(given, given.fabric.portPeer[port]!)];
      return `${reportEnd(own)} ${own.rate.replace('x', 'x ')} - ${reportEnd(other)} ( '${own.name}' - '${other.name}' )\n`;
    })
    .join('');
}

const listSpeeds: Record<string, string> = { SDR: '2.5', DDR: '5', QDR: '10', FDR10: 'FDR10', EDR: '25', HDR: '50' };
const listSpeed = (rate: string): string => `PHY=${rate.slice(0, 2)} LOG=ACT SPD=${listSpeeds[rate.slice(2)]}`;

const listEnd = ({ kind, radix, nodeGuid, portGuid, name, lid, number }: End): string =>
  `{ ${kind} Ports:${hex(radix, 2)} SystemGUID:${hex(nodeGuid, 16)} NodeGUID:${hex(nodeGuid, 16)} PortGUID:${hex(portGuid, 16)} VenID:000002C9 DevID:0000CB20 Rev:00000000 {${name}} LID:${hex(lid, 4)} PN:${hex(number, 2)} }`;

/** As ibdiagnet2.lst. */
function linkList(given: IdentifiedFabric): string {
  return allPorts(given)
    .filter((port) => port < given.fabric.portPeer[port]!)
    .map((port) => {
      const [own, other] = [endOf(given, port), endOf(given, given.fabric.portPeer[port]!)];
      return `${listEnd(own)} ${listEnd(other)} ${listSpeed(own.rate)}\n`;
    })
    .join('');
}

const csvSpeeds: Record<string, number> = { SDR: 1, DDR: 2, QDR: 4, FDR10: 65_536, EDR: 512, HDR: 1024 };

const rows = (name: string, header: string, lines: string[]): string =>
  `START_${name}\n${header}\n${lines.join('\n')}\nEND_${name}\n\n\n`;

/** As ibdiagnet2.db_csv. */
function tables(given: IdentifiedFabric): string {
  const ends = allPorts(given).map((port) => endOf(given, port));
  const nodes = new Map(ends.map((end) => [end.nodeGuid, end]));
  return (
    rows('GENERAL', 'a,b', ['1,2']) +
    rows(
      'NODES',
      'NodeDesc,NumPorts,NodeType,SystemImageGUID,NodeGUID,PortGUID',
      [...nodes.values()].map(
        ({ name, radix, kind, nodeGuid }) =>
          `"${name}",${radix},${kind === 'SW' ? 2 : 1},0x0,0x${hex(nodeGuid, 16)},0x0`,
      ),
    ) +
    rows(
      'PORTS',
      'NodeGuid,PortGuid,PortNum,LID,LinkWidthActv,LinkSpeedSup,LinkSpeedActv,LMC',
      ends.map(
        ({ nodeGuid, portGuid, number, lid, rate }) =>
          `0x${hex(nodeGuid, 16)},0x${hex(portGuid, 16)},${number},${lid},${rate.startsWith('4') ? 2 : 1},7,${csvSpeeds[rate.slice(2)]},0`,
      ),
    ) +
    rows(
      'LINKS',
      'NodeGuid1,PortNum1,NodeGuid2,PortNum2',
      allPorts(given)
        .filter((port) => port < given.fabric.portPeer[port]!)
        .map((port) => {
          const [own, other] = [ends[port]!, ends[given.fabric.portPeer[port]!]!];
          return `0x${hex(own.nodeGuid, 16)},${own.number},0x${hex(other.nodeGuid, 16)},${other.number}`;
        }),
    )
  );
}

/** GUID, LID, name, rate and far end of every port, whatever the numbers of the nodes. */
function links(given: IdentifiedFabric): string[] {
  return allPorts(given)
    .map((port) => {
      const [own, other] = [endOf(given, port), endOf(given, given.fabric.portPeer[port]!)];
      return `${own.kind} ${own.portGuid}[${own.number}] ${own.lid} ${own.name} ${own.rate} ${other.portGuid}[${other.number}]`;
    })
    .sort();
}

const anyTree = fc.record({
  pods: fc.integer({ min: 1, max: 3 }),
  edgesPerPod: fc.integer({ min: 1, max: 3 }),
  hostsPerEdge: fc.integer({ min: 1, max: 3 }),
  aggregationPerPod: fc.integer({ min: 1, max: 2 }),
  cores: fc.constant(2),
});

describe.each([
  ['ibnetdiscover', writeIbnetdiscover],
  ['ibnetdiscover -p', portsReport],
  ['ibdiagnet2.lst', linkList],
  ['ibdiagnet2.db_csv', tables],
])('%s', (_, write) => {
  it(`is the fabric that it was written from (seed ${seed})`, () => {
    fc.assert(
      fc.property(anyTree, (given) => {
        const whole = tree(given);
        const { result, said } = read(write(whole));
        expect(said.filter((line) => line.startsWith('error'))).toEqual([]);
        expect(links(result!)).toEqual(links(whole));
      }),
      { seed, numRuns: rounds(40) },
    );
  });

  it(`never fails on files that were changed (seed ${seed})`, () => {
    const text = write(tree({ k: 4 }));
    fc.assert(
      fc.property(fc.nat(text.length), fc.nat(40), fc.string({ maxLength: 12 }), (at, length, inserted) => {
        const { result, said } = read(text.slice(0, at) + inserted + text.slice(at + length));
        expect(result === null).toBe(said.some((line) => line.startsWith('error')));
      }),
      { seed, numRuns: rounds(150) },
    );
  });

  it('passes over what a tool or a shell said before it', () => {
    const whole = tree({ k: 4 });
    const { result, said } = read(`spack: loading\nibwarn: [7] mad_rpc: failed; dport (Lid 3)\n${write(whole)}`);
    // tables are named: what stands outside them has no meaning
    if (write !== tables) expect(said).toEqual(['warning other-lines 1']);
    expect(links(result!)).toEqual(links(whole));
  });
});

it('ibnetdiscover -g, -f and logs between its lines', () => {
  const whole = tree({ k: 4 });
  const plain = writeIbnetdiscover(whole);
  const firstNode = plain.indexOf('\n\n') + 2;
  const grouped = `${plain.slice(0, firstNode)}Chassis 1 (guid 0x8f10001)\n\n# Spine Nodes\n\n${plain.slice(firstNode)}`
    .replace('\n\ncaguid', '\n\nNon-Chassis Nodes\n\ncaguid')
    .replace(/ 4xEDR$/gm, ' 4xEDR s=4 w=2 v=4')
    .replace(
      '\n[2]',
      '\nsrc/query_smp.c:237; umad (DR path slid 65535; 0,1) bad status 110; Connection timed out\n[2]',
    );
  const { result, said } = read(grouped);
  expect(said.map((line) => line.replace(/ \d+$/, ''))).toEqual(['warning other-lines']);
  expect(links(result!)).toEqual(links(whole));
});

describe('what is odd', () => {
  const small = tree({ pods: 1, edgesPerPod: 1, hostsPerEdge: 2, aggregationPerPod: 1, cores: 1 });
  it.each<[string, string, string[]]>([
    ['a speed of no name in -p', portsReport(small).replace('4x EDR', '4x 53.125'), ['error bad-rate 1']],
    ['a line of another form in -p', portsReport(small).replace(" - '", " '"), ['error unknown-line 1']],
    ['a port without a link in -p', `${portsReport(small)}CA     9  2 0x00000000000000ff 4x SDR 'x'\n`, []],
    ['a speed of no name in .lst', linkList(small).replace('SPD=25', 'SPD=26'), ['error bad-rate 1']],
    ['no speed in .lst', linkList(small).replace(' SPD=25', ''), ['error bad-rate 1']],
    [
      'two links of one port',
      linkList(small).replace(/PN:02 \} PHY|PN:02 \} \{/, (word) => word.replace('02', '01')),
      ['error contradicting-link 2'],
    ],
    ['a speed of no number in tables', tables(small).replace(',2,7,512,0', ',2,7,3,0'), ['error bad-rate']],
    ['several LIDs of one port in tables', tables(small).replace(',512,0', ',512,2'), ['error']],
    ['a table that is missing', tables(small).replaceAll('_PORTS', '_PORT'), ['error missing-table 0']],
    ['a table that is cut off', tables(small).replace('END_LINKS', ''), ['error truncated 0']],
    ['a list of nodes', 'Ca\t : 0x0002c90000100030 ports 1 devid 0x1017 vendid 0x2c9 "n"\n', ['error other-file 1']],
    [
      'iblinkinfo',
      'CA: n HCA-1:\n 0x2 1 1[  ] ==( 4X 25.78125 Gbps Active/ LinkUp)==> 2 1[  ] "leaf" ( )\n',
      ['error other-file 2'],
    ],
    ['net_dump', '"leaf", Quantum, 0x2, LID 2\n #  : IB# : Sta : PhysSta : MTU : LWA\n', ['error other-file 2']],
  ])('%s', (_, text, expected) => {
    const { result, said } = read(text);
    for (const [i, code] of expected.entries()) expect(said[i]).toMatch(new RegExp(`^${code}`));
    expect(result === null).toBe(expected.length > 0);
  });
});
