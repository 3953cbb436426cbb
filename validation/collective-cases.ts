// The cases in which streams are compared with packets: collectives and transfers on small fabrics, some where nobody
// gets into anybody's way, and some where queues, marks and pauses decide.

import { EvenBlocks } from '#weft/collectives/block-matrix.js';
import { ringChains } from '#weft/collectives/chain.js';
import { CollectiveWork } from '#weft/collectives/collective-work.js';
import { Communicator } from '#weft/collectives/communicator.js';
import { DirectAllToAll } from '#weft/collectives/direct-all-to-all.js';
import { doubleBinaryTrees } from '#weft/collectives/double-binary-tree.js';
import { nvlsStars } from '#weft/collectives/nvls.js';
import { PatAllgather } from '#weft/collectives/pat.js';
import { Ring } from '#weft/collectives/ring.js';
import { type RingLayout, ringOrders } from '#weft/collectives/ring-order.js';
import { SendReceive } from '#weft/collectives/send-receive.js';
import { TreeReduction } from '#weft/collectives/tree-reduction.js';
import type { Fabric } from '#weft/fabric/fabric.js';
import { generateFabric } from '#weft/fabric/generators/catalogue.js';
import type { WorkSource } from '#weft/flows/work-source.js';
import { halvingDoubling, ringAllreduce, type ScheduleOf } from './collectives.js';
import { listed, type Transfer } from './engine-run.js';
import { dumbbell, star } from './fabrics.js';

const mib = 2 ** 20;
const cableLatencyPs = 500_000;

export interface ComparisonCase {
  readonly name: string;
  readonly fabric: Fabric;
  readonly work: () => WorkSource;
  /** source ports by the central controller */
  readonly controlled?: true;
  /** packets without congestion control and marking: PFC alone */
  readonly pauses?: true;
}

/** One collective of the given ranks, all if left out; several lists: one each at the same time. */
function collectives(
  fabric: Fabric,
  scheduleOf: ScheduleOf,
  groups: readonly (readonly number[])[] = [Array.from(fabric.hosts, (_, rank) => rank)],
): () => WorkSource {
  return () =>
    new CollectiveWork(
      groups.map((ranks) => {
        const communicator = new Communicator(fabric, Int32Array.from(ranks));
        return { communicator, schedule: scheduleOf(communicator), startPs: 0 };
      }),
    );
}

/** A case of one collective over all hosts. */
function alone(name: string, fabric: Fabric, scheduleOf: ScheduleOf): ComparisonCase {
  return { name, fabric, work: collectives(fabric, scheduleOf) };
}

const servers = (gpus: number): Fabric =>
  generateFabric('spectrum-x', { gpus, bandwidth: '100Gbps', nicsPerAsw: 8, aswPerPsw: 8, pswSwitches: 4 });
const leaves = (spines: number): Fabric =>
  generateFabric('leaf-spine', { leaves: 4, hostsPerLeaf: 4, spines, hostRate: '100Gbps', spineRate: '100Gbps' });

const ring =
  (kind: 'allreduce' | 'allgather', layout: RingLayout, channels: number, sizeBytes: number): ScheduleOf =>
  (c) =>
    new Ring({ kind, rings: ringOrders(layout, c, channels), sizeBytes, slots: 1 });
const allToAll =
  (sizeBytes: number): ScheduleOf =>
  (c) =>
    new DirectAllToAll(new EvenBlocks(c.rankCount, sizeBytes));

/** Nobody shares a link beyond what the algorithm itself does evenly. */
export function uncongestedCases(): ComparisonCase[] {
  const one = star(16, cableLatencyPs);
  const server = servers(8);
  const quick = generateFabric('leaf-spine', {
    leaves: 4,
    hostsPerLeaf: 4,
    spines: 1,
    hostRate: '100Gbps',
    spineRate: '800Gbps',
  });
  const two = servers(16);
  const four = servers(32);
  return [
    alone('ring allreduce, 16 hosts, 16 MiB', one, ringAllreduce(16 * mib)),
    alone('ring allreduce, 16 hosts, 64 KiB', one, ringAllreduce(mib / 16)),
    alone('ring allreduce, NVLink, 8 GPUs, 8 channels, 64 MiB', server, ring('allreduce', 'rank-order', 8, 64 * mib)),
    alone(
      'NVLS allreduce, 8 GPUs, 4 chunks, 64 MiB',
      server,
      (c) =>
        new TreeReduction({
          algorithm: 'nvls',
          kind: 'allreduce',
          rankCount: c.rankCount,
          forest: nvlsStars(c, 1),
          sizeBytes: 64 * mib,
          chunkCount: 4,
        }),
    ),
    alone(
      'ring allgather along rails, 32 GPUs, 8 channels, 64 MiB',
      four,
      ring('allgather', 'rail-aligned', 8, 64 * mib),
    ),
    alone('halving-doubling, 16 hosts, 16 MiB', one, halvingDoubling(16 * mib)),
    alone(
      'double binary tree, 2 servers of 8, 16 chunks, 8 MiB',
      two,
      (c) =>
        new TreeReduction({
          algorithm: 'tree',
          kind: 'allreduce',
          rankCount: c.rankCount,
          forest: doubleBinaryTrees(c, 1),
          sizeBytes: 8 * mib,
          chunkCount: 16,
        }),
    ),
    alone('PAT allgather, 16 hosts, 16 MiB', one, (c) => new PatAllgather(c.rankCount, 16 * mib)),
    alone(
      'broadcast along a chain, 16 hosts, 32 chunks, 8 MiB',
      one,
      (c) =>
        new TreeReduction({
          algorithm: 'ring',
          kind: 'broadcast',
          rankCount: c.rankCount,
          forest: ringChains(ringOrders('rank-order', c, 1), 0, 'away'),
          sizeBytes: 8 * mib,
          chunkCount: 32,
        }),
    ),
    alone('all-to-all, 16 hosts, 16 MiB', one, allToAll(16 * mib)),
    alone(
      'send and receive, 16 hosts in pairs, 4 MiB',
      one,
      (c) =>
        new SendReceive(
          c.rankCount,
          Array.from({ length: 16 }, (_, i) => ({ source: i, destination: i ^ 1, sizeBytes: 4 * mib })),
        ),
    ),
    {
      name: 'ring allreduce over 4 leaves and one quick spine, 16 MiB',
      fabric: quick,
      work: collectives(quick, ringAllreduce(16 * mib), [across]),
    },
  ];
}

/** hosts of four leaves in turn: every hop of a ring in this order crosses the spines */
const across = Array.from({ length: 16 }, (_, i) => (i % 4) * 4 + (i >> 2));

/** Hosts 0, 1, 2 of one leaf send to host 6 of another: whoever shares their way is a victim, host 3 to host 7. */
const spread: readonly Transfer[] = [...[0, 1, 2].map((host): Transfer => [host, 6, 8 * mib]), [3, 7, 8 * mib]];

/** Flows meet: ECMP, incast, oversubscription, pauses. */
export function congestedCases(): ComparisonCase[] {
  const one = star(16, cableLatencyPs);
  const oversubscribed = leaves(2);
  const four = servers(32);
  const trunk = dumbbell(8, 100e9, 100e9, cableLatencyPs);
  const spreading = dumbbell(4, 100e9, 200e9, cableLatencyPs);
  const incast: readonly Transfer[] = Array.from({ length: 15 }, (_, i) => [i + 1, 0, 4 * mib]);
  return [
    {
      name: 'ring across leaves, 4 spines, ECMP, 64 MiB',
      fabric: leaves(4),
      work: collectives(leaves(4), ringAllreduce(64 * mib), [across]),
    },
    {
      name: 'the same with the central controller',
      fabric: leaves(4),
      work: collectives(leaves(4), ringAllreduce(64 * mib), [across]),
      controlled: true,
    },
    {
      name: 'double binary trees of two channels, 4 servers of 8, 16 chunks, 8 MiB',
      fabric: four,
      work: collectives(
        four,
        (c) =>
          new TreeReduction({
            algorithm: 'tree',
            kind: 'allreduce',
            rankCount: c.rankCount,
            forest: doubleBinaryTrees(c, 2),
            sizeBytes: 8 * mib,
            chunkCount: 16,
          }),
      ),
    },
    {
      name: 'all-to-all, 4 leaves on 2 spines (2:1), 16 MiB',
      fabric: oversubscribed,
      work: collectives(oversubscribed, allToAll(16 * mib)),
    },
    {
      name: 'the same without congestion control: PFC alone',
      fabric: oversubscribed,
      work: collectives(oversubscribed, allToAll(16 * mib)),
      pauses: true,
    },
    { name: 'incast of 15, 4 MiB each', fabric: one, work: () => listed(incast) },
    { name: 'the same without congestion control: PFC alone', fabric: one, work: () => listed(incast), pauses: true },
    {
      name: 'two rings through one cable, 16 MiB',
      fabric: trunk,
      work: collectives(trunk, ringAllreduce(16 * mib), [
        [0, 8, 1, 9, 2, 10, 3, 11],
        [4, 12, 5, 13, 6, 14, 7, 15],
      ]),
    },
    {
      name: 'three flows into one host, a fourth beside them, PFC alone',
      fabric: spreading,
      work: () => listed(spread),
      pauses: true,
    },
  ];
}
