// What HPCC and HPCC over PINT count as use of a link: gaps and acknowledgements, too. What all controls do against
// their papers: validation/checks, run by test/validation.

import { describe, expect, it } from 'vitest';
import { CompressedTelemetry } from '../../src/backends/packet/congestion/hpcc/compressed-telemetry.js';
import { EventRecords } from '../../src/engine/event-records.js';
import { PacketWord } from '../../src/backends/packet/packets.js';
import type { Ports } from '../../src/backends/packet/ports.js';
import type { PacketSettings } from '../../src/backends/packet/settings.js';
import { FabricBuilder, NodeKind } from '../../src/fabric/fabric.js';
import { engineRun, settingsWith, type Transfer } from '../support/engine-run.js';

const lineBps = 100e9;

/** Two flows of 32 MB into one link of 100 Gb/s. @returns use of the link over the middle of the run */
function twoFlows(algorithm: 'hpcc' | 'hpcc-pint', payload: number): number {
  return sharedUtilisation(
    [
      [1, 0, 32e6],
      [2, 0, 32e6],
    ],
    settingsWith({ congestion: { algorithm }, packet: { payload }, queuePair: { acknowledgementPriority: 0 } }),
  );
}

/** Runs transfers among three hosts on one switch. @returns use of the link to host 0 from 1 to 4 ms, with all gaps */
function sharedUtilisation(transfers: readonly Transfer[], settings: PacketSettings): number {
  const builder = new FabricBuilder();
  builder.addNodes(NodeKind.host, 3);
  const node = builder.addNode(NodeKind.switch);
  for (let host = 0; host < 3; host++) builder.addLink(host, node, lineBps, 1e6);
  const fabric = builder.build();
  let linkBytes = 0;
  engineRun(fabric, transfers, {
    settings,
    onArrival: (packet, arrivedBy, network) => {
      if (network.nowPs < 1e9 || network.nowPs >= 4e9) return;
      const head = network.parts.records.words[(packet << 3) + PacketWord.head]!;
      if (fabric.portNode[arrivedBy] === 0) linkBytes += (head >> 7) + settings.packet.gap;
    },
  });
  return (linkBytes * 8e12) / 3e9 / lineBps;
}

describe('HPCC', () => {
  it.each(['hpcc', 'hpcc-pint'] as const)(
    'counts preamble and gap as use of the link, where they are a seventeenth of it (%s)',
    (algorithm) => {
      const utilisation = twoFlows(algorithm, 256);
      expect(utilisation).toBeGreaterThan(0.92);
      expect(utilisation).toBeLessThan(0.98);
    },
  );

  it('counts those of acknowledgements, too, where they share the link with data', () => {
    // two flows against each other: every link carries one's data (338 B with gap) and the other's acknowledgements (86
    // B)
    const utilisation = sharedUtilisation(
      [
        [0, 1, 32e6],
        [1, 0, 32e6],
      ],
      settingsWith({
        congestion: { algorithm: 'hpcc' },
        packet: { payload: 256 },
        queuePair: { acknowledgementPriority: 0 },
      }),
    );
    expect(utilisation).toBeGreaterThan(0.92);
    expect(utilisation).toBeLessThan(0.98);
  });
});

describe('HPCC over PINT', () => {
  it('counts acknowledgements as load, and not as an empty queue', () => {
    const ports = { count: 1, nowPs: 0, rateBps: Float64Array.of(lineBps) };
    const [baseRttPs, queueBytes] = [10e6, 62_500];
    const telemetry = new CompressedTelemetry(new EventRecords(), ports as unknown as Ports, 1.001, baseRttPs);
    // every 100 ns a data packet of 1,000 B and, 40 ns later, an acknowledgement of 60 B
    for (let i = 0; i < 2000; i++) {
      ports.nowPs = i * 100_000 + 1;
      telemetry.departed(0);
      telemetry.stamp(0, 0, 1000, queueBytes);
      ports.nowPs += 40_000;
      telemetry.passed(0, 60);
    }
    const expected = (queueBytes * 8e12) / lineBps / baseRttPs + (1060 * 8e12) / lineBps / 100_000;
    expect(telemetry.utilisationOf(0) / expected).toBeGreaterThan(0.999);
    expect(telemetry.utilisationOf(0) / expected).toBeLessThan(1.001);
  });
});
