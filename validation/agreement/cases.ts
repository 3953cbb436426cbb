// What the backends are compared on: fabrics on which nobody but the collective itself loads a link, and on each every
// kind with every algorithm and protocol that a profile may choose there.
// Invariant: what a schedule refuses is not listed; nothing else is left out.

import { algorithmsFor, groupFacts, scheduleProblem } from '#weft/collectives/build-schedule.js';
import { Communicator } from '#weft/collectives/communicator.js';
import { canDo } from '#weft/collectives/nccl-cost.js';
import { ncclFigures, ncclLatencyUs } from '#weft/collectives/nccl-figures.js';
import { type Protocol, protocols, tunedAlgorithms } from '#weft/collectives/protocols.js';
import type { AlgorithmName, CollectiveKind } from '#weft/collectives/schedule.js';
import type { SelectionProfile } from '#weft/collectives/selection.js';
import type { Fabric } from '#weft/fabric/fabric.js';
import { generateFabric } from '#weft/fabric/generators/catalogue.js';

/** A fabric without contention: what it is in words, and all its hosts are the group. */
export interface AgreementFabric {
  readonly name: string;
  readonly about: string;
  readonly fabric: Fabric;
}

/** One row: what is done, by whom, on which fabric. */
export interface AgreementCase {
  readonly on: AgreementFabric;
  readonly kind: CollectiveKind;
  readonly profile: SelectionProfile;
  readonly algorithm: AlgorithmName;
  readonly protocol: Protocol;
  readonly pxn: boolean;
}

/** The eight sizes of a rank's buffer, in bytes. */
export const agreementSizes = [10, 13, 16, 19, 22, 24, 25, 26].map((power) => 2 ** power);

const kinds: readonly CollectiveKind[] = [
  'allreduce',
  'allgather',
  'reducescatter',
  'broadcast',
  'reduce',
  'alltoall',
  'sendrecv',
];

/** The fabrics, made anew. */
export function agreementFabrics(): readonly AgreementFabric[] {
  return [
    {
      name: '8 GPUs',
      about: 'one server of Spectrum-X: NVLink alone',
      fabric: generateFabric('spectrum-x', { gpus: 8 }),
    },
    {
      name: '16 GPUs',
      about: 'two servers of Spectrum-X, a NIC of 400 Gb/s per GPU, every rail on a switch of its own',
      fabric: generateFabric('spectrum-x', { gpus: 16 }),
    },
    {
      name: '16 hosts',
      about: '16 servers of one GPU on one switch, 100 Gb/s',
      fabric: generateFabric('leaf-spine', { leaves: 1, spines: 1, hostsPerLeaf: 16 }),
    },
  ];
}

/** Every case on a fabric. */
export function agreementCases(on: AgreementFabric): AgreementCase[] {
  const communicator = new Communicator(
    on.fabric,
    Int32Array.from(on.fabric.hosts, (_, rank) => rank),
  );
  const facts = groupFacts(communicator);
  const figures = ncclFigures('nccl-2.28');
  const cases: AgreementCase[] = [];
  for (const kind of kinds) {
    const isPointToPoint = kind === 'alltoall' || kind === 'sendrecv';
    for (const algorithm of algorithmsFor(kind)) {
      if (scheduleProblem(algorithm, kind, communicator) !== null) continue;
      const tuned = tunedAlgorithms.find((name) => name === algorithm);
      const isNccl =
        tuned === undefined ? isPointToPoint : canDo(tuned, kind, facts) && !(tuned === 'pat' && isPointToPoint);
      const usual = { on, kind, algorithm, protocol: 'simple', pxn: algorithm === 'aggregated' } as const;
      if (isNccl)
        for (const protocol of tuned === undefined ? (['simple'] as const) : protocols)
          if (tuned === undefined || ncclLatencyUs(figures, tuned, protocol, 'network') !== null)
            cases.push({ ...usual, profile: 'nccl', protocol });
      // what only other profiles choose, or nobody unasked
      if (!isPointToPoint) cases.push({ ...usual, profile: 'document' });
      if (algorithm === 'ring' || algorithm === 'nvls') cases.push({ ...usual, profile: 'simai' });
    }
  }
  return cases;
}
