// The bus bandwidth of every kind of collective under the profile `nccl`, over sizes, groups and fabrics, and what every other
// algorithm and protocol that NCCL's tuner has for it would take in simulation.
// Invariant: a row is simulated, never taken from the tuner's model.

import { generateFabric } from '#weft/library/fabrics.js';
import { timeCollective } from '#weft/library/time-collective.js';
import { canDo } from '#weft/collectives/nccl-cost.js';
import { groupFacts } from '#weft/collectives/build-schedule.js';
import { Communicator } from '#weft/collectives/communicator.js';
import { InputError } from '#weft/base/diagnostics.js';
import type { Fabric } from '#weft/fabric/fabric.js';
import { protocols, tunedAlgorithms } from '#weft/collectives/protocols.js';
import type { CollectiveKind } from '#weft/collectives/schedule.js';

/** What is simulated: the fabrics, with the GPUs that `weft collective` gives them by default. */
export const families = ['spectrum-x', 'alibaba-hpn', 'dcn+'] as const;
const kinds: readonly CollectiveKind[] = [
  'allreduce',
  'allgather',
  'reducescatter',
  'broadcast',
  'reduce',
  'alltoall',
  'sendrecv',
];
export const groups = [8, 16, 64] as const;
export const leastBytes = 2 ** 10;
export const mostBytes = 2 ** 33;
const gpuType = 'H100';

export interface SweepCase {
  readonly family: string;
  readonly kind: CollectiveKind;
  readonly gpus: number;
  readonly backend: 'fluid' | 'packet';
  readonly sizeBytes: number;
}

/** One case with its times. */
export interface SweepRow extends SweepCase {
  readonly timeUs: number;
  readonly busbwGBps: number;
  /** algorithm, protocol, channels */
  readonly how: string;
  /** the best that NCCL allows */
  readonly bestUs: number;
  readonly best: string;
}

/** The sizes from the least to the most. */
export function sizesBy(factor: number, from = leastBytes, to = mostBytes): number[] {
  const sizes: number[] = [];
  for (let size = from; size <= to; size *= factor) sizes.push(size);
  return sizes;
}

/** Every case of the sweep, each group's sizes in order. */
export function sweepCases(factor: number): SweepCase[] {
  return [
    ...casesOf(families, groups, 'fluid', sizesBy(factor)),
    // the stated sample: 256 GPUs, and packets
    ...casesOf(['spectrum-x'], [256], 'fluid', sizesBy(64)),
    ...casesOf(['spectrum-x'], [8, 16], 'packet', sizesBy(16, 2 ** 10, 2 ** 26)),
  ];
}

/** Cases of fabrics, groups and sizes, of every kind. */
export function casesOf(
  names: readonly string[],
  sizes: readonly number[],
  backend: SweepCase['backend'],
  bytes: readonly number[],
): SweepCase[] {
  return names.flatMap((family) =>
    sizes.flatMap((gpus) =>
      kinds.flatMap((kind) => bytes.map((sizeBytes) => ({ family, kind, gpus, backend, sizeBytes }))),
    ),
  );
}

const fabrics = new Map<string, Fabric>();

function fabricOf({ family, gpus }: SweepCase): Fabric {
  const key = `${family} ${gpus}`;
  let fabric = fabrics.get(key);
  if (fabric === undefined) fabrics.set(key, (fabric = generateFabric(family, { gpus, gpuType })));
  return fabric;
}

/** closed forms of as many times the chosen one's time are not simulated: none is beyond 1.3 times its simulation */
const hopelessFrom = 1.5;

/** Simulates a case as it is chosen, as if nothing else were better. */
export async function chosenRow(one: SweepCase): Promise<SweepRow> {
  const { kind, sizeBytes, backend } = one;
  const { timePs, busBandwidth, choice } = await timeCollective(fabricOf(one), { kind, size: sizeBytes, backend });
  const best = `${choice.algorithm} ${choice.protocol} ${choice.channels}`;
  const timeUs = timePs / 1e6;
  return { ...one, timeUs, busbwGBps: busBandwidth / 1e9, how: best, bestUs: timeUs, best };
}

/** Simulates a case and whatever else NCCL could have chosen for it. */
export async function sweepRow(one: SweepCase): Promise<SweepRow> {
  const row = await chosenRow(one);
  const { kind, sizeBytes, backend, timeUs, how } = row;
  let { bestUs, best } = row;
  const fabric = fabricOf(one);
  const ranks = Int32Array.from(fabric.hosts, (_, rank) => rank);
  const facts = groupFacts(new Communicator(fabric, ranks));
  for (const algorithm of tunedAlgorithms) {
    // reductions in switches of the network are not on by default
    if (algorithm.startsWith('collnet') || !canDo(algorithm, kind, facts)) continue;
    for (const protocol of protocols) {
      if (how.startsWith(`${algorithm} ${protocol} `)) continue;
      const asked = { kind, size: sizeBytes, algorithm, protocol };
      try {
        const closed = await timeCollective(fabric, { ...asked, backend: 'analytical' });
        if (closed.timePs / 1e6 > hopelessFrom * timeUs) continue;
        const other = await timeCollective(fabric, { ...asked, backend });
        if (other.timePs / 1e6 < bestUs)
          [bestUs, best] = [other.timePs / 1e6, `${algorithm} ${protocol} ${other.choice.channels}`];
      } catch (error) {
        // an algorithm without that protocol
        if (!(error instanceof InputError)) throw error;
      }
    }
  }
  return { ...row, bestUs, best };
}

/** Where the bus bandwidth falls by more than 3 % from one size to the next. */
export interface Dip {
  readonly row: SweepRow;
  readonly before: SweepRow;
  readonly falls: number;
  readonly reason: string;
}

const mostFall = 0.03;
/** A choice within this of the best counts as right. */
const mostBeyondBest = 0.1;

/** Whether a choice is within 10 % of the best. */
export function isRight({ timeUs, bestUs }: SweepRow): boolean {
  return timeUs <= (1 + mostBeyondBest) * bestUs;
}

/** @param rows those of one group, kind, fabric and backend in order of their sizes */
export function dipsOf(rows: readonly SweepRow[]): Dip[] {
  return rows.flatMap((row, i) => {
    const before = rows[i - 1];
    if (before === undefined) return [];
    const falls = 1 - row.busbwGBps / before.busbwGBps;
    return falls > mostFall ? [{ row, before, falls, reason: reasonOf(before, row) }] : [];
  });
}

function reasonOf(before: SweepRow, row: SweepRow): string {
  const [from, to] = [before.how, row.how].map((how) => how.replace(/ \d+$/, ''));
  if (from !== to && row.timeUs > (1 + mostFall) * row.bestUs)
    return `NCCL's tuner goes from ${from} to ${to}; ${row.best} would take ${percent(1 - row.bestUs / row.timeUs)} less here`;
  if (from !== to)
    return `NCCL's tuner goes from ${from} to ${to}, the best here; ${from} does not reach this size's bandwidth`;
  if (row.timeUs > (1 + mostFall) * row.bestUs)
    return `NCCL's tuner stays with ${to}, which is at its end; ${row.best} would take ${percent(1 - row.bestUs / row.timeUs)} less here`;
  return 'not known';
}

export function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

/** Rows of one group, kind, fabric and backend, in the order of the sweep. */
export function curvesOf(rows: readonly SweepRow[]): SweepRow[][] {
  const curves = new Map<string, SweepRow[]>();
  for (const row of rows) {
    const key = `${row.family} ${row.gpus} ${row.kind} ${row.backend}`;
    const curve = curves.get(key);
    if (curve === undefined) curves.set(key, [row]);
    else curve.push(row);
  }
  return [...curves.values()];
}
