// The tree of pauses: causes by hand on two switches, judged by what a test saw of frames and ports itself; invariants
// on random fabrics with timers and lost frames; the summary of a forest made by hand; its bound.

import { describe, expect, it } from 'vitest';
import { pauseCauses, pauseWays } from '../../src/backends/packet/probes/pause-causes.js';
import { PauseTree } from '../../src/backends/packet/probes/pause-tree.js';
import { FabricBuilder, interfaceIndex, NodeKind, type Fabric } from '../../src/fabric/fabric.js';
import { PauseColumn, pauseTable } from '../../src/records/probe-records.js';
import { packetFacts } from '../support/engine-records.js';
import { Kind } from '../../src/backends/packet/packets.js';
import { broken, engineRun, settingsWith, type EngineRun, type Transfer } from '../support/engine-run.js';
import { twoSwitches } from '../support/two-switches.js';

const latencyPs = 500_000;

type PauseRow = Record<keyof typeof PauseColumn, number>;

function pauseRows({ sink }: EngineRun): PauseRow[] {
  const names = Object.keys(PauseColumn) as (keyof typeof PauseColumn)[];
  const columns = names.map((name) => sink.column(pauseTable, PauseColumn[name]));
  return Array.from(
    columns[0]!,
    (_, row) => Object.fromEntries(names.map((name, c) => [name, columns[c]![row]!])) as PauseRow,
  );
}

const portTo = ({ portOffset, portNode, portPeer }: Fabric, node: number, peer: number): number =>
  Array.from({ length: portOffset[node + 1]! - portOffset[node]! }, (_, i) => portOffset[node]! + i).find(
    (port) => portNode[portPeer[port]!] === peer,
  )!;

describe('a slow receiver behind two switches', () => {
  const fabric = twoSwitches(latencyPs);
  const [toSlow, between, back] = [portTo(fabric, 6, 2), portTo(fabric, 5, 6), portTo(fabric, 6, 5)];
  /** when switch 6 sent its pauses and resumes to switch 5, and when they took effect there */
  const sent: { timePs: number; isPause: boolean }[] = [];
  const heard: { order: number; isPause: boolean }[] = [];
  /** in the order in which things happened: the pauses that switch 5 sent */
  const orders: number[] = [];
  let order = 0;
  // when all that is over, three senders meet at the link between the switches
  const run = engineRun(
    fabric,
    [[0, 2, 200_000], [1, 2, 200_000], [4, 3, 200_000], ...[0, 1, 4].map((host): Transfer => [host, 3, 200_000, 2e9])],
    {
      settings: settingsWith({
        packet: { profile: 'simai', payload: 1000, header: 0 },
        queuePair: { window: 'unlimited' },
        ecn: { enabled: false },
        pfc: { headroomDelays: 6, reserve: 0, thresholdShift: 1, resumeOffset: 2000 },
        switch: { buffer: 4 * 37_500 + 30_000 },
        probes: { pauses: true },
      }),
      prepare: (network) => {
        const { ports } = network.parts;
        const [sendControl, setPaused] = [ports.sendControl.bind(ports), ports.setPaused.bind(ports)];
        ports.sendControl = (port, frame) => {
          const isPause = packetFacts(network.parts, frame).kind === Kind.pause;
          if (port === back) sent.push({ timePs: network.nowPs, isPause });
          else if (isPause) orders.push(order++);
          sendControl(port, frame);
        };
        ports.setPaused = (port, queue, isPaused) => {
          if (port === between) heard.push({ order: order++, isPause: isPaused });
          setPaused(port, queue, isPaused);
        };
      },
    },
  );
  const rows = pauseRows(run);

  it('has a row for every pause, in their order, with begin and end', () => {
    expect(broken(run)).toEqual([]);
    expect(rows).toHaveLength(run.network.counters.pauseFrames);
    expect(rows.map(({ pause }) => pause)).toEqual(rows.map((_, i) => i));
    for (const [i, row] of rows.entries()) {
      expect(row.begin).toBeGreaterThanOrEqual(rows[i - 1]?.begin ?? 0);
      expect(row.end).toBeGreaterThan(row.begin);
    }
    // switch 6 pauses switch 5 exactly when a test that watches its frames says so
    const ours = rows.filter(({ node }) => node === 6);
    expect(ours.map(({ begin }) => begin)).toEqual(sent.filter(({ isPause }) => isPause).map(({ timePs }) => timePs));
    expect(ours.map(({ end }) => end)).toEqual(sent.filter(({ isPause }) => !isPause).map(({ timePs }) => timePs));
  });

  it('names the output port at which each pause arose', () => {
    const above = rows.filter(({ node }) => node === 6);
    expect(above.length).toBeGreaterThan(5);
    for (const row of above)
      expect([row.causeInterface, row.parent, row.root, row.depth, row.pausedNode, row.pausedNodeKind]).toEqual([
        interfaceIndex(fabric, toSlow),
        -1,
        row.pause,
        1,
        5,
        NodeKind.switch,
      ]);
    const below = rows.filter(({ node }) => node === 5);
    expect(below.length).toBeGreaterThan(5);
    for (const row of below)
      expect([row.causeInterface, row.pausedNodeKind, row.pausedInterface]).toEqual([
        interfaceIndex(fabric, between),
        NodeKind.host,
        1,
      ]);
    // the victim is stopped, too, on account of a receiver that it does not send to
    expect(new Set(below.map(({ pausedNode }) => pausedNode))).toEqual(new Set([0, 1, 4]));
  });

  it('finds the pause that held the output port, and none where nothing did', () => {
    const above = rows.filter(({ node }) => node === 6);
    const held = [0, 0];
    for (const [i, row] of rows.filter(({ node }) => node === 5).entries()) {
      // of the frames that had taken effect by then, the last decides; the k-th pause heard is the k-th sent
      const before = heard.filter((frame) => frame.order < orders[i]!);
      const isHeld = before.at(-1)?.isPause === true;
      expect(row.parent).toBe(isHeld ? above[before.filter(({ isPause }) => isPause).length - 1]!.pause : -1);
      expect([row.root, row.depth]).toEqual(isHeld ? [row.parent, 2] : [row.pause, 1]);
      held[isHeld ? 1 : 0]!++;
    }
    for (const count of held) expect(count).toBeGreaterThan(2);
  });

  it('sums up by congestion point', () => {
    const { pauses, beyond, congestionPoints, largest } = run.network.probeSummary()!.pauses!;
    expect([pauses, beyond, congestionPoints, largest[1]!.node]).toEqual([rows.length, 0, 2, 5]);
    const [first] = largest;
    const tree = rows.filter(({ root }) => rows[root]!.node === 6);
    expect(first).toEqual({
      node: 6,
      interface: interfaceIndex(fabric, toSlow),
      name: `leaf[1]:${interfaceIndex(fabric, toSlow)}`,
      priority: 3,
      pauses: tree.length,
      roots: tree.filter(({ parent }) => parent < 0).length,
      depth: 2,
      pausedPs: tree.reduce((sum, { begin, end }) => sum + end - begin, 0),
      hosts: 3,
    });
  });
});

describe('a forest made by hand', () => {
  // switch 2 between hosts 0 and 1
  const builder = new FabricBuilder();
  builder.addNodes(NodeKind.host, 2);
  builder.addNode(NodeKind.switch);
  for (const host of [0, 1]) builder.addLink(host, 2, 100e9, latencyPs);
  const fabric = builder.build();
  const [toFirst, toSecond] = [portTo(fabric, 2, 0), portTo(fabric, 2, 1)];

  it('gives a pause the one that holds its cause for a parent, until that is released', () => {
    const tree = new PauseTree(fabric.portCount);
    tree.began(100, toFirst, toSecond, 3);
    expect([tree.decidedAt(toFirst * 8 + 3), tree.decidedAt(toFirst * 8 + 4)]).toEqual([0, -1]);
    // it holds port toSecond now (as if the frame went there), and causes another
    tree.held(toSecond * 8 + 3, 0);
    tree.began(200, toFirst, toSecond, 3);
    tree.released(toSecond * 8 + 3);
    tree.began(300, toFirst, toSecond, 3);
    tree.ended(350, toFirst * 8 + 3);
    tree.ended(360, toFirst * 8 + 3);
    expect(
      [0, 1, 2].map((pause) => [
        tree.parentOf(pause),
        tree.beginPsOf(pause),
        tree.endPsOf(pause),
        tree.causeOf(pause),
        tree.portOf(pause),
        tree.queueOf(pause),
      ]),
    ).toEqual([
      [-1, 100, -1, toSecond, toFirst, 3],
      [0, 200, -1, toSecond, toFirst, 3],
      [-1, 300, 350, toSecond, toFirst, 3],
    ]);
    const ways = pauseWays(tree);
    expect([[...ways.root], [...ways.depth]]).toEqual([
      [0, 0, 2],
      [1, 2, 1],
    ]);
    // 900 + 800 up to the end of the run at 1,000, and 50
    expect(pauseCauses(fabric, tree, ways, 1000)).toEqual({
      pauses: 3,
      beyond: 0,
      congestionPoints: 1,
      largest: [
        {
          node: 2,
          interface: 2,
          name: 'leaf[0]:2',
          priority: 3,
          pauses: 3,
          roots: 2,
          depth: 2,
          pausedPs: 1750,
          hosts: 1,
        },
      ],
    });
  });

  it('keeps so many and counts the rest', () => {
    const tree = new PauseTree(fabric.portCount, 2);
    for (let i = 0; i < 5; i++) {
      tree.began(i, toFirst, toSecond, 3);
      tree.ended(i, toFirst * 8 + 3);
    }
    expect([tree.count, tree.beyond, tree.endPsOf(1)]).toEqual([2, 3, 1]);
  });
});
