// Collectives as profile `nccl` makes them, on the analytical and the fluid backend beside packets: a sample of `npm run
// agreement`, of cells that agree.

import { planCollective } from '#weft/app/simulate-collective.js';
import { defaultPacketSettings } from '#weft/backends/packet/settings.js';
import { formatSizeBytes } from '#weft/base/units.js';
import { ClosedFormCosts } from '#weft/collectives/closed-form.js';
import { CollectiveWork } from '#weft/collectives/collective-work.js';
import { Communicator } from '#weft/collectives/communicator.js';
import type { Protocol } from '#weft/collectives/protocols.js';
import type { AlgorithmName, CollectiveKind } from '#weft/collectives/schedule.js';
import { EqualCostRoutes } from '#weft/routing/equal-cost.js';
import { PathTracer } from '#weft/routing/path.js';
import { agreementFabrics } from '../agreement/cases.js';
import { agreed } from '../agreement/reasons.js';
import type { Check } from '../check.js';
import { settingsWith, soundRun } from '../engine-run.js';
import { soundFluidRun } from '../fluid-run.js';
import { compared, type Line, within } from '../line.js';

const { payload, header, gap, acknowledgement } = defaultPacketSettings().packet;
const shape = { payloadBytes: payload, overheadBytes: header + gap, acknowledgementBytes: acknowledgement + gap };
const kib = 2 ** 10;
const mib = 2 ** 20;

type Sample = readonly [
  fabric: string,
  kind: CollectiveKind,
  algorithm: AlgorithmName,
  protocol: Protocol,
  sizeBytes: number,
];

const samples: readonly Sample[] = [
  ['8 GPUs', 'allreduce', 'nvls', 'simple', 4 * mib],
  ['16 GPUs', 'allreduce', 'ring', 'll', 64 * kib],
  ['16 GPUs', 'allreduce', 'tree', 'll128', 4 * mib],
  ['8 GPUs', 'allreduce', 'ring', 'simple', 64 * kib],
  ['16 GPUs', 'allreduce', 'ring', 'simple', 4 * mib],
  ['16 GPUs', 'allreduce', 'nvls-tree', 'simple', 4 * mib],
  ['16 GPUs', 'allreduce', 'collnet-direct', 'simple', 4 * mib],
  ['16 GPUs', 'broadcast', 'ring', 'll128', 4 * mib],
  ['16 GPUs', 'alltoall', 'direct', 'simple', 4 * mib],
  ['16 hosts', 'allgather', 'pat', 'simple', 4 * mib],
  ['16 hosts', 'reduce', 'ring', 'simple', mib],
];

function* lines([name, kind, algorithm, protocol, sizeBytes]: Sample): Iterable<Line> {
  const { fabric } = agreementFabrics().find((each) => each.name === name)!;
  const communicator = new Communicator(
    fabric,
    Int32Array.from(fabric.hosts, (_, rank) => rank),
  );
  const planned = planCollective(
    {
      communicator,
      groupKind: 'dp',
      profile: 'nccl',
      wish: { algorithm, protocol },
      nvls: true,
      pxn: false,
      collnet: true,
      channels: 0,
    },
    { kind, sizeBytes, root: 0 },
  );
  if (typeof planned === 'string') throw new Error(planned);
  const { choice, request, schedule } = planned;
  const { startDelayPs, intraServerDelayPs, networkDelayPs, keepsPorts } = choice;
  const work = (): CollectiveWork =>
    new CollectiveWork([
      {
        communicator,
        schedule,
        startPs: startDelayPs,
        options: { wire: choice, intraServerDelayPs, networkDelayPs },
        keepsPorts,
      },
    ]);
  const packetsPs = soundRun(fabric, work(), { settings: settingsWith({}) }).executor.lastFinishPs;
  const costs = new ClosedFormCosts(new PathTracer(new EqualCostRoutes(fabric, 'descending-node-id')), {
    ...shape,
    sendLatencyPs: 0,
    model: 'steps',
  });
  const others = {
    fluid: soundFluidRun(fabric, work(), shape).executor.lastFinishPs,
    'closed form': costs.costPs(request, choice, communicator),
  };
  for (const [backend, ours] of Object.entries(others))
    yield compared({
      mechanism: `${name}, ${kind}, ${algorithm} ${protocol}, ${formatSizeBytes(sizeBytes)}, ${backend}`,
      oracle: 'the packet backend',
      expected: packetsPs / 1e6,
      ours: ours / 1e6,
      unit: 'us',
      digits: 1,
      tolerance: within(agreed),
    });
}

export const agreement: Check = {
  name: 'agreement',
  title: 'Collectives on three backends',
  about:
    'Collectives of profile `nccl` on fabrics without contention, packets of 4,096 B and DCQCN; a sample of [backends beside each other](backends-agree.md), which has every kind, algorithm and protocol at eight sizes, and reasons where they differ by more.',
  isSampled: true,
  *run({ isQuick }) {
    for (const sample of isQuick ? samples.slice(0, 3) : samples) yield* lines(sample);
  },
};
