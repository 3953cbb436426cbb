// The case studies of Taffet's dissertation 2.4 at reduced size: the tables of examples/pf3d and examples/minighost.

import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { exampleRun, type ExampleRun } from './example-run.js';
import { leafOf, linkSums } from './link-sums.js';
import { pathOf, writeBlock } from './pages.js';

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

/**
 * Draws what a job's packets met, as `weft report` does.
 * @param example folder of the example, with a scenario of its name
 * @param names of the picture: in the report, and here
 * @param label what the run is called
 */
function drawCongestion(
  example: string,
  names: readonly [drawn: string, picture: string],
  label: string,
  set: readonly string[],
): void {
  const folder = mkdtempSync(path.join(tmpdir(), 'weft-figures-'));
  const weft = (...words: readonly string[]): void => {
    execFileSync(process.execPath, [pathOf('dist/cli/main.js'), ...words, '--quiet'], { cwd: folder, stdio: 'ignore' });
  };
  const [drawn, picture] = names;
  try {
    const settings = [samples, ...set].flatMap((one) => ['--set', one]);
    weft('run', pathOf(`${example}/${path.basename(example)}.yaml`), ...settings, '--out', label);
    weft('report', label, '--svg', 'pictures', '--packets-per-pixel', '1000');
    copyFileSync(path.join(folder, 'pictures', `${drawn}.svg`), pathOf(`${example}/${picture}`));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Writes the tables and pictures of examples/pf3d. */
export async function writePf3d(): Promise<void> {
  const job = 'congested-fraction-job-0';
  drawCongestion(pf3dExample, [job, 'linear.svg'], 'beside others', pf3dCases[1].set);
  drawCongestion(pf3dExample, [job, 'shifted.svg'], 'beside others', pf3dCases[2].set);
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

/** Runs a case of miniGhost. @param more settings beside those of the case */
function miniGhostRun(set: readonly string[], more: readonly string[] = []): Promise<ExampleRun> {
  return exampleRun(`${miniGhostExample}/minighost.yaml`, [...set, ...more]);
}

const totalMs = ({ summary }: ExampleRun): number => summary.programs[0]!.totalPs / 1e9;

/** The row of a case of miniGhost: time, and how much of it is communication. */
async function miniGhostRow({ name, set, source }: (typeof miniGhostCases)[number]): Promise<string> {
  const [ms, fastMs] = [totalMs(await miniGhostRun(set)), totalMs(await miniGhostRun(set, fast))];
  return `| ${name} | ${ms.toFixed(2)} ms | ${(ms - fastMs).toFixed(2)} ms | ${source.join(' | ')} |\n`;
}

/** The tiled cases, of which figure 2.7 is. */
const southCases = miniGhostCases.slice(2);
/** Tag of messages to the south, -y. */
const southTag = 2;
const southPictures = southCases.map((own, i) => ({ ...own, picture: ['bspma.svg', 'svaf.svg', 'svafp.svg'][i]! }));

/** Rows of nodes of the tiled grid of 4 x 8 x 3 nodes by y: on a leaf are 2 x 4 x 1 of them, leaves and nodes x first. */
function nodesInRow(hosts: ArrayLike<number>, y: number): Set<number> {
  const places = [0, 1, 2].flatMap((z) => [0, 1, 2, 3].map((x) => [x, z] as const));
  return new Set(places.map(([x, z]) => hosts[((x >> 1) + 2 * ((y >> 2) + 2 * z)) * 8 + (x & 1) + 2 * (y & 3)]!));
}

/** Time, and share of packets to the south that met congestion on links down to each row of nodes, of a tiled case. */
export async function southRow({ name, set }: (typeof miniGhostCases)[number]): Promise<{ ms: number; row: string }> {
  const run = await miniGhostRun(set, [samples]);
  const cells = Array.from({ length: 8 }, (_, y) => {
    const nodes = nodesInRow(run.fabric.hosts, y);
    const { traffic, congested } = linkSums(run, 0, (_from, to) => nodes.has(to), { tag: southTag });
    return traffic === 0 ? '' : (congested / traffic).toFixed(2);
  });
  return { ms: totalMs(run), row: `| ${[name, ...cells].join(' | ')} |\n` };
}

/** Writes the tables of examples/minighost. */
export async function writeMiniGhost(): Promise<void> {
  let times = '\n| | time | communication | source | communication |\n|---|---|---|---|---|\n';
  for (const one of miniGhostCases) {
    process.stderr.write(`miniGhost, ${one.name} …\n`);
    times += await miniGhostRow(one);
  }
  let rows = `\n| y of the node | ${[0, 1, 2, 3, 4, 5, 6, 7].join(' | ')} |\n|---${'|---'.repeat(8)}|\n`;
  for (const one of southCases) rows += (await southRow(one)).row;
  for (const { name, picture, set } of southPictures)
    drawCongestion(miniGhostExample, [`logical-grid-tag-${southTag}`, picture], name, set);
  for (const [name, table] of [
    ['times', times],
    ['rows', rows],
  ] as const) {
    writeBlock(`${miniGhostExample}/README.md`, name, `${table}\n`);
    process.stdout.write(table);
  }
}
