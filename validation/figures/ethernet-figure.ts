// What three hosts count of their own packets, over time: the picture and the table of examples/sampled-ethernet
// (figure 2.15 of Taffet's dissertation).

import { exampleRun } from './example-run.js';
import { linkSums, windowEnds } from './link-sums.js';
import { writeBlock, writeFile } from './pages.js';
import { chart } from './sfc-charts.js';

const example = 'examples/sampled-ethernet';
/** Nodes of fabric.topo. */
const [h1, h2, h3, s1, s2, s3, s4] = [0, 2, 4, 5, 6, 7, 8];
/** The ways h1 to h2 and h3 to h2, in the colours of the source. */
const links = [
  { name: 'h1 - s1', from: h1, to: s1, color: '#7fb2e5' },
  { name: 's1 - s4', from: s1, to: s4, color: '#1f5a94' },
  { name: 's4 - s2', from: s4, to: s2, color: '#7b4fa3' },
  { name: 's2 - h2', from: s2, to: h2, color: '#e08a1e' },
  { name: 'h3 - s3', from: h3, to: s3, color: '#8fce7e' },
  { name: 's3 - s2', from: s3, to: s2, color: '#2f7d32' },
];
/** When flows start or end, s. */
const phases = [0, 20, 50, 175] as const;

/** What is known of a link at the ends of windows, from 0 on: sums of the estimates. */
export interface LinkCounts {
  readonly name: string;
  readonly color: string;
  readonly secondsAt: readonly number[];
  readonly traffic: readonly number[];
  readonly congested: readonly number[];
}

/** Runs the example, and adds up what the job's own hosts estimate. */
export async function ethernetCounts(overrides: readonly string[] = []): Promise<LinkCounts[]> {
  const run = await exampleRun(`${example}/sampled-ethernet.yaml`, overrides, 'ended');
  const ends = windowEnds(run);
  return links.map(({ name, color, from, to }) => {
    const [traffic, congested] = [[0], [0]];
    for (const endPs of ends) {
      const sums = linkSums(run, 0, (source, target) => source === from && target === to, { endPs });
      traffic.push(traffic.at(-1)! + sums.traffic);
      congested.push(congested.at(-1)! + sums.congested);
    }
    return { name, color, secondsAt: [0, ...ends.map((endPs) => endPs / 1e12)], traffic, congested };
  });
}

/** Packets a second that a count grew by from one time to another. */
export function slope({ secondsAt }: LinkCounts, counts: readonly number[], from: number, to: number): number {
  return (counts[secondsAt.indexOf(to)]! - counts[secondsAt.indexOf(from)]!) / (to - from);
}

/** The table's line of a link. */
export function slopeRow(counts: LinkCounts): string {
  const cells = [counts.traffic, counts.congested].flatMap((of) =>
    phases.slice(1).map((end, i) => slope(counts, of, phases[i]!, end).toFixed(1)),
  );
  return `| ${[counts.name, ...cells].join(' | ')} |\n`;
}

function line(name: string, color: string, type: string, x: readonly number[], y: readonly number[]): object {
  return {
    name,
    type: 'line',
    showSymbol: false,
    itemStyle: { color },
    lineStyle: { color, width: 2, type },
    data: y.map((value, i) => [x[i]!, Math.round(value)]),
  };
}

/** Draws the counts over time, and writes the table of their slopes. */
export async function drawEthernet(): Promise<void> {
  const counts = await ethernetCounts();
  writeFile(
    `${example}/counts.svg`,
    chart(960, 460, {
      title: {
        text: 'Packets that h1, h2 and h3 count at links (dashed: congested), by time in s',
        left: 10,
        top: 6,
        textStyle: { fontSize: 15 },
      },
      legend: { top: 34, left: 50, itemGap: 16, data: [...links.map(({ name }) => name), 's1 - s4 (C)'] },
      grid: { left: 60, right: 25, top: 70, bottom: 40 },
      xAxis: { type: 'value', min: 0, max: 175, axisLabel: { formatter: '{value} s' } },
      yAxis: { type: 'value', min: -500, max: 8000, interval: 500, axisLabel: { showMinLabel: false } },
      series: counts.flatMap(({ name, color, secondsAt, traffic, congested }) => [
        line(name, color, 'solid', secondsAt, traffic),
        line(`${name} (C)`, color, 'dashed', secondsAt, congested),
      ]),
    }),
  );
  const table = `\n| packets a second | 0 to 20 s | 20 to 50 s | 50 to 175 s | congested: 0 to 20 s | 20 to 50 s | 50 to 175 s |\n|---|---|---|---|---|---|---|\n${counts.map(slopeRow).join('')}\n`;
  writeBlock(`${example}/README.md`, 'slopes', table);
  process.stdout.write(table);
}
