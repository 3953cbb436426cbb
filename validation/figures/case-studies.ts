// The case studies of Taffet's dissertation 2.4 at reduced size: the tables of examples/pf3d and examples/minighost.

import { exampleRun, type ExampleRun } from './example-run.js';
import { leafOf, linkSums } from './link-sums.js';
import { writeBlock } from './pages.js';

export const pf3dExample = 'examples/pf3d';
export const miniGhostExample = 'examples/minighost';

const samples = 'sampling.variant=standard';
const shifted = ['jobs[0].mapping=shifted', 'jobs[0].shift=6'];
/** What is run of pf3d, and the seconds of the source. */
const pf3dCases = [
  { name: 'alone, linear', set: ['jobs[1].start=50ms'], seconds: 24.6 },
  { name: 'with others, linear', set: [], seconds: 30.4 },
  { name: 'with others, shifted', set: shifted, seconds: 25.5 },
] as const;
/** Payload of a packet. */
const payloadBits = 4096 * 8;

/** The runs of the first case study, with samples. */
export async function pf3dRuns(): Promise<ExampleRun[]> {
  const runs: ExampleRun[] = [];
  for (const { set } of pf3dCases) runs.push(await exampleRun(`${pf3dExample}/pf3d.yaml`, [samples, ...set]));
  return runs;
}

function more(time: number, alone: number): string {
  return `${((time / alone - 1) * 100).toFixed(1)} %`;
}

/** How long each ran, beside the source. */
export function pf3dTimes(runs: readonly ExampleRun[]): string {
  const times = runs.map(({ summary }) => summary.programs[0]!.totalPs / 1e9);
  const lines = pf3dCases.map(
    ({ name, seconds }, i) =>
      `| ${name} | ${times[i]!.toFixed(2)} ms | ${more(times[i]!, times[0]!)} | ${seconds} s | ${more(seconds, pf3dCases[0].seconds)} |\n`,
  );
  return `\n| | time | more than alone | source | more than alone |\n|---|---|---|---|---|\n${lines.join('')}\n`;
}

/** The hops of packets into the leaves 1, 2 and 3, whose links others fill. */
const hops = [
  { name: '1: hosts of other leaves up', isMeant: (from: Place, to: Place) => from.isHost && !to.isCongested },
  { name: '2: other leaves up', isMeant: (from: Place, to: Place) => from.isLeaf && !from.isCongested && to.isSpine },
  { name: '3: spines down to leaves 1 to 3', isMeant: (from: Place, to: Place) => from.isSpine && to.isCongested },
  { name: '4: leaves 1 to 3 down to hosts', isMeant: (from: Place, to: Place) => from.isCongested && to.isHost },
] as const;

interface Place {
  readonly isHost: boolean;
  readonly isLeaf: boolean;
  readonly isSpine: boolean;
  /** one of the leaves 1, 2 and 3 */
  readonly isCongested: boolean;
}

/** What an job's packets say of a hop: share of them that met congestion, and Gb/s of payload on a link. */
export function hopSums(run: ExampleRun, job: number, hop: number): { fraction: number; gbps: number } {
  const { fabric, summary } = run;
  const leaves = [...new Set(Array.from(fabric.hosts, (host) => leafOf(fabric, host)))];
  const placeOf = (node: number): Place => {
    const leaf = leaves.indexOf(node);
    const isHost = fabric.hosts.includes(node);
    return { isHost, isLeaf: leaf >= 0, isSpine: !isHost && leaf < 0, isCongested: leaf >= 1 && leaf <= 3 };
  };
  const { traffic, congested, links } = linkSums(run, job, (from, to) =>
    hops[hop]!.isMeant(placeOf(from), placeOf(to)),
  );
  const seconds = summary.programs[job]!.totalPs / 1e12;
  return { fraction: congested / traffic, gbps: (traffic * payloadBits) / seconds / links / 1e9 };
}

/** What its own packets say of each hop, and what those of others would say, were they known. */
function pf3dHops(runs: readonly ExampleRun[]): string {
  const lines = hops.map(({ name }, hop) => {
    const own = runs.map((run) => hopSums(run, 0, hop));
    const cells = [
      ...own.map(({ fraction }) => (Number.isNaN(fraction) ? 'no packets' : fraction.toFixed(2))),
      own[1]!.gbps.toFixed(1),
    ];
    return `| ${[name, ...cells, hopSums(runs[1]!, 1, hop).gbps.toFixed(1)].join(' | ')} |\n`;
  });
  return `\n| hop | congested: alone, linear | with others, linear | with others, shifted | Gb/s of a link, linear | those of others |\n|---|---|---|---|---|---|\n${lines.join('')}\n`;
}

/** Writes the tables of examples/pf3d. */
export async function writePf3d(): Promise<void> {
  const runs = await pf3dRuns();
  for (const [name, table] of [
    ['times', pf3dTimes(runs)],
    ['hops', pf3dHops(runs)],
  ] as const) {
    writeBlock(`${pf3dExample}/README.md`, name, table);
    process.stdout.write(table);
  }
}

const tiled = 'workload.mapping=tiled';
/** What is run of miniGhost, and the time and communication of the source. */
export const miniGhostCases = [
  { name: 'cyclic on leaves, BSPMA', set: [], source: ['22.09 s', '1.64 s'] },
  { name: 'linear, BSPMA', set: ['workload.mapping=linear'], source: ['21.62 s', ''] },
  { name: 'tiled, BSPMA', set: [tiled], source: ['21.02 s', ''] },
  { name: 'tiled, SVAF', set: [tiled, 'workload.strategy=svaf'], source: ['20.77 s', ''] },
  { name: 'tiled, SVAFP', set: [tiled, 'workload.strategy=svafp'], source: ['20.61 s', '0.34 s'] },
] as const;
/** A network on which communication costs next to nothing, as the source has it. */
const fast = ['fabric.hostRate=20Tbps', 'fabric.spineRate=20Tbps', 'fabric.hostLatency=0ns', 'fabric.spineLatency=0ns'];

/** How long a run of miniGhost takes, ms. @param more settings beside those of the case */
export async function miniGhostMs(set: readonly string[], more: readonly string[] = []): Promise<number> {
  const { summary } = await exampleRun(`${miniGhostExample}/minighost.yaml`, [...set, ...more]);
  return summary.programs[0]!.totalPs / 1e9;
}

/** The row of a case of miniGhost: time, and how much of it is communication. */
async function miniGhostRow({ name, set, source }: (typeof miniGhostCases)[number]): Promise<string> {
  const [ms, fastMs] = [await miniGhostMs(set), await miniGhostMs(set, fast)];
  return `| ${name} | ${ms.toFixed(2)} ms | ${(ms - fastMs).toFixed(2)} ms | ${source.join(' | ')} |\n`;
}

/** Writes the table of examples/minighost. */
export async function writeMiniGhost(): Promise<void> {
  let table = '\n| | time | communication | source | communication |\n|---|---|---|---|---|\n';
  for (const one of miniGhostCases) {
    process.stderr.write(`miniGhost, ${one.name} …\n`);
    table += await miniGhostRow(one);
  }
  writeBlock(`${miniGhostExample}/README.md`, 'times', `${table}\n`);
  process.stdout.write(table);
}
