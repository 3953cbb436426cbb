// DCQCN's rates while senders rest, and an edge bridge that puts sprayed packets in order: two tables of
// examples/source-flow-control/kinds-of-traffic.md. What is run stands in validation/off-phase.ts and
// validation/reordering-edge.ts.

import { sfcSettings } from '#weft/backends/packet/flow-control/sfc/sfc-settings.js';
import { settingDefaults } from '#weft/base/settings.js';
import type { SettingChanges } from '../engine-run.js';
import { offPhase } from '../off-phase.js';
import { dcqcnWith } from '../reaction-times.js';
import { reorderingEdge } from '../reordering-edge.js';
import { writeBlock } from './pages.js';
import { kindsPage } from './sfc-kinds.js';

export interface ExperimentTable {
  /** of its place in the page */
  readonly name: string;
  readonly head: string;
  readonly rows: readonly (() => string)[];
}

const gapsUs = [0, 1000, 5000, 20_000];

/** The constants of the paper, and those of SimAI. */
const controls: readonly { readonly name: string; readonly changes: SettingChanges }[] = [
  {
    name: "DCQCN, the paper's timers, CNPs 50 us apart",
    changes: dcqcnWith(50, {
      alphaInterval: 55e6,
      decreaseInterval: 4e6,
      increaseInterval: 55e6,
      fastRecoveryRounds: 5,
      additiveIncrease: 40e6,
    }),
  },
  { name: 'DCQCN by default, a CNP for every mark', changes: dcqcnWith(0, { decreaseInterval: 4e6 }) },
  {
    name: 'SFC at end stations',
    changes: {
      flowControl: ['pfc', 'sfc'],
      own: { sfc: { ...settingDefaults(sfcSettings), threshold: 300_000 } },
    },
  },
];

const loads = [0.5, 0.9];
const slowUs = [0, 20, 50, 100, 200];

export const experimentTables: readonly ExperimentTable[] = [
  {
    name: 'off-phase',
    head: '| | gap | rate before it | after it | a burst takes | longest queue, first burst | later ones |\n|---|---|---|---|---|---|---|\n',
    rows: controls.flatMap(({ name, changes }) => gapsUs.map((gapUs) => () => offPhaseRow(name, changes, gapUs))),
  },
  {
    name: 'reordering-edge',
    head: '| load | one path slow for | held because ahead of its turn | most let go by one packet | longest queue, in order at the edge | in order at the host | above 300 kB for |\n|---|---|---|---|---|---|---|\n',
    rows: loads.flatMap((load) => slowUs.map((us) => () => edgeRow(load, us))),
  },
];

/** Runs and writes both tables, and prints them. */
export function writeExperiments(): void {
  for (const { name, head, rows } of experimentTables) {
    process.stderr.write(`${name} …\n`);
    const table = head + rows.map((row) => row()).join('');
    writeBlock(kindsPage, name, `\n${table}\n`);
    process.stdout.write(table);
  }
}

function offPhaseRow(name: string, changes: SettingChanges, gapUs: number): string {
  const { before, after, burstPs, firstPeakBytes, laterPeakBytes } = offPhase(changes, gapUs * 1e6);
  const cells = [
    name,
    gapUs === 0 ? 'none' : `${gapUs / 1000} ms`,
    percent(before),
    percent(after),
    `${(burstPs / 1e9).toFixed(2)} ms`,
    megabytes(firstPeakBytes),
    megabytes(laterPeakBytes),
  ];
  return `| ${cells.join(' | ')} |\n`;
}

function edgeRow(load: number, us: number): string {
  const edge = reorderingEdge(load, us * 1e6);
  const cells = [
    `${100 * load} %`,
    us === 0 ? 'never' : `${us} us`,
    megabytes(edge.heldBytes),
    megabytes(edge.releasedBytes),
    megabytes(edge.orderedPeakBytes),
    megabytes(edge.plainPeakBytes),
    `${(edge.crowdedPs / 1e6).toFixed(0)} us`,
  ];
  return `| ${cells.join(' | ')} |\n`;
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(2)} MB`;
