// The least that drives a network: starts flows at their times and keeps when they have finished.

import { Frontier, Stage } from '#weft/execution/frontier.js';
import type { Driver, Network } from '#weft/execution/network.js';

export interface BareFlow {
  readonly source: number;
  readonly destination: number;
  readonly sizeBytes: number;
  readonly startPs: number;
  readonly sourcePort: number;
}

/** Runs flows over a network to its end. @returns it, and by flow when it finished, Infinity if it never did */
export function bareRun(network: Network, flows: readonly BareFlow[]): { network: Network; finishPs: number[] } {
  const frontier = new Frontier();
  const finishPs = flows.map(() => Infinity);
  const flowOfSlot = new Map<number, number>();
  let left = flows.length;
  const driver: Driver = {
    wake: (flow, nowPs) => {
      const { source, destination, sizeBytes, startPs, sourcePort } = flows[flow]!;
      const slot = frontier.allocate();
      flowOfSlot.set(slot, flow);
      frontier.id[slot] = flow;
      frontier.first[slot] = slot;
      frontier.unfinished[slot] = 1;
      frontier.source[slot] = source;
      frontier.destination[slot] = destination;
      frontier.sourcePort[slot] = sourcePort;
      frontier.destinationPort[slot] = 100;
      frontier.flowBytes[slot] = frontier.sizeBytes[slot] = sizeBytes;
      frontier.startPs[slot] = startPs;
      frontier.stage[slot] = Stage.underWay;
      network.start(slot, nowPs);
      return false;
    },
    finished: (slot, nowPs) => {
      finishPs[flowOfSlot.get(slot)!] = nowPs;
      frontier.release(slot);
      if (--left === 0) network.drain();
    },
    took: () => {},
  };
  network.attach(driver, frontier);
  for (const [flow, { startPs }] of flows.entries()) network.wakeAt(startPs, flow);
  while (network.advance(100_000));
  network.close();
  return { network, finishPs };
}
