// Small and odd groups: every kind by every algorithm over 2, 3, 5, 21 (7 servers of 3 GPUs and 2 NICs) and 24 GPUs. What
// can be built has the contents of the collective's definition (collective-proof.ts), ends on every backend, and takes
// as long on all of them, within bounds that say why (docs/models/backends-agree.md).
// One size of each is drawn. Between servers, where some GPUs have no NIC, others send for them (PXN).

import { describe, expect, it } from 'vitest';
import { RandomStream } from '../../src/base/random.js';
import { algorithmsFor, buildSchedule, scheduleProblem } from '../../src/collectives/build-schedule.js';
import { Communicator } from '../../src/collectives/communicator.js';
import type { AlgorithmName, CollectiveKind } from '../../src/collectives/schedule.js';
import { unconnectedMove } from '../../src/collectives/unconnected.js';
import { hostPairs } from '../../src/fabric/host-pairs.js';
import { generateFabric } from '../../src/library/fabrics.js';
import { timeCollective } from '../../src/library/time-collective.js';
import { plainStarts, problemsOfSchedule } from '../support/collective-proof.js';
import { seed } from '../support/seed.js';

const kinds = ['allreduce', 'allgather', 'reducescatter', 'broadcast', 'reduce', 'alltoall'] as const;
const groups = [
  ['2 GPUs of a server', { gpus: 2, gpusPerServer: 2 }],
  ['2 servers', { gpus: 2, gpusPerServer: 1 }],
  ['3 GPUs of a server', { gpus: 3, gpusPerServer: 3 }],
  ['3 servers', { gpus: 3, gpusPerServer: 1 }],
  ['5 servers', { gpus: 5, gpusPerServer: 1 }],
  ['5 GPUs of a server', { gpus: 5, gpusPerServer: 5 }],
  ['7 servers of 3 GPUs and 2 NICs', { gpus: 21, gpusPerServer: 3, nicsPerServer: 2 }],
  ['24 GPUs', { gpus: 24, gpusPerServer: 8 }],
] as const;

/** What every rank must end with after an all-to-all; its own block no move brings. */
function exchanged(
  inputs: readonly (readonly number[])[],
  starts: readonly number[],
): { offset: 0; values: number[] }[] {
  return inputs.map((_, rank) => ({
    offset: 0,
    values: inputs.flatMap((input, source) => {
      const block = input.slice(starts[rank]!, starts[rank + 1]!);
      return source === rank ? block.map(() => 0) : block;
    }),
  }));
}

/**
 * Along rings and trees streams share links where packets take turns (reasons L, O and G of the page on backends); what
 * proxies send begins a post apart, and what they scatter waits for it.
 */
function fluidBound(algorithm: AlgorithmName): number {
  const isPiecewise = /^(ring|tree|nvls-tree|collnet-direct|collnet-chain)$/.test(algorithm);
  return isPiecewise ? 0.25 : algorithm === 'aggregated' ? 0.1 : 0.05;
}

/**
 * Closed forms see one block's way and the busiest port: gathers along trees, whose blocks wait for others, are worst;
 * what proxies gather and scatter, and steps of halving and doubling, overlap less than they have it. PAT backwards over
 * servers of several GPUs, where nobody chooses it, meets itself at the NICs between them (reason P).
 */
function closedBound(algorithm: AlgorithmName, kind: CollectiveKind, gpusPerServer: number): number {
  const isGather = kind === 'allgather' || kind === 'reducescatter';
  if (isGather && (algorithm === 'nvls-tree' || algorithm === 'collnet-direct')) return 0.45;
  if (kind === 'reducescatter' && algorithm === 'pat' && gpusPerServer > 1) return 0.45;
  return algorithm === 'pat' || algorithm === 'direct' ? 0.1 : 0.3;
}

describe.each(groups)(`%s (WEFT_SEED=${seed})`, (name, parameters) => {
  const fabric = generateFabric('spectrum-x', parameters);
  const ranks = Array.from({ length: parameters.gpus }, (_, rank) => rank);
  const communicator = new Communicator(fabric, Int32Array.from(ranks));
  const pairs = hostPairs(fabric);
  const cases = kinds.flatMap((kind) =>
    algorithmsFor(kind)
      .filter((algorithm) => scheduleProblem(algorithm, kind, communicator) === null)
      .map((algorithm): [CollectiveKind, AlgorithmName] => [kind, algorithm]),
  );

  it.each(cases)('%s by %s is right, ends, and takes as long on every backend', async (kind, algorithm) => {
    // a case draws the same whether it runs alone or among the others
    const random = new RandomStream(seed, `${name}, ${kind} by ${algorithm}`);
    const size = [1, 40, 1000, 70_001, 3_000_000][random.nextBelow(5)]!;
    const options = { kind, algorithm, size, ranks, collnet: true, pxn: true, seed: 1 } as const;
    const closed = timeCollective(fabric, { ...options, backend: 'analytical' });
    const choice = await closed.then(
      (result) => result.choice,
      () => null,
    );
    if (choice === null) {
      // refused before it runs, because a GPU without a NIC would have to speak
      await expect(closed).rejects.toThrow(/NIC|no way|path|reach/);
      return;
    }
    const proofBytes = 1 + random.nextBelow(120);
    const schedule = buildSchedule({ kind, sizeBytes: proofBytes }, choice, communicator);
    expect(unconnectedMove(schedule, communicator, pairs)).toBeNull();
    const starts = plainStarts(proofBytes, ranks.length);
    expect(
      problemsOfSchedule(
        schedule,
        proofBytes,
        random,
        kind === 'alltoall' ? { wanted: (inputs) => exchanged(inputs, starts) } : { root: 0 },
      ),
      `${proofBytes} B`,
    ).toEqual([]);
    const timesUs = [(await closed).timePs / 1e6];
    for (const backend of ['fluid', 'packet']) {
      const { timePs, summary } = await timeCollective(fabric, { ...options, backend });
      expect([summary.outcome, summary.verdicts.filter(({ ok }) => !ok)], `${backend}, ${size} B`).toEqual([
        'finished',
        [],
      ]);
      timesUs.push(timePs / 1e6);
    }
    const [analytical, fluid, packet] = timesUs as [number, number, number];
    // fewer bytes than moves: most are of no bytes and go at once, which the closed form does not look at
    const compared = size < 1000 ? [fluid] : [fluid, analytical];
    for (const timeUs of compared) {
      const most = timeUs === fluid ? fluidBound(algorithm) : closedBound(algorithm, kind, parameters.gpusPerServer);
      expect(Math.abs(timeUs / packet - 1), `${size} B: ${timesUs.join(', ')} us`).toBeLessThan(most);
    }
  });
});
