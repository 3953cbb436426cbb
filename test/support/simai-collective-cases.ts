// SimAI's cases (ii) to (v), its collectives: what was run there, what came out, and how to run the same here (its
// notes, section 15).

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
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
import { type FctRow, readFct } from '../../src/formats/simai-fct.js';
import { readTopology } from '../../src/formats/simai-topology.js';
import { type EngineRun, engineRun, settingsWith } from './engine-run.js';

export interface SimaiCase {
  readonly name: string;
  readonly folder: string;
  readonly topology: string;
  readonly tensor: number;
  readonly kind: GroupKind;
  readonly sizeBytes: number;
  readonly isAllToAll: boolean;
  /** flows there, and the size of all of them */
  readonly flows: number;
  readonly flowBytes: number;
  /** time of rank 0 in communication */
  readonly communicationUs: number;
}

const small = 'DCN+SingleToR_16g_8gps_100Gbps_A100';
export const caseII: SimaiCase = {
  name: 'ii',
  folder: 'case_ii_ring_A100_seq',
  topology: 'DCN+SingleToR_8g_8gps_100Gbps_A100',
  tensor: 8,
  kind: 'tp',
  sizeBytes: 2 ** 24,
  isAllToAll: false,
  flows: 896,
  flowBytes: 262_144,
  communicationUs: 183.464,
};
export const caseIII: SimaiCase = {
  name: 'iii',
  folder: 'case_iii_dp16_ar16M_seq',
  topology: small,
  tensor: 1,
  kind: 'dp',
  sizeBytes: 2 ** 24,
  isAllToAll: false,
  flows: 3840,
  flowBytes: 131_072,
  communicationUs: 602.161,
};
export const caseIV: SimaiCase = {
  name: 'iv',
  folder: 'case_iv_dp16_a2a16M_seq',
  topology: small,
  tensor: 1,
  kind: 'dp',
  sizeBytes: 2 ** 24,
  isAllToAll: true,
  flows: 240,
  flowBytes: 2 ** 20,
  communicationUs: 971.48,
};
export const caseV: SimaiCase = {
  name: 'v',
  folder: 'case_v_tp8dp16_ar32M_seq',
  topology: 'Spectrum-X_128g_8gps_100Gbps_A100',
  tensor: 8,
  kind: 'dp',
  sizeBytes: 2 ** 25,
  isAllToAll: false,
  flows: 3840,
  flowBytes: 2 ** 21,
  communicationUs: 5351.61,
};

/** what SimAI was started with, and its memory bus before every flow */
const sendLatencyPs = 6e6;
const flowDelayPs = 10_000;

/** What SimAI wrote into fct.txt. */
export function theirFlows({ folder }: SimaiCase, reference: string): FctRow[] {
  const diagnostics = new Diagnostics();
  const rows = readFct('fct.txt', readFileSync(join(reference, 'cases', folder, 'fct.txt'), 'utf8'), diagnostics);
  diagnostics.throwIfErrors();
  return rows;
}

/** A flow in words, the same for their rows and ours. */
export function flowText(
  sourceAddress: number,
  destinationAddress: number,
  sourcePort: number,
  sizeBytes: number,
): string {
  return `${sourceAddress} -> ${destinationAddress} port ${sourcePort}: ${sizeBytes} B`;
}

export interface CaseRun extends EngineRun {
  /** by rank: when everything that it sends and receives was done */
  readonly finishUs: readonly number[];
  readonly flowTexts: readonly string[];
}

/** Runs a case with SimAI's packets and its way to make flows of a collective. */
export function runCase(given: SimaiCase, reference: string, seed = 1): CaseRun {
  const diagnostics = new Diagnostics();
  const fabric = readTopology(readFileSync(join(reference, 'topo', given.topology), 'utf8'), 'topology', diagnostics)!;
  diagnostics.throwIfErrors();
  const sizes = { tensor: given.tensor, data: fabric.hosts.length / given.tensor, pipeline: 1, expert: 1 };
  const finishUs: number[] = [];
  const work = new CollectiveWork(
    parallelGroups(given.kind, sizes).map((ranks) => {
      const communicator = new Communicator(fabric, ranks);
      const onPlaceFinished = (place: number, nowPs: number): void => {
        finishUs[ranks[place]!] = nowPs / 1e6;
      };
      return {
        communicator,
        schedule: scheduleOf(given, communicator),
        startPs: 0,
        options: { intraServerDelayPs: flowDelayPs, networkDelayPs: flowDelayPs, onPlaceFinished },
      };
    }),
  );
  const run = engineRun(fabric, work, {
    seed,
    settings: settingsWith({ packet: { profile: 'simai' } }),
    sendLatencyPs,
  });
  const flowTexts = run.flows.map(({ source, destination, sourcePort, sizeBytes }) =>
    flowText(ipv4OfNode(source), ipv4OfNode(destination), sourcePort, sizeBytes),
  );
  return { ...run, finishUs, flowTexts };
}

function scheduleOf({ sizeBytes, isAllToAll }: SimaiCase, group: Communicator): Schedule {
  const { rankCount } = group;
  if (isAllToAll)
    return new DirectAllToAll(new EvenBlocks(rankCount, truncatedSize(sizeBytes, rankCount, 1)), { order: 'by-rank' });
  const channels = group.servers[0]!.length;
  return new Ring({
    kind: 'allreduce',
    rings: ringOrders('cross-rail', group, channels),
    sizeBytes: truncatedSize(sizeBytes, rankCount, channels),
  });
}
