// What each congestion control makes of 2, 8, 32 and 128 senders into one port: the tables of
// docs/models/congestion-controls.md and docs/models/ecn-and-dcqcn.md. Everything that is not named here is a default.

import { mechanisms } from '#weft/backends/packet/mechanisms.js';
import type { SettingChanges } from '../engine-run.js';
import { figure } from '../line.js';
import { type Algorithm, onePort, type OnePortFigures } from '../one-port.js';
import { writeBlock } from './pages.js';

const senderCounts = [2, 8, 32, 128];
const lineBps = 100e9;
const [fromPs, toPs] = [10e9, 30e9];

interface Conditions {
  readonly latencyPs: number;
  readonly changes: SettingChanges;
}

/** The defaults over 1 us cables. */
const usual: Conditions = { latencyPs: 1e6, changes: { packet: { profile: 'rocev2' } } };
/** The additive increase of SimAI's conf. */
const asInSimai: Conditions = { ...usual, changes: { ...usual.changes, hpcc: { additiveIncrease: 50e6 } } };
/** HPCC's paper: a round trip of 12 to 13 us, packets of 1,000 B. */
const asInPaper: Conditions = { latencyPs: 3e6, changes: { packet: { profile: 'rocev2', payload: 1000 } } };

export interface ControlTable {
  readonly page: string;
  /** of its place in the page */
  readonly name: string;
  readonly algorithm: Algorithm;
  readonly conditions: Conditions;
}

/** All tables, in the order of the pages. */
export const controlTables: readonly ControlTable[] = [
  ...(Object.keys(mechanisms.congestionControls) as Algorithm[]).map((algorithm) => ({
    page: `docs/models/${algorithm === 'dcqcn' ? 'ecn-and-dcqcn' : 'congestion-controls'}.md`,
    name: `one-port-${algorithm}`,
    algorithm,
    conditions: usual,
  })),
  ...(['hpcc', 'hpcc-pint'] as const).flatMap((algorithm) =>
    Object.entries({ 'in-paper': asInPaper, 'in-simai': asInSimai }).map(([name, conditions]) => ({
      page: 'docs/models/congestion-controls.md',
      name: `one-port-${algorithm}-as-${name}`,
      algorithm,
      conditions,
    })),
  ),
];

/** Runs and writes all tables, and prints them. */
export function writeControlTables(): void {
  for (const table of controlTables) {
    process.stderr.write(`${table.name} …\n`);
    const markdown = controlMarkdown(table);
    writeBlock(table.page, table.name, markdown);
    process.stdout.write(`${table.name}\n${markdown}`);
  }
}

/** A table in Markdown. */
export function controlMarkdown({ algorithm, conditions: { latencyPs, changes } }: ControlTable): string {
  const rows = senderCounts.map((senders) => {
    const settings = { ...changes, congestion: { algorithm } };
    return rowOf(senders, onePort({ senders, lineBps, latencyPs, fromPs, toPs, changes: settings }));
  });
  return `| senders | use of the port | longest queue, from the start | from 10 ms on | Jain's index |\n|---|---|---|---|---|\n${rows.join('')}`;
}

function rowOf(senders: number, { use, longestQueueBytes, laterQueueBytes, jain }: OnePortFigures): string {
  const cells = [
    String(senders),
    figure(100 * use, 1, '%'),
    figure(longestQueueBytes / 1e3, 0, 'kB'),
    figure(laterQueueBytes / 1e3, 0, 'kB'),
    jain.toFixed(3),
  ];
  return `| ${cells.join(' | ')} |\n`;
}
