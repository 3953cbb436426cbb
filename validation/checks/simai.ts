// SimAI 1.6's own runs, redone: eight transfers between two servers flow by flow, and an all-to-all by its quantiles.
// The figures that matter stand here; with the reference data at hand they are compared with its files, too.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Diagnostics } from '#weft/base/diagnostics.js';
import type { Fabric } from '#weft/fabric/fabric.js';
import { generateFabric } from '#weft/fabric/generators/catalogue.js';
import { readFct } from '#weft/formats/simai-fct.js';
import type { Check, CheckContext } from '../check.js';
import { settingsWith, soundRun, type Transfer } from '../engine-run.js';
import { compared, exact, type Line, matched, skipped, spanned, within } from '../line.js';

/**
 * The fabric of both cases: two servers of eight A100, a leaf each, eight spines, 100 Gb/s, 500 ns. SimAI's
 * DCN+SingleToR_16g_8gps_100Gbps_A100.
 */
export function twoServers(): Fabric {
  return generateFabric('dcn+', {
    gpus: 16,
    gpusPerServer: 8,
    gpuType: 'A100',
    nvlinkBandwidth: '2400Gbps',
    bandwidth: '100Gbps',
    nicsPerAsw: 8,
    pswSwitches: 8,
    aswPswBandwidth: '100Gbps',
  });
}

/**
 * Eight transfers of 10 MiB, GPU i to GPU i + 8, without controller: SimAI's completion times in nanoseconds, by
 * sender.
 */
const pairTimesNs = [849_712, 849_712, 1_692_512, 849_716, 1_693_172, 1_692_512, 1_693_172, 849_720];
export const pairTransfers: readonly Transfer[] = pairTimesNs.map((_, gpu) => [gpu, gpu + 8, 10 * 2 ** 20]);

/** Quantiles (nearest rank) of the 240 completion times of SimAI's all-to-all, in nanoseconds. */
const allToAllNs: readonly (readonly [share: number, ns: number])[] = [
  [0.05, 24_580],
  [0.1, 24_605],
  [0.25, 24_670],
  [0.5, 549_708],
  [0.75, 721_564],
  [0.9, 852_114],
  [0.95, 889_542],
  [0.99, 963_115],
];
const allToAllLongestNs = 1_112_540;

const mean = (list: readonly number[]): number => list.reduce((sum, value) => sum + value, 0) / list.length;
const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]!;

/** Completion times of a case's fct.txt by sender, or null if it is not there. */
function timesInFile({ reference }: CheckContext, name: string): number[] | null {
  const path = reference === null ? null : join(reference, 'simai/cases', name, 'fct.txt');
  if (path === null || !existsSync(path)) return null;
  const rows = readFct(path, readFileSync(path, 'utf8'), new Diagnostics());
  return [...rows]
    .sort((a, b) => a.sourceAddress - b.sourceAddress || a.destinationAddress - b.destinationAddress)
    .map(({ completionNs }) => completionNs);
}

/** The figures that stand here against those of the reference data. */
function copied(mechanism: string, file: readonly number[] | null, here: readonly number[]): Line {
  const subject = { mechanism: `${mechanism}: not those of its fct.txt`, oracle: 'reference data' };
  if (file === null) return skipped({ ...subject, why: 'no reference data here' });
  return compared({
    ...subject,
    expected: 0,
    ours: file.filter((value, i) => value !== here[i]).length + Math.abs(file.length - here.length),
    unit: '',
    tolerance: exact,
  });
}

function* caseOne(context: CheckContext): Iterable<Line> {
  const run = soundRun(twoServers(), pairTransfers, { settings: settingsWith({ packet: { profile: 'simai' } }) });
  for (const { source, destination, startPs, finishPs } of [...run.flows].sort((a, b) => a.source - b.source)) {
    yield compared({
      mechanism: `GPU ${source} to GPU ${destination}`,
      oracle: 'SimAI 1.6, case (i)',
      expected: pairTimesNs[source]!,
      ours: (finishPs - startPs) / 1000,
      unit: 'ns',
      digits: 2,
      tolerance: within(0.005),
    });
  }
  yield compared({
    mechanism: 'ideal time of a flow',
    oracle: 'SimAI 1.6, last column of fct.txt (whole nanoseconds)',
    expected: 850_591,
    ours: Math.floor(run.flows[0]!.idealPs / 1000),
    unit: 'ns',
    tolerance: exact,
  });
  const { packetsDropped, pauseFrames, ecnMarks } = run.network.counters;
  yield matched({
    mechanism: 'drops, pauses, marks',
    oracle: 'SimAI 1.6: none (two windows are 181 kB, marks begin at 400 kB)',
    expected: '0, 0, 0',
    ours: [packetsDropped, pauseFrames, ecnMarks].join(', '),
  });
  const file = timesInFile(context, 'case_i_10MiB');
  yield copied('the eight figures of SimAI above', file, pairTimesNs);
}

function* caseFour(context: CheckContext): Iterable<Line> {
  const fabric = twoServers();
  const transfers = Array.from({ length: 16 }, (_, source) =>
    Array.from({ length: 15 }, (_unused, i): Transfer => [source, (source + 1 + i) % 16, 1_048_576]),
  ).flat();
  const seeds = 20;
  const runs = Array.from({ length: seeds }, (_, i) => {
    const { flows } = soundRun(fabric, transfers, {
      seed: context.seed + i,
      settings: settingsWith({ packet: { profile: 'simai' } }),
    });
    return flows.map(({ startPs, finishPs }) => (finishPs - startPs) / 1000).sort((a, b) => a - b);
  });
  for (const [share, ns] of allToAllNs) {
    const medians = runs.map((times) => quantile(times, share)).sort((a, b) => a - b);
    yield compared({
      mechanism: `all-to-all, ${Math.round(100 * share)} % of the flows finish within`,
      oracle: 'SimAI 1.6, case (iv)',
      expected: ns,
      ours: (medians[seeds / 2 - 1]! + medians[seeds / 2]!) / 2,
      unit: 'ns',
      tolerance: within(0.05),
    });
  }
  const longest = runs.map((times) => times[times.length - 1]!);
  yield spanned({
    mechanism: `all-to-all, longest flow of ${seeds} seeds`,
    oracle: 'SimAI 1.6, case (iv): one draw',
    expected: allToAllLongestNs,
    least: Math.min(...longest),
    most: Math.max(...longest),
    unit: 'ns',
  });
  const file = timesInFile(context, 'case_iv_dp16_a2a16M_seq')?.sort((a, b) => a - b);
  yield copied(
    'the nine figures of SimAI above',
    file === undefined ? null : [...allToAllNs.map(([share]) => quantile(file, share)), file[file.length - 1]!],
    [...allToAllNs.map(([, ns]) => ns), allToAllLongestNs],
  );
}

/** What the document of the central controller publishes, and what sharing a link costs. */
function* document(): Iterable<Line> {
  const settings = settingsWith({ packet: { profile: 'simai' } });
  const times = (controlled: boolean): number[] =>
    soundRun(twoServers(), pairTransfers, { settings, controlled }).flows.map(
      ({ startPs, finishPs }) => (finishPs - startPs) / 1e6,
    );
  const [without, controlled] = [times(false), times(true)];
  for (const [name, expected, ours] of [
    ['without controller, mean', 1271, mean(without)],
    ['without controller, longest', 1693, Math.max(...without)],
    ['with controller, mean', 850, mean(controlled)],
    ['with controller, longest', 850, Math.max(...controlled)],
  ] as const)
    yield compared({
      mechanism: `eight transfers ${name}`,
      oracle: 'source document, section 7.1',
      expected,
      ours,
      unit: 'us',
      digits: 1,
      tolerance: within(0.01),
    });
  // a shared spine: 10 MiB take their link time once more, 1,166 packets of 52 B of header
  const wireUs = ((10 * 2 ** 20 + 1166 * 52) * 8) / 100e3;
  yield compared({
    mechanism: 'two flows on one spine: the last, beyond a flow alone',
    oracle: 'the link time of one flow: 10 MiB and 1,166 headers at 100 Gb/s',
    expected: wireUs,
    ours: Math.max(...without) - Math.min(...without),
    unit: 'us',
    digits: 3,
    tolerance: within(0.01),
  });
}

export const simai: Check = {
  name: 'simai',
  title: 'SimAI 1.6, flow by flow and quantile by quantile',
  about:
    'Two servers of eight GPUs, eight spines, 100 Gb/s. (i): eight transfers of 10 MiB, no random draws. SimAI truncates transmission times to whole nanoseconds (724 instead of 724.16 ns per packet), which alone is 0.0221 %. (iv): 240 flows of 1 MiB at once; queues cross the marking threshold, so marks are random: quantiles of the sorted completion times, each the median of 20 seeds.',
  *run(context) {
    yield* caseOne(context);
    yield* caseFour(context);
    yield* document();
  },
};

/**
 * SimAI's source ports and spines with the controller, in order of the flows (measured with SimAI; the source document
 * has the same).
 */
export const controlledPorts = [1, 1, 1, 1, 2, 4, 2, 1];
export const controlledSpines = [27, 20, 23, 24, 25, 22, 21, 26];
