// SimAI's cases (ii) to (v): its collectives, flow by flow (who sends how much to whom, how often), and the time that they take (its notes,
// section 15). Needs the reference data; skips visibly without it.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Diagnostics } from '../../src/base/diagnostics.js';
import { EvenBlocks } from '../../src/collectives/block-matrix.js';
import { CollectiveWork } from '../../src/collectives/collective-work.js';
import { Communicator } from '../../src/collectives/communicator.js';
import { DirectAllToAll } from '../../src/collectives/direct-all-to-all.js';
import { truncatedSize } from '../../src/collectives/division.js';
import { type GroupKind, parallelGroups } from '../../src/collectives/parallel-groups.js';
import { Ring } from '../../src/collectives/ring.js';
import { ringOrders } from '../../src/collectives/ring-order.js';
import type { Schedule } from '../../src/collectives/schedule.js';
import { ipv4OfNode } from '../../src/fabric/addresses.js';
import type { Fabric } from '../../src/fabric/fabric.js';
import { readFct } from '../../src/formats/simai-fct.js';
import { readTopology } from '../../src/formats/simai-topology.js';
import { broken, engineRun, settingsWith } from '../support/engine-run.js';
import { referencePath } from '../reference.js';

const reference = referencePath('simai');
const sendLatencyPs = 6e6;
/** SimAI's memory bus, before every flow */
const flowDelayPs = 10_000;

interface Case {
  readonly folder: string;
  readonly topology: string;
  readonly tensor: number;
  readonly kind: GroupKind;
  readonly sizeBytes: number;
  readonly isAllToAll?: boolean;
  readonly flows: number;
  readonly flowBytes: number;
  readonly communicationUs: number;
  readonly within: number;
}

const cases: readonly Case[] = [
  { folder: 'case_ii_ring_A100_seq', topology: 'DCN+SingleToR_8g_8gps_100Gbps_A100', tensor: 8, kind: 'TP', sizeBytes: 2 ** 24, flows: 896, flowBytes: 262_144, communicationUs: 183.464, within: 0.02 },
  { folder: 'case_iii_dp16_ar16M_seq', topology: 'DCN+SingleToR_16g_8gps_100Gbps_A100', tensor: 1, kind: 'DP', sizeBytes: 2 ** 24, flows: 3840, flowBytes: 131_072, communicationUs: 602.161, within: 0.02 },
  { folder: 'case_iv_dp16_a2a16M_seq', topology: 'DCN+SingleToR_16g_8gps_100Gbps_A100', tensor: 1, kind: 'DP', sizeBytes: 2 ** 24, isAllToAll: true, flows: 240, flowBytes: 2 ** 20, communicationUs: 971.48, within: 0.05 },
  { folder: 'case_v_tp8dp16_ar32M_seq', topology: 'Spectrum-X_128g_8gps_100Gbps_A100', tensor: 8, kind: 'DP', sizeBytes: 2 ** 25, flows: 3840, flowBytes: 2 ** 21, communicationUs: 5351.61, within: 0.02 },
];

describe.skipIf(reference === null)('SimAI\'s collectives', () => {
  const diagnostics = new Diagnostics();
  const schedule = ({ sizeBytes, isAllToAll = false }: Case, group: Communicator): Schedule => {
    const { rankCount } = group;
    if (isAllToAll) return new DirectAllToAll(new EvenBlocks(rankCount, truncatedSize(sizeBytes, rankCount, 1)), 1, Infinity, 'by-rank');
    const channels = group.servers[0]!.length;
    return new Ring('allreduce', ringOrders('cross-rail', group, channels), truncatedSize(sizeBytes, rankCount, channels));
  };

  it.each(cases)('$folder', (given) => {
    const fabric: Fabric = readTopology(readFileSync(join(reference!, 'topo', given.topology), 'utf8'), 'topology', diagnostics)!;
    const sizes = { tensor: given.tensor, data: fabric.hosts.length / given.tensor, pipeline: 1, expert: 1 };
    let finishOfRank0 = 0;
    const work = new CollectiveWork(
      parallelGroups(given.kind, sizes).map((ranks) => {
        const communicator = new Communicator(fabric, ranks);
        const onPlaceFinished = (place: number, nowPs: number): void => {
          if (ranks[place] === 0) finishOfRank0 = nowPs;
        };
        return { communicator, schedule: schedule(given, communicator), startPs: 0, options: { intraServerDelayPs: flowDelayPs, networkDelayPs: flowDelayPs, onPlaceFinished } };
      }),
    );
    const run = engineRun(fabric, work, { settings: settingsWith({ packet: { profile: 'simai' } }), sendLatencyPs });
    expect(broken(run)).toEqual([]);
    const theirs = readFct('fct.txt', readFileSync(join(reference!, 'cases', given.folder, 'fct.txt'), 'utf8'), diagnostics);
    const flow = (source: number, destination: number, sourcePort: number, sizeBytes: number): string => `${source} -> ${destination} port ${sourcePort}: ${sizeBytes} B`;
    const ours = run.flows.map(({ source, destination, sourcePort, sizeBytes }) => flow(ipv4OfNode(source), ipv4OfNode(destination), sourcePort, sizeBytes));
    expect(ours.sort()).toEqual(theirs.map(({ sourceAddress, destinationAddress, sourcePort, sizeBytes }) => flow(sourceAddress, destinationAddress, sourcePort, sizeBytes)).sort());
    expect([run.flows.length, ...new Set(run.flows.map(({ sizeBytes }) => sizeBytes))]).toEqual([given.flows, given.flowBytes]);
    const us = finishOfRank0 / 1e6;
    console.log(`${given.folder}: SimAI ${given.communicationUs} us, Weft ${us.toFixed(3)} us, ${(100 * (us / given.communicationUs - 1)).toFixed(3)} %`);
    expect(Math.abs(us / given.communicationUs - 1)).toBeLessThanOrEqual(given.within);
    expect(diagnostics.list).toEqual([]);
  });
});
