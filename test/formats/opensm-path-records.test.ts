// Service levels of pairs of hosts: OpenSM's dump with its four columns, what saquery prints, and what Weft writes, read
// again on random fabrics; every mistake with its place.

import { expect, it } from 'vitest';
import { Diagnostics } from '../../src/base/diagnostics.js';
import { RandomStream } from '../../src/base/random.js';
import { generateFabric } from '../../src/fabric/generators/catalogue.js';
import { generatedIdentity } from '../../src/fabric/identity.js';
import type { IdentifiedFabric } from '../../src/formats/subnet-records.js';
import { PathRecordReader, pathRecordTexts } from '../../src/formats/opensm-path-records.js';
import { ForwardingTables } from '../../src/routing/forwarding-tables.js';
import { RouteLanes, type FlowLevels } from '../../src/routing/route-lanes.js';
import { randomSwitches } from '../support/random-routes.js';
import { seed } from '../support/seed.js';

function identified(fabric: IdentifiedFabric['fabric']): IdentifiedFabric {
  return {
    fabric,
    identity: generatedIdentity(
      fabric,
      Array.from(fabric.nodeKind, (kind) => kind - 1),
    )!,
  };
}

/** Two switches, hosts 0 and 1 on the first, 2 on the second. */
const pair = identified(generateFabric('dumbbell', { leftHosts: 2, rightHosts: 1 }));
const [left, right] = [3, 4];
const lid = (node: number): string => `0x${pair.identity.lid[node]!.toString(16).padStart(4, '0').toUpperCase()}`;
const guid = (node: number): string => `0x${pair.identity.portGuid[node]!.toString(16).padStart(16, '0')}`;

function read(text: string, of = pair): { levels: FlowLevels | null; said: string[] } {
  const diagnostics = new Diagnostics();
  const reader = new PathRecordReader(of, 'f', diagnostics);
  const bytes = new TextEncoder().encode(text);
  // in pieces that cut lines
  for (let at = 0; at < bytes.length; at += 37) reader.push(bytes.subarray(at, at + 37));
  const levels = reader.end();
  return {
    levels,
    said: diagnostics.list.map(({ code, line }) => `${code} ${line}`),
  };
}

it("reads OpenSM's dump: all levels that a switch's hosts have, switches passed over", () => {
  const text = [
    `Switch ${guid(left)}, base LID ${pair.identity.lid[left]}, "leaf00", port 0`,
    '# LID  : SL : MTU : RATE',
    `${lid(0)} : 9  : 4   : 3   `,
    '',
    `Channel Adapter ${guid(0)}, base LID ${pair.identity.lid[0]}, "node000 HCA-1", port 1`,
    '# LID  : SL : MTU : RATE',
    `${lid(1)} : 0  : 4   : 3   `,
    `${lid(2)} : 2  : 4   : 3   `,
    `${lid(left)} : 7  : 4   : 3   `,
    '',
    `Channel Adapter ${guid(1)}, base LID ${pair.identity.lid[1]}, "node001 HCA-1", port 1`,
    `${lid(0)} : 1  : 4   : 3   `,
    `${lid(2)} : 5  : 4   : 3   `,
    '',
    `Channel Adapter ${guid(2)}, base LID ${pair.identity.lid[2]}, "node002 HCA-1", port 1`,
    `${lid(0)} : 3  : 4   : 3   `,
    `${lid(1)} : UNREACHABLE`,
    '',
  ].join('\n');
  const { levels, said } = read(text);
  expect(levels!.count).toBe(6);
  expect(levels!.levels(left, 2)).toBe((1 << 2) | (1 << 5));
  expect([levels!.levels(left, 0), levels!.levels(left, 1)]).toEqual([1 << 1, 1 << 0]);
  expect([levels!.levels(right, 0), levels!.levels(right, 1)]).toEqual([1 << 3, 1 << 0]);
  expect(said).toEqual(['missing-pair 0']);
});

/** A record as saquery prints it; to -1: the empty one for what has no way. */
const record = (from: number, to: number, level: number): string =>
  `PathRecord dump:\n\t\tdgid....................fe80::1\n\t\tdlid....................${to === -1 ? 0 : pair.identity.lid[to]}\n\t\tslid....................${pair.identity.lid[from]}\n\t\ttclass..................0x0\n\t\tsl......................0x${level.toString(16)}\n\t\tmtu.....................0x83\n`;

it('reads what saquery prints', () => {
  const pairs = [0, 1, 2].flatMap((from) => [0, 1, 2].map((to) => record(from, to, 4 * from + to)));
  const { levels, said } = read(pairs.join('') + record(0, -1, 14) + record(left, 1, 14));
  expect(said).toEqual([]);
  expect(levels!.levels(left, 2)).toBe((1 << 2) | (1 << 6));
  expect(levels!.levels(right, 1)).toBe(1 << 9);
});

it.each([
  ['', ['no-levels 0']],
  [`${lid(0)} : 1\n`, ['bad-level 1']],
  [`Channel Adapter ${guid(0)}, base LID 1, "n", port 1\n${lid(2)} : 15\n`, ['bad-level 2']],
  [`Channel Adapter ${guid(0)}, base LID 1, "n", port 1\n0x000g : 1\n`, ['bad-level 2']],
  [`Channel Adapter 0x77, base LID 1, "n", port 1\n${lid(2)} : 1\n`, ['no-levels 1']],
  [
    `Channel Adapter ${guid(0)}, base LID 1, "n", port 1\n${lid(2)} : 1\n0x7777 : 1\n`,
    ['unknown-destination 3', 'missing-pair 0'],
  ],
])('says what is odd: %j', (text, wanted) => {
  expect(read(text).said).toEqual(wanted);
});

it(`reads what it writes, on 20 random fabrics (WEFT_SEED=${seed})`, () => {
  const random = new RandomStream(seed, 'path records');
  for (let round = 0; round < 20; round++) {
    const source = identified(randomSwitches(random, 6, 8));
    const { fabric } = source;
    if (fabric.hosts.length < 2) continue;
    const { switches } = new ForwardingTables(fabric);
    const levels = new RouteLanes(fabric, switches);
    for (const from of switches)
      for (const destination of fabric.hosts) levels.setLevel(from, destination, random.nextBelow(15));
    const text = [...pathRecordTexts(source, levels)].join('');
    const { levels: again, said } = read(text, source);
    expect(said).toEqual([]);
    for (const source of fabric.hosts)
      for (const destination of fabric.hosts) {
        if (source === destination) continue;
        const from = fabric.portNode[fabric.portPeer[fabric.portOffset[source]!]!]!;
        expect(again!.levels(from, destination)).toBe(levels.levels(from, destination));
      }
  }
});
