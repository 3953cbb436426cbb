// Distributions as text: completion times by size and hop count, source ports and how deep they were searched.

import { formatTimePs } from '../base/units.js';
import type { CumulativePoint, GroupPercentiles } from '../measurement/distribution.js';
import { alignedTable } from './aligned-table.js';
import { bar, coloured, grouped, percentText, type TextStyle } from './text-style.js';

/** Completion times of one run. */
export interface CompletionAnalysis {
  readonly run: string;
  readonly flows: number;
  /** nanoseconds; the first group of each list is all flows */
  readonly bySize: readonly GroupPercentiles[];
  /** empty where paths are not known */
  readonly byHops: readonly GroupPercentiles[];
  /** completion time over the estimate alone; flows whose estimate is 0 are left out */
  readonly slowdown: GroupPercentiles;
  /** of the completion time, in nanoseconds */
  readonly cdf: readonly CumulativePoint[];
}

/** Completion times for people; ends with a newline. */
export function completionText(runs: readonly CompletionAnalysis[], style: TextStyle): string {
  const lines: string[] = [];
  for (const { run, flows, bySize, byHops, slowdown } of runs) {
    lines.push(coloured(style, 'bold', `${run}: completion times of ${grouped(flows)} flows`), '');
    const head = ['', 'flows', 'mean', 'p50', 'p95', 'p99', 'max'];
    const rows = [head, ...bySize.map(timeRow)];
    if (byHops.length > 0) rows.push(['by switches on the path'], ...byHops.map(timeRow));
    rows.push(['slowdown', grouped(slowdown.flows), ...figures(slowdown).map((value) => `${value.toFixed(2)}x`)]);
    lines.push(...alignedTable(rows), '');
  }
  lines.push('slowdown: completion time over the estimate for the flow alone');
  return `${lines.join('\n')}\n`;
}

function timeRow(group: GroupPercentiles): string[] {
  return [group.group, grouped(group.flows), ...figures(group).map((ns) => formatTimePs(Math.round(ns * 1000)))];
}

function figures({ mean, p50, p95, p99, max }: GroupPercentiles): number[] {
  return [mean, p50, p95, p99, max];
}

/** How often source ports were chosen. */
export interface PortAnalysis {
  readonly run: string;
  /** flows over two switches and more, of other servers: those for which a controller chooses */
  readonly flows: number;
  /** flows with a port that the controller chose, and the largest of these ports: how far it searched */
  readonly assigned: number;
  readonly deepest: number;
  /** ports chosen by the controller, ascending */
  readonly ports: readonly { readonly port: number; readonly flows: number; readonly share: number }[];
}

const mostPorts = 12;

/** Source ports for people; ends with a newline. */
export function sourcePortText(runs: readonly PortAnalysis[], style: TextStyle): string {
  const lines: string[] = [];
  for (const { run, flows, assigned, deepest, ports } of runs) {
    lines.push(
      coloured(style, 'bold', `${run}: source ports of ${grouped(flows)} flows`),
      '',
      `  ${grouped(assigned)} were chosen by the controller, ${grouped(flows - assigned)} not`,
    );
    if (ports.length > 0) {
      const shown = ports.slice(0, mostPorts);
      const table = alignedTable([
        ['port', 'flows', 'share'],
        ...shown.map((own) => [String(own.port), grouped(own.flows), percentText(own.share)]),
      ]);
      lines.push(
        `  deepest search: port ${grouped(deepest)}`,
        '',
        ...table.map((line, i) => `${line}${i === 0 ? '' : `  ${bar(style, shown[i - 1]!.share, 40).trimEnd()}`}`),
      );
      if (shown.length < ports.length) lines.push(`  ... and ${grouped(ports.length - shown.length)} more ports`);
    }
    lines.push('');
  }
  return `${lines.join('\n')}`;
}
