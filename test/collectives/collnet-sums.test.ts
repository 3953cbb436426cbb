// CollNet sums in switches: what NICs carry of an allreduce, whatever the number of servers, and published bandwidths
// (on fluid: collnet-sums.slow.test.ts).

import { describe, expect, it } from 'vitest';
import { collnetChainTrees, collnetDirectTrees } from '../../src/collectives/collnet.js';
import { Communicator } from '../../src/collectives/communicator.js';
import { emptyMove } from '../../src/collectives/schedule.js';
import { TreeReduction } from '../../src/collectives/tree-reduction.js';
import { generateFabric } from '../../src/fabric/generators/catalogue.js';
import { expectSharpBandwidth } from '../support/collnet-bandwidth.js';

const sizeBytes = 8 * 3 * 4 * 1000;

describe('an allreduce by CollNet', () => {
  const shapes = [collnetDirectTrees, collnetChainTrees].flatMap((trees) =>
    [2, 3, 8].map((servers) => [trees, servers] as const),
  );
  it.each(shapes)('%o sends its part into the network once and gets it once: %i servers', (trees, servers) => {
    const gpus = 4 * servers;
    const fabric = generateFabric('spectrum-x', { gpus, gpusPerServer: 4, nicsPerAsw: servers, pswSwitches: 1 });
    const communicator = new Communicator(
      fabric,
      Int32Array.from({ length: gpus }, (_, i) => i),
    );
    const schedule = new TreeReduction({
      algorithm: 'collnet-direct',
      kind: 'allreduce',
      rankCount: gpus,
      forest: trees(communicator, 4),
      sizeBytes,
      chunkCount: 3,
      overSwitches: communicator.serverOf,
    });
    const [out, into] = [new Float64Array(gpus), new Float64Array(gpus)];
    const [move, described] = [emptyMove(), emptyMove()];
    for (let number = 0; number < schedule.moveCount; number++) {
      schedule.sent(number, move);
      schedule.describe(number, described);
      const isWithin = communicator.serverOf[move.source] === communicator.serverOf[move.destination];
      // within servers the network carries the moves themselves
      if (communicator.serverOf[described.source] === communicator.serverOf[described.destination])
        expect(move).toEqual(described);
      if (isWithin || move.sizeBytes === 0) continue;
      out[move.source]! += move.sizeBytes;
      into[move.destination]! += move.sizeBytes;
    }
    // four channels, a GPU of each server for each: every GPU speaks for a quarter
    expect([...out]).toEqual(Array.from({ length: gpus }, () => sizeBytes / 4));
    expect([...into]).toEqual([...out]);
  });

  it('over 64 H100 is as fast as with SHARP, and faster than without: analytical', () =>
    expectSharpBandwidth('analytical'));
});
