// Flows by hand for diagnoses: ends, times and ways, on a fabric.

import type { ObservedFlows } from '../../src/diagnosis/observed-flows.js';
import type { Fabric } from '../../src/fabric/fabric.js';

/** A flow; nodes of its way from the sender to the receiver. */
export interface HandFlow {
  readonly way: readonly number[];
  readonly startPs: number;
  readonly finishPs: number;
  readonly sizeBytes: number;
  readonly idealPs: number;
  readonly job?: number;
}

/** The columns of some flows. */
export function observedFlows(fabric: Fabric, list: readonly HandFlow[]): ObservedFlows {
  const { portOffset, portNeighbour } = fabric;
  const portTo = (from: number, to: number): number => {
    for (let port = portOffset[from]!; port < portOffset[from + 1]!; port++)
      if (portNeighbour[port] === to) return port;
    throw new Error(`no link from ${from} to ${to}`);
  };
  const ways = list.map(({ way }) => way.slice(1).map((node, i) => portTo(way[i]!, node)));
  const offsets = new Int32Array(list.length + 1);
  ways.forEach((way, i) => (offsets[i + 1] = offsets[i]! + way.length));
  const ints = (of: (flow: HandFlow) => number): Int32Array => Int32Array.from(list, of);
  const floats = (of: (flow: HandFlow) => number): Float64Array => Float64Array.from(list, of);
  return {
    count: list.length,
    source: ints(({ way }) => way[0]!),
    destination: ints(({ way }) => way.at(-1)!),
    startPs: floats(({ startPs }) => startPs),
    finishPs: floats(({ finishPs }) => finishPs),
    idealPs: floats(({ idealPs }) => idealPs),
    wireBytes: floats(({ sizeBytes }) => sizeBytes),
    job: ints(({ job = -1 }) => job),
    sourceRank: ints(({ way }) => way[0]!),
    destinationRank: ints(({ way }) => way.at(-1)!),
    phase: ints(() => -1),
    offsets,
    ports: Int32Array.from(ways.flat()),
    places: Uint8Array.from(ways.flatMap((way) => way.map((_, place) => place))),
    shares: new Float32Array(offsets[list.length]!).fill(1),
  };
}
