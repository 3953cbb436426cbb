// The fluid backend: closed forms of collectives, the packet backend with and without congestion, and streams in place
// of steps.

import { doubleBinaryTrees } from '#weft/collectives/double-binary-tree.js';
import { TreeReduction } from '#weft/collectives/tree-reduction.js';
import { defaultPacketSettings } from '#weft/backends/packet/settings.js';
import { type Fabric, FabricBuilder, NodeKind } from '#weft/fabric/fabric.js';
import { transferPs, type Way } from '../alpha-beta.js';
import type { Check } from '../check.js';
import { type ComparisonCase, congestedCases, uncongestedCases } from '../collective-cases.js';
import { collective, halvingDoubling, ringAllreduce, type ScheduleOf } from '../collectives.js';
import { settingsWith, soundRun } from '../engine-run.js';
import { star } from '../fabrics.js';
import { soundFluidRun } from '../fluid-run.js';
import { bounded, compared, type Line, within } from '../line.js';
import { streamCaseRun, streamCases } from '../stream-cases.js';

const mib = 2 ** 20;
const { payload, header, gap, acknowledgement } = defaultPacketSettings().packet;
const sizes = { payloadBytes: payload, overheadBytes: header + gap, acknowledgementBytes: acknowledgement + gap };
const network: Way = { links: 2, rateBps: 100e9, latencyPs: 500_000 };
const nvlink: Way = { links: 2, rateBps: 2.4e12, latencyPs: 25_000 };

/** Two servers of four GPUs, NVLink between them, NICs on one switch. */
function twoServers(): Fabric {
  const builder = new FabricBuilder(4);
  const hosts = builder.addNodes(NodeKind.host, 8);
  const nvswitches = builder.addNodes(NodeKind.nvswitch, 2);
  const leaf = builder.addNode(NodeKind.switch);
  for (let rank = 0; rank < 8; rank++) {
    builder.addLink(hosts + rank, nvswitches + Math.floor(rank / 4), nvlink.rateBps, nvlink.latencyPs);
    builder.addLink(hosts + rank, leaf, network.rateBps, network.latencyPs);
  }
  return builder.build();
}

/**
 * A collective whose steps follow each other: name, fabric, schedule, the sum of its steps. Streams take no time for
 * acknowledgements that go the other way.
 */
type ClosedForm = readonly [
  name: string,
  fabric: Fabric,
  scheduleOf: ScheduleOf,
  stepsPs: (hasAcknowledgements: boolean) => number,
];

const closedForms = (): ClosedForm[] => [
  [
    'ring, 16 hosts, 16 MiB',
    star(16, network.latencyPs),
    ringAllreduce(16 * mib),
    (isDuplex) => 30 * transferPs(mib, network, sizes, isDuplex),
  ],
  [
    'halving-doubling, 16 hosts, 16 MiB',
    star(16, network.latencyPs),
    halvingDoubling(16 * mib),
    (isDuplex) => 2 * [8, 4, 2, 1].reduce((sum, parts) => sum + transferPs(parts * mib, network, sizes, isDuplex), 0),
  ],
  [
    'double binary tree, 2 servers of 4, 1 MiB',
    twoServers(),
    (c) =>
      new TreeReduction({
        algorithm: 'tree',
        kind: 'allreduce',
        rankCount: 8,
        forest: doubleBinaryTrees(c, 1),
        sizeBytes: mib,
      }),
    () => 2 * (3 * transferPs(mib, nvlink, sizes, false) + transferPs(mib, network, sizes, false)),
  ],
];

function* closedForm([name, fabric, scheduleOf, stepsPs]: ClosedForm): Iterable<Line> {
  const settings = settingsWith({ congestion: { algorithm: 'none' }, queuePair: { window: 'unlimited' } });
  const packets = soundRun(fabric, collective(fabric, scheduleOf), { settings }).executor.lastFinishPs;
  const streams = soundFluidRun(fabric, collective(fabric, scheduleOf), sizes).executor.lastFinishPs;
  yield compared({
    mechanism: `${name}, packets`,
    oracle: 'alpha-beta: steps, ACKs beside data',
    expected: stepsPs(true) / 1e6,
    ours: packets / 1e6,
    unit: 'us',
    digits: 1,
    tolerance: within(0.01),
  });
  yield compared({
    mechanism: `${name}, fluid`,
    oracle: 'alpha-beta: steps, data alone',
    expected: stepsPs(false) / 1e6,
    ours: streams / 1e6,
    unit: 'us',
    digits: 1,
    tolerance: within(0.01),
  });
}

interface Both {
  readonly packetsPs: number;
  readonly fluidPs: number;
  /** by how much of its time with packets each flow takes more or less, ascending */
  readonly flowErrors: readonly number[];
}

function both({ fabric, work, controlled, pauses }: ComparisonCase): Both {
  const settings = settingsWith(
    pauses === true
      ? { congestion: { algorithm: 'none' }, ecn: { enabled: false }, queuePair: { window: 'unlimited' } }
      : {},
  );
  const isControlled = controlled === true;
  const packets = soundRun(fabric, work(), { settings, controlled: isControlled });
  const fluidRun = soundFluidRun(fabric, work(), sizes, { controlled: isControlled });
  const timesPs = new Map(packets.flows.map(({ flow, startPs, finishPs }) => [flow, finishPs - startPs]));
  return {
    packetsPs: packets.executor.lastFinishPs,
    fluidPs: fluidRun.executor.lastFinishPs,
    flowErrors: fluidRun.flows
      .map(({ flow, startPs, finishPs }) => Math.abs((finishPs - startPs) / timesPs.get(flow)! - 1))
      .sort((a, b) => a - b),
  };
}

/** The least error that so many of a hundred flows do not exceed, in percent. */
function percentile(ascending: readonly number[], percent: number): number {
  return 100 * ascending[Math.ceil((ascending.length * percent) / 100) - 1]!;
}

/** Flow by flow. @param most of the median error, in percent */
function flowsOf({ name }: ComparisonCase, { flowErrors }: Both, most: number): Line {
  const [p90, p99] = [90, 99].map((percent) => percentile(flowErrors, percent).toFixed(1));
  return bounded({
    mechanism: `flow by flow: ${name}`,
    oracle: `packets: ${flowErrors.length} flows, nine of ten within ${p90} %, 99 of 100 within ${p99} %`,
    ours: percentile(flowErrors, 50),
    least: 0,
    most,
    unit: '%',
    digits: 1,
    expected: 'the median error',
  });
}

function* uncongested(): Iterable<Line> {
  for (const each of uncongestedCases()) {
    const runs = both(each);
    const { packetsPs, fluidPs } = runs;
    yield compared({
      mechanism: each.name,
      oracle: 'the packet backend',
      expected: packetsPs / 1e6,
      ours: fluidPs / 1e6,
      unit: 'us',
      digits: 1,
      tolerance: within(0.05),
    });
    yield flowsOf(each, runs, 5);
  }
}

function* congested(): Iterable<Line> {
  for (const each of congestedCases()) {
    const runs = both(each);
    const { packetsPs, fluidPs } = runs;
    yield bounded({
      mechanism: `congested: ${each.name}`,
      oracle: `packets: ${(packetsPs / 1e6).toFixed(1)} us, fluid ${(fluidPs / 1e6).toFixed(1)} us`,
      ours: 100 * (fluidPs / packetsPs - 1),
      least: -25,
      most: 1,
      unit: '%',
      digits: 1,
      expected: 'not slower than packets',
    });
    // who shares with whom and when is an estimate under congestion: of a flow's own time, less than half beside the mark
    yield flowsOf(each, runs, 50);
  }
}

function* streamed(): Iterable<Line> {
  for (const each of streamCases()) {
    const steps = streamCaseRun(each, sizes, false);
    const streams = streamCaseRun(each, sizes, true);
    const mechanism = `streams: ${each.name} (${streams.transfers} transfers for ${steps.transfers})`;
    if (each.name.includes('ECMP')) {
      yield bounded({
        mechanism,
        oracle: 'one path instead of one per step',
        ours: 100 * (streams.lastFinishPs / steps.lastFinishPs - 1),
        least: -50,
        most: 50,
        unit: '%',
        digits: 1,
        expected: 'another draw',
      });
    } else
      yield compared({
        mechanism,
        oracle: 'its steps',
        expected: steps.lastFinishPs / 1e6,
        ours: streams.lastFinishPs / 1e6,
        unit: 'us',
        digits: 1,
        tolerance: within(0.05),
      });
  }
}

export const fluid: Check = {
  name: 'fluid',
  title: 'Streams and packets',
  about:
    'The fluid backend against alpha-beta forms, against the packet backend (packets of 4,096 B, DCQCN) without congestion and with it, and collectives as streams against their steps ([the fluid backend](fluid.md)).',
  isSampled: true,
  *run({ isQuick }) {
    for (const each of closedForms()) yield* closedForm(each);
    yield* uncongested();
    if (isQuick) return;
    yield* congested();
    yield* streamed();
  },
};
