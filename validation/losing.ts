// Runs in which chosen arrivals are lost, and no others: what a transport does about one loss can then be worked out by
// hand.

import { packetFacts } from './engine-records.js';
import { engineRun, type EngineRun, type SettingChanges, settingsWith, type Transfer } from './engine-run.js';
import { line } from './fabrics.js';
import { loseArrivals } from './losses.js';

/** What arrived where: one entry per packet and link, before losses are decided. */
export interface Arrival {
  /** Kind of packets.ts */
  readonly kind: number;
  readonly sequence: number;
  readonly node: number;
  readonly timePs: number;
}

/** Packets of 1,000 B without headers, no window, no marks. */
const plain: SettingChanges = {
  packet: { profile: 'simai', payload: 1000, header: 0 },
  queuePair: { window: 'unlimited' },
  ecn: { enabled: false },
};

/**
 * Runs flows from host 0 to host 1 over one switch (node 2), 100 Gb/s and 5 us per link, and loses the arrivals that
 * are picked, one after the other: what comes before each stays the same.
 * @throws Error if a pick finds nothing to lose
 */
export function runLosing(
  transfers: readonly Transfer[],
  changes: SettingChanges,
  picks: readonly ((arrival: Arrival) => boolean)[],
): EngineRun {
  const fabric = line([
    { rateBps: 100e9, latencyPs: 5_000_000 },
    { rateBps: 100e9, latencyPs: 5_000_000 },
  ]);
  const lost = new Set<number>();
  for (let round = 0; ; round++) {
    const arrivals: (Arrival | null)[] = [];
    const run = engineRun(fabric, transfers, {
      settings: settingsWith({ ...plain, ...changes }),
      prepare: (network) => {
        loseArrivals(network, () => lost.has(arrivals.push(null) - 1));
      },
      onArrival: (packet, port, network) => {
        const { kind, sequence } = packetFacts(network.parts, packet);
        arrivals[arrivals.length - 1] = { kind, sequence, node: fabric.portNode[port]!, timePs: network.nowPs };
      },
    });
    const pick = picks[round];
    if (pick === undefined) return run;
    const index = arrivals.findIndex((arrival) => arrival !== null && pick(arrival));
    if (index < 0) throw new Error(`there is nothing to lose in round ${round}`);
    lost.add(index);
  }
}
