// Lossy switches: what overloaded output queues settle at under dynamic thresholds, and that a flow to an idle port
// knows nothing of them.

import { FabricBuilder, NodeKind } from '#weft/fabric/fabric.js';
import type { Check } from '../check.js';
import { engineRun, settingsWith, type SettingChanges, type Transfer } from '../engine-run.js';
import { star } from '../fabrics.js';
import { apartBy, compared, exact, type Line } from '../line.js';

const packetBytes = 1000;
const latencyPs = 500_000;
const bufferBytes = 1_000_000;
const fromPs = 100e6;
const toPs = 200e6;

const plain: SettingChanges = {
  packet: { profile: 'simai', payload: packetBytes, header: 0, acknowledgement: 1 },
  queuePair: { window: 'unlimited', acknowledgementPriority: 0, nackInterval: 1e12 },
  congestion: { algorithm: 'none' },
  ecn: { enabled: false },
};

/**
 * Some output ports of a switch get twice what they can send, all the time.
 * @returns bytes of their queues from 100 to 200 us, whenever a packet arrives: the least, the most, the mean
 */
function overloaded(ports: number, alpha: number): readonly [least: number, most: number, mean: number] {
  // port p of the switch leads to host p, to which two others send
  const transfers = Array.from({ length: 2 * ports }, (_, i): Transfer => [ports + i, i % ports, 4e6]);
  const fabric = star(3 * ports, latencyPs);
  const first = fabric.portOffset[3 * ports]!;
  let [least, most, sum, count] = [Infinity, 0, 0, 0];
  const run = engineRun(fabric, transfers, {
    settings: settingsWith({
      ...plain,
      pfc: { enabled: false },
      switch: { buffer: bufferBytes, dropThreshold: alpha },
    }),
    mostEvents: 30_000 * ports,
    onArrival: (_packet, _port, { nowPs, parts }) => {
      if (nowPs < fromPs || nowPs > toPs) return;
      for (let port = first; port < first + ports; port++) {
        const bytes = parts.ports.queueBytes(port, 3);
        least = Math.min(least, bytes);
        most = Math.max(most, bytes);
        sum += bytes;
        count++;
      }
    },
  });
  return run.network.nowPs < toPs ? [NaN, NaN, NaN] : [least, most, sum / count];
}

/** Every overloaded queue holds alpha of what is free, B - n q: whole packets, of which one may just have left. */
function* steady(ports: number, alpha: number): Iterable<Line> {
  const figures = overloaded(ports, alpha);
  for (const [i, what] of ['least', 'most', 'mean'].entries())
    yield compared({
      mechanism: `${ports} overloaded ports, alpha ${alpha}: ${what} bytes of a queue`,
      oracle: 'alpha B / (1 + n alpha)',
      expected: (bufferBytes * alpha) / (1 + ports * alpha),
      ours: figures[i]!,
      unit: 'B',
      tolerance: apartBy(2 * packetBytes),
    });
}

/**
 * Hosts 0 to 3 on one switch, 4 and 5 on another, a trunk of 800 Gb/s between them; hosts 3 and 5 have 400 Gb/s, so
 * that packets of the others on the trunk make theirs wait now and then.
 * @returns when 25 MB from host 3 to host 5 are there, beside the others
 */
function victimPs(others: readonly Transfer[]): number {
  const builder = new FabricBuilder();
  builder.addNodes(NodeKind.host, 6);
  const [near, far] = [builder.addNode(NodeKind.switch), builder.addNode(NodeKind.switch)];
  for (let host = 0; host < 6; host++) {
    const rateBps = host === 3 || host === 5 ? 400e9 : 100e9;
    builder.addLink(host, host < 4 ? near : far, rateBps, latencyPs);
  }
  builder.addLink(near, far, 800e9, latencyPs);
  const { flows } = engineRun(builder.build(), [...others, [3, 5, 25e6]], {
    settings: settingsWith({ ...plain, pfc: { enabled: false }, switch: { buffer: 4 * 1024 * 1024 } }),
    mostEvents: 2_000_000,
  });
  return flows.find(({ destination }) => destination === 5)?.finishPs ?? NaN;
}

export const lossy: Check = {
  name: 'lossy',
  title: 'Lossy switches: dynamic thresholds',
  about:
    'Choudhury and Hahne, IEEE/ACM ToN 6(2), 1998. PFC is off, a buffer of 1 MB; two senders of 100 Gb/s for each overloaded port of 100 Gb/s, packets of 1,000 B without headers, no window, no congestion control. The last two lines: a buffer of 4 MiB, three hosts that send 25 MB each into one, and a fourth beside them that sends as much to an idle host behind the same trunk.',
  *run() {
    yield* steady(1, 1);
    yield* steady(4, 1);
    yield* steady(4, 0.25);
    yield* steady(8, 8);
    const beside = [0, 1, 2].map((host): Transfer => [host, 4, 25e6]);
    for (const [what, others, mostNs] of [
      ['alone', [], 0],
      // packets of the three may be ahead of its last one on the trunk
      ['beside three that overload another port', beside, 30],
    ] as const)
      yield compared({
        mechanism: `25 MB to an idle port, ${what}: completion`,
        oracle:
          'its packets, one more on the trunk and on the last link, three cables there and back, three ACKs of 1 B',
        // 20 ns and 10 ns for a packet at 400 and 800 Gb/s, 20 ps and 10 ps for an ACK
        expected: (25_001 * 20_000 + 10_000 + 6 * latencyPs + 2 * 20 + 10) / 1000,
        ours: victimPs(others) / 1000,
        unit: 'ns',
        digits: 2,
        tolerance: mostNs === 0 ? exact : apartBy(mostNs),
      });
  },
};
