// What links carried follows from flows and hops: by hand on a fabric of two leaves, and as sums on it.

import { describe, expect, it } from 'vitest';
import { generateFabric } from '../../../src/fabric/generators/catalogue.js';
import { flowTable, hopTable } from '../../../src/records/flow-records.js';
import { TableWriter, type Batch, type RecordSink } from '../../../src/records/schema.js';
import { shareOf } from '../../../src/report/page/carried-loads.js';
import { contentionOf } from '../../../src/report/page/contention.js';
import { fabricPicture } from '../../../src/report/page/fabric-picture.js';
import { reportOf } from '../../../src/report/page/report.js';
import { RunRecords } from '../../../src/report/page/run-records.js';

const fabric = generateFabric('leaf-spine', { leaves: 2, spines: 2, hostsPerLeaf: 2 });
// hosts 0..3, leaves 4 and 5, spines 6 and 7
const portTo = (node: number, peer: number): number => {
  for (let port = fabric.portOffset[node]!; port < fabric.portOffset[node + 1]!; port++)
    if (fabric.portNode[fabric.portPeer[port]!] === peer) return port;
  throw new Error(`no link from ${node} to ${peer}`);
};
const numberTo = (node: number, peer: number): number => portTo(node, peer) - fabric.portOffset[node]! + 1;

function batches(write: (sink: RecordSink) => void): Batch[] {
  const list: Batch[] = [];
  write({ full: false, put: (batch) => list.push(batch), drain: () => Promise.resolve() });
  return list;
}

/** Flows by number: from host to host, size, and nodes of each hop with the next node. */
function recordsOf(
  flows: readonly {
    readonly id: number;
    readonly from: number;
    readonly to: number;
    readonly size: number;
    readonly hops: readonly (readonly [hop: number, node: number, next: number])[];
  }[],
): RunRecords {
  const records = new RunRecords(fabric, []);
  const all = batches((sink) => {
    const writer = new TableWriter(flowTable, sink);
    for (const { id, from, to, size } of flows) {
      [id, from, to, 1, 100, size, 0, 1e6 * (id + 1), 1e6].forEach((value, i) => {
        writer.columns[i]![writer.rows] = value;
      });
      writer.commit();
    }
    writer.flush();
    const hops = new TableWriter(hopTable, sink);
    for (const { id, from, to, hops: own } of flows)
      for (const [hop, node, next] of own) {
        [id, from, to, 1, 100, hop, node, numberTo(node, next)].forEach((value, i) => {
          hops.columns[i]![hops.rows] = value;
        });
        hops.commit();
      }
    hops.flush();
  });
  for (const batch of all) records.put(batch);
  records.end();
  return records;
}

const [leafA, leafB, spineA, spineB] = [4, 5, 6, 7];

/** Hops of a flow to host 2 by a spine. */
function over(spine: number): [number, number, number][] {
  return [
    [0, leafA, spine],
    [1, spine, leafB],
    [2, leafB, 2],
  ];
}

describe('contention of links', () => {
  it('is the time that sharing cost, of what the flows would have taken alone', () => {
    // both start at 0 and take 1 us alone; the first is done by then, the second at 2 us: half of the first
    // microsecond was lost, at the link of the host, which no path avoids, and not at the links before it
    for (const second of [over(spineA), [...over(spineA), ...over(spineB)].sort((a, b) => a[0] - b[0])]) {
      const { loads, flows } = recordsOf([
        { id: 0, from: 0, to: 2, size: 100, hops: over(spineA) },
        { id: 1, from: 1, to: 2, size: 100, hops: second },
      ]);
      const { lostPs, alonePs, mostFlows } = contentionOf(loads!, flows);
      const shared = portTo(leafB, 2);
      expect([lostPs[shared], alonePs[shared], mostFlows[shared]]).toEqual([0.5e6, 2e6, 2]);
      expect(lostPs.reduce((sum, own) => sum + own, 0)).toBe(0.5e6);
      const { svg, lines, names } = fabricPicture(loads!, flows, 2e6);
      const { down } = lines.find(({ from, to }) => names[from] === 'host[2]' && names[to] === 'leaf[1]')!;
      expect(down).toMatchObject({ lostPs: 0.5e6, lost: 25, sharers: 2 });
      // up to 25 %: the class behind those of none, 1 % and 10 %; everything else has none
      expect(svg.match(/ w[1-6]"/g)).toEqual([' w3"']);
    }
  });
});

describe('loads of links', () => {
  it('are the sizes of the flows on them, the host itself included', () => {
    const { loads } = recordsOf([
      {
        id: 0,
        from: 0,
        to: 2,
        size: 100,
        hops: [
          [0, leafA, spineA],
          [1, spineA, leafB],
          [2, leafB, 2],
        ],
      },
      {
        id: 1,
        from: 1,
        to: 2,
        size: 30,
        hops: [
          [0, leafA, spineA],
          [1, spineA, leafB],
          [2, leafB, 2],
        ],
      },
      { id: 2, from: 0, to: 1, size: 7, hops: [[0, leafA, 1]] },
    ]);
    const sent = (node: number, peer: number): number => loads!.bytes[portTo(node, peer)]!;
    expect([sent(0, leafA), sent(1, leafA), sent(leafA, spineA), sent(spineA, leafB), sent(leafB, 2)]).toEqual([
      107, 30, 130, 130, 130,
    ]);
    expect([sent(leafA, 1), sent(leafA, spineB), sent(spineA, leafA)]).toEqual([7, 0, 0]);
    expect(loads!.flows[portTo(leafA, spineA)]).toBe(2);
    // 130 bytes at 100 Gbit/s are 10.4 ns
    const port = portTo(leafA, spineA);
    const rateBps = fabric.linkRateBps[fabric.portLink[port]!]!;
    expect(shareOf(loads!, port, 1e6)).toBeCloseTo((130 * 8) / (rateBps * 1e-6), 12);
  });

  it('are shared out over the ways of a flow that was moved, which is one flow on what they share', () => {
    const { loads } = recordsOf([
      { id: 0, from: 0, to: 2, size: 90, hops: [...over(spineA), ...over(spineB), ...over(spineA)] },
    ]);
    const at = (node: number, peer: number): [number, number] => {
      const port = portTo(node, peer);
      return [Math.round(loads!.bytes[port]!), loads!.flows[port]!];
    };
    expect([at(0, leafA), at(leafA, spineA), at(leafA, spineB), at(spineB, leafB), at(leafB, 2)]).toEqual([
      [90, 1],
      [60, 1],
      [30, 1],
      [30, 1],
      [90, 1],
    ]);
    expect(loads!.ways.length).toBe(1);
  });

  it('are shared out where packets of a flow take several ports', () => {
    const { loads } = recordsOf([
      {
        id: 0,
        from: 0,
        to: 2,
        size: 100,
        hops: [
          [0, leafA, spineA],
          [0, leafA, spineB],
          [1, spineA, leafB],
          [1, spineB, leafB],
          [2, leafB, 2],
        ],
      },
    ]);
    const sent = (node: number, peer: number): number => loads!.bytes[portTo(node, peer)]!;
    expect([sent(leafA, spineA), sent(leafA, spineB), sent(spineB, leafB), sent(leafB, 2)]).toEqual([50, 50, 50, 100]);
    expect(sent(0, leafA)).toBe(100);
  });

  it('pass over ports that the fabric has not, and say how many', () => {
    const records = new RunRecords(fabric, []);
    for (const batch of batches((sink) => {
      const hops = new TableWriter(hopTable, sink);
      for (const [node, number] of [
        [99, 1],
        [4, 77],
        [-1, 1],
        [0, 1],
      ] as const) {
        [0, 0, 2, 1, 100, 0, node, number].forEach((value, i) => {
          hops.columns[i]![hops.rows] = value;
        });
        hops.commit();
      }
      hops.flush();
    }))
      records.put(batch);
    records.end();
    expect(records.loads!.strangers).toBe(4);
    expect(reportOf([{ label: 'x', manifest: null, summary: null, records }]).drawings[0]!.note).toMatch(
      /^4 hops of flows/,
    );
    expect(records.loads!.bytes.every((value) => value === 0)).toBe(true);
  });

  it('become a picture whose lines and paths are those of the flows', () => {
    const { loads, flows } = recordsOf([
      {
        id: 0,
        from: 0,
        to: 2,
        size: 100,
        hops: [
          [0, leafA, spineA],
          [1, spineA, leafB],
          [2, leafB, 2],
        ],
      },
    ]);
    const picture = fabricPicture(loads!, flows, 1e6);
    expect(picture.lines).toHaveLength(fabric.linkCount);
    const [way] = picture.flows;
    const texts = way!.lines.map((line, i) => {
      const { from, to } = picture.lines[line]!;
      return way!.ups[i] === 1
        ? `${picture.names[from]} ${picture.names[to]}`
        : `${picture.names[to]} ${picture.names[from]}`;
    });
    expect(texts).toEqual(['host[0] leaf[0]', 'leaf[0] spine[0]', 'spine[0] leaf[1]', 'leaf[1] host[2]']);
  });
});
