// Reachability with hosts that never forward.

import { describe, expect, it } from 'vitest';
import { unlinkedHosts, unreachablePair } from '../../src/fabric/connectivity.js';
import { FabricBuilder, NodeKind, type Fabric } from '../../src/fabric/fabric.js';

/** Hosts 0 .. hosts - 1, then switches, and links between the pairs. */
function fabricOf(hosts: number, switches: number, pairs: readonly (readonly [number, number])[]): Fabric {
  const builder = new FabricBuilder();
  builder.addNodes(NodeKind.host, hosts);
  builder.addNodes(NodeKind.switch, switches);
  for (const [a, b] of pairs) builder.addLink(a, b, 1e9, 1000);
  return builder.build();
}

describe('unreachablePair', () => {
  it('is null when every pair has a path', () => {
    expect(
      unreachablePair(
        fabricOf(3, 2, [
          [0, 3],
          [1, 3],
          [2, 4],
          [3, 4],
        ]),
      ),
    ).toBeNull();
    expect(unreachablePair(fabricOf(2, 0, [[0, 1]]))).toBeNull();
    expect(unreachablePair(fabricOf(1, 0, []))).toBeNull();
  });

  it('finds two islands', () => {
    expect(
      unreachablePair(
        fabricOf(3, 2, [
          [0, 3],
          [1, 3],
          [2, 4],
        ]),
      ),
    ).toEqual({ from: 0, to: 2 });
  });

  it('does not go through hosts', () => {
    // host 1 is on both switches; 0 and 2 are on one each
    expect(
      unreachablePair(
        fabricOf(3, 2, [
          [0, 3],
          [1, 3],
          [1, 4],
          [2, 4],
        ]),
      ),
    ).toEqual({ from: 0, to: 2 });
    expect(
      unreachablePair(
        fabricOf(3, 0, [
          [0, 1],
          [1, 2],
        ]),
      ),
    ).toEqual({ from: 0, to: 2 });
    expect(
      unreachablePair(
        fabricOf(3, 0, [
          [0, 1],
          [1, 2],
          [0, 2],
        ]),
      ),
    ).toBeNull();
  });

  it('leaves hosts without links to unlinkedHosts', () => {
    const fabric = fabricOf(3, 1, [
      [0, 3],
      [2, 3],
    ]);
    expect(unreachablePair(fabric)).toBeNull();
    expect(unlinkedHosts(fabric)).toEqual([1]);
  });
});
