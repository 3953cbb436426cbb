// RED: the marking probability is the straight line between the thresholds, drawn independently; nothing is drawn
// outside them.

import { describe, expect, it } from 'vitest';
import { EcnMarking } from '../../src/backends/packet/switch/marking.js';
import { FabricBuilder, NodeKind, type Fabric } from '../../src/fabric/fabric.js';
import { Kind } from '../../src/backends/packet/packets.js';
import { packetFacts } from '../support/engine-records.js';
import { engineRun, settingsWith } from '../support/engine-run.js';

const settings = settingsWith({
  ecnThresholds: [
    { rateBps: 100e9, minimumBytes: 40_000, maximumBytes: 160_000, probability: 0.2 },
    { rateBps: 40e9, minimumBytes: 0, maximumBytes: 0, probability: 1 },
  ],
});

/** Host, switch, NVSwitch and a port of another rate: ports 0 host, 1-3 switch, 4 NVSwitch, 5 second host. */
function fabric(): Fabric {
  const builder = new FabricBuilder();
  builder.addNode(NodeKind.host);
  builder.addNode(NodeKind.switch);
  builder.addNode(NodeKind.nvswitch);
  builder.addNode(NodeKind.host);
  builder.addLink(0, 1, 100e9, 1000);
  builder.addLink(1, 2, 100e9, 1000);
  builder.addLink(1, 3, 40e9, 1000);
  return builder.build();
}

const [hostPort, switchPort, slowPort, nvswitchPort] = [0, 1, 3, 4];

function markShare(marking: EcnMarking, queuedBytes: number, draws: number): number {
  let marks = 0;
  for (let i = 0; i < draws; i++) if (marking.shouldMark(switchPort, queuedBytes)) marks++;
  return marks / draws;
}

/** 500 decisions at a queue between the thresholds, with something else before each. */
function decisions(seed: number, between: (marking: EcnMarking) => void): boolean[] {
  const marking = new EcnMarking(fabric(), settings, seed);
  return Array.from({ length: 500 }, () => {
    between(marking);
    return marking.shouldMark(switchPort, 150_000);
  });
}

describe('marking', () => {
  it("has the closed form's probability between the thresholds", () => {
    // 0.2 (q - 40,000) / 120,000; chi-square with 11 degrees of freedom is above 37.4 with probability 1e-4
    const marking = new EcnMarking(fabric(), settings, 20_261);
    const draws = 40_000;
    let chiSquare = 0;
    for (let k = 1; k <= 11; k++) {
      const queuedBytes = 40_000 + 10_000 * k;
      const probability = (0.2 * k) / 12;
      const share = markShare(marking, queuedBytes, draws);
      chiSquare += (draws * (share - probability) ** 2) / (probability * (1 - probability));
    }
    expect(chiSquare).toBeLessThan(37.4);
    expect(chiSquare).toBeGreaterThan(1);
  });

  it('never marks at the minimum and below, always above the maximum', () => {
    const marking = new EcnMarking(fabric(), settings, 1);
    expect([0, 39_999, 40_000].map((bytes) => markShare(marking, bytes, 1000))).toEqual([0, 0, 0]);
    expect([160_001, 1e9].map((bytes) => markShare(marking, bytes, 1000))).toEqual([1, 1]);
    expect(markShare(marking, 160_000, 20_000)).toBeCloseTo(0.2, 1);
    expect(marking.marks).toBeGreaterThan(2000);
  });

  it("goes by the thresholds of the port's own rate, equal ones being a step", () => {
    const marking = new EcnMarking(fabric(), settings, 1);
    expect([marking.shouldMark(slowPort, 0), marking.shouldMark(slowPort, 1)]).toEqual([false, true]);
  });

  it('leaves hosts and NVSwitches alone, and all when it is off', () => {
    const marking = new EcnMarking(fabric(), settings, 1);
    const off = new EcnMarking(fabric(), settingsWith({ ecn: { enabled: false } }), 1);
    expect([
      marking.shouldMark(hostPort, 1e9),
      marking.shouldMark(nvswitchPort, 1e9),
      off.shouldMark(switchPort, 1e9),
    ]).toEqual([false, false, false]);
  });

  it('draws nothing outside the thresholds, and the same for the same seed', () => {
    const plain = decisions(7, () => {});
    expect(
      decisions(7, (marking) => void [0, 40_000, 160_001].map((bytes) => marking.shouldMark(switchPort, bytes))),
    ).toEqual(plain);
    expect(decisions(8, () => {})).not.toEqual(plain);
  });

  it('looks at what is left in the queue when a packet leaves it', () => {
    // Two senders of n packets each into one port, in step: when the j-th packet leaves (j > 1), min(j, 2n - j) are
    // left behind. Above m of them, n - m leave while the queue grows (j = m+1 .. n) and n - m - 1 while it shrinks (j
    // = n+1 .. 2n-m-1).
    const builder = new FabricBuilder();
    builder.addNodes(NodeKind.host, 3);
    builder.addNode(NodeKind.switch);
    for (let host = 0; host < 3; host++) builder.addLink(host, 3, 100e9, 500_000);
    const [n, m, bytes] = [40, 12, 1000];
    const run = engineRun(
      builder.build(),
      [
        [0, 2, n * bytes],
        [1, 2, n * bytes],
      ],
      {
        settings: settingsWith({
          packet: { payload: bytes, header: 0 },
          queuePair: { window: 'unlimited', rateBound: false },
          ecnThresholds: [{ rateBps: 100e9, minimumBytes: m * bytes, maximumBytes: m * bytes, probability: 1 }],
        }),
      },
    );
    expect(run.network.counters.ecnMarks).toBe(2 * (n - m) - 1);
  });

  it('passes acknowledgements by, however long the queue is that they wait in', () => {
    // Host 0's data meets a few acknowledgements at most; its own wait behind the data of hosts 4 and 5 and must come
    // back unmarked.
    const builder = new FabricBuilder();
    builder.addNodes(NodeKind.host, 6);
    builder.addNodes(NodeKind.switch, 2);
    for (let host = 0; host < 6; host++) builder.addLink(host, host < 3 ? 6 : 7, 100e9, 500_000);
    builder.addLink(6, 7, 100e9, 500_000);
    let replies = 0;
    const marked = { own: 0, others: 0 };
    const run = engineRun(
      builder.build(),
      [
        [0, 3, 50_000],
        [4, 1, 100_000],
        [5, 2, 100_000],
      ],
      {
        settings: settingsWith({
          packet: { payload: 1000, header: 0 },
          queuePair: { window: 'unlimited', rateBound: false },
          ecnThresholds: [{ rateBps: 100e9, minimumBytes: 5000, maximumBytes: 5000, probability: 1 }],
        }),
        onArrival: (packet, port, network) => {
          const facts = packetFacts(network.parts, packet);
          if (facts.kind !== Kind.ack || port >= 6) return;
          if (facts.pair === 0) replies++;
          if (facts.marked) marked[facts.pair === 0 ? 'own' : 'others']++;
        },
      },
    );
    expect(run.state).toBe('finished');
    expect([replies, marked.own]).toEqual([50, 0]);
    expect(marked.others).toBeGreaterThan(50);
  });
});
