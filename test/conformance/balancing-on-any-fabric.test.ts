// Every balancer on random fabrics: asymmetric ones, with parallel links, mixed rates, hosts with several NICs, several
// tiers. Every byte arrives once; every hop of every data packet is nearer to its end, by distances worked out here, so
// there are no loops and no detours; and nothing depends on where records lie in memory, which move at every allocation.

import { expect, it } from 'vitest';
import { mechanisms } from '../../src/backends/packet/mechanisms.js';
import { Kind, kindMask, PacketWord } from '../../src/backends/packet/packets.js';
import type { PacketNetwork } from '../../src/backends/packet/packet-network.js';
import { Diagnostics } from '../../src/base/diagnostics.js';
import { RandomStream } from '../../src/base/random.js';
import { type Fabric, NodeKind } from '../../src/fabric/fabric.js';
import { generateFabric } from '../../src/fabric/generators/catalogue.js';
import { readTopology } from '../../src/formats/simai-topology.js';
import { Draw } from '../../validation/draw.js';
import { randomScenario } from '../../validation/random-scenario.js';
import { broken, engineRun, settingsWith, type Transfer } from '../support/engine-run.js';
import { moveRecordsAlways } from '../support/moving-records.js';
import { seed } from '../support/seed.js';
import { plainDistances } from '../../validation/plain-routes.js';

const fabricsWanted = 2;

/** One with many ways, and random ones without NVSwitches, which are preferred to shorter ways. */
function* fabrics(): Generator<Fabric> {
  yield generateFabric('leaf-spine', { leaves: 3, spines: 3, hostsPerLeaf: 3 });
  for (let [number, found] = [0, 0]; found < fabricsWanted; number++) {
    const text = randomScenario(seed, number).files['fabric.txt']!;
    const fabric = readTopology(text, 'fabric.txt', new Diagnostics())!;
    if (fabric.nodeKind.includes(NodeKind.nvswitch) || fabric.hosts.length < 3) continue;
    found++;
    yield fabric;
  }
}

it.each(Object.keys(mechanisms.balancers))(`%s on any fabric (WEFT_SEED=${seed})`, (balancing) => {
  let number = 0;
  for (const fabric of fabrics()) {
    const draw = new Draw(new RandomStream(seed, `transfers ${number++}`));
    const transfers = Array.from({ length: 12 }, (): Transfer => {
      const to = draw.chance(0.5) ? 0 : draw.between(0, fabric.hosts.length - 1);
      const from = (to + draw.between(1, fabric.hosts.length - 1)) % fabric.hosts.length;
      return [fabric.hosts[from]!, fabric.hosts[to]!, draw.between(1, 60_000), draw.between(0, 20) * 1e6];
    }).sort((a, b) => a[3]! - b[3]!);
    const settings = settingsWith({
      balancing,
      transport: { algorithm: 'irn' },
      congestion: { algorithm: 'none' },
      ecn: { enabled: true },
    });
    const distances = new Map(Array.from(fabric.hosts, (host) => [host, plainDistances(fabric, host)] as const));
    let [hops, wrong] = [0, 0];
    const onArrival = (packet: number, port: number, { parts: { records, pairs } }: PacketNetwork): void => {
      const at = packet << 3;
      if ((records.words[at + PacketWord.head]! & kindMask) !== Kind.data) return;
      const distance = distances.get(pairs.destination[records.words[at + PacketWord.pair]!]!)!;
      hops++;
      if (distance[fabric.portNode[port]!]! >= distance[fabric.portNode[fabric.portPeer[port]!]!]!) wrong++;
    };
    const run = engineRun(fabric, transfers, { settings, seed, onArrival });
    expect(broken(run)).toEqual([]);
    expect(run.state).toBe('finished');
    expect(run.network.counters.payloadBytesDelivered).toBe(transfers.reduce((sum, [, , bytes]) => sum + bytes, 0));
    expect(hops).toBeGreaterThan(0);
    expect(wrong).toBe(0);
    const moving = engineRun(fabric, transfers, { settings, seed, prepare: moveRecordsAlways });
    expect([moving.flows, moving.network.counters]).toEqual([run.flows, run.network.counters]);
  }
});
