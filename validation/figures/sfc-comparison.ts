// PFC and the reactions of source flow control over how many send to one and in how long bursts: the tables of
// examples/source-flow-control/README.md. The scenario is incast.yaml with as many hosts and spines as the degree needs.

import { type Fabric, interfaceIndex } from '#weft/fabric/fabric.js';
import { MemorySink } from '#weft/records/memory-sink.js';
import { QueueColumn, queueTable } from '#weft/records/probe-records.js';
import { type ExampleRun, exampleRun } from './example-run.js';
import { writeBlock } from './pages.js';

export const sfcExample = 'examples/source-flow-control';

const degrees = [1, 2, 4, 8, 16];
/** Payload between two gaps of 40 us; null: all of it at once. */
const bursts = ['200kB', '2MB', null];
const schemes = [
  { name: 'PFC', set: [] },
  { name: 'eSFC', set: ['flowControl=[pfc, sfc]'] },
  { name: 'proxy', set: ['flowControl=[pfc, sfc]', 'sfc.reaction=proxy'] },
  { name: 'bSFC', set: ['flowControl=[pfc, sfc]', 'sfc.reaction=bridge'] },
] as const;

/** Runs a scenario of the example. @throws Error if a verdict failed or the run did not finish */
export function sfcRun(file: string, overrides: readonly string[]): Promise<ExampleRun> {
  return exampleRun(`${sfcExample}/${file}`, overrides);
}

/** A line of both tables. */
export async function reactionRows(degree: number, burst: string | null): Promise<{ times: string; loads: string }> {
  const cells = [];
  for (const { set } of schemes) cells.push(cellsOf(await sfcRun('incast.yaml', [...incast(degree, burst), ...set])));
  const head = `| ${degree} | ${burst?.replace(/\D+/, ' $&') ?? 'none'} `;
  return {
    times: `${head}| ${cells.map(({ time }) => time).join(' | ')} |\n`,
    loads: `${head}| ${cells.map(({ load }) => load).join(' | ')} |\n`,
  };
}

/** Runs all and writes both tables, and prints them. */
export async function compareReactions(): Promise<void> {
  const [times, loads] = [[] as string[], [] as string[]];
  for (const degree of degrees)
    for (const burst of bursts) {
      process.stderr.write(`incast of ${degree}, bursts of ${burst ?? '20MB'} …\n`);
      const row = await reactionRows(degree, burst);
      times.push(row.times);
      loads.push(row.loads);
    }
  const columns = `| senders | bursts | ${schemes.map(({ name }) => name).join(' | ')} |\n|---|---|${'---|'.repeat(schemes.length)}\n`;
  for (const [name, rows] of [
    ['reactions-times', times],
    ['reactions-buffers', loads],
  ] as const) {
    writeBlock(`${sfcExample}/README.md`, name, `\n${columns}${rows.join('')}\n`);
    process.stdout.write(columns + rows.join(''));
  }
}

const shares = [0, 0.05, 0.1, 0.25, 0.5];

/** The incast of 8 with bridges that stop, and that slow: a line for each share. */
export async function bridgeShareRow(share: number): Promise<string> {
  const { summary } = await sfcRun('incast.yaml', [...schemes[3].set, `sfc.bridgeShare=${share}`]);
  const { pauseFrames, sfcHeldPeakBytes } = summary.counters as unknown as Record<string, number>;
  const times = summary.transferJobs.map(({ totalPs }) => (totalPs / 1e9).toFixed(2));
  const held = (sfcHeldPeakBytes! / 1e6).toFixed(2);
  return `| ${share === 0 ? '0: it stops' : share} | ${times.map((ms) => `${ms} ms`).join(' | ')} | ${held} MB | ${pauseFrames!.toLocaleString('en')} |\n`;
}

/** Writes the table of bridges that slow. */
export async function compareBridgeShares(): Promise<void> {
  const head = '| share of the link | incast | victim | most held in the edge | PFC frames |\n|---|---|---|---|---|\n';
  const rows = [];
  for (const share of shares) rows.push(await bridgeShareRow(share));
  writeBlock(`${sfcExample}/README.md`, 'bridge-shares', `\n${head}${rows.join('')}\n`);
}

/** The senders on one leaf and the victim beside them; everybody could have a spine of his own. */
function incast(degree: number, burst: string | null): string[] {
  const hosts = degree + 1;
  const pace = burst === null ? '' : `, burst: ${burst}, gap: 40us`;
  const senders = Array.from(
    { length: degree },
    (_, source) => `{ source: ${source}, destination: ${hosts}, size: 20MB, job: incast${pace} }`,
  );
  const victim = `{ source: ${degree}, destination: ${hosts + 1}, size: 20MB, job: victim }`;
  return [
    `fabric.hostsPerLeaf=${hosts}`,
    `fabric.spines=${hosts}`,
    `traffic.transfers=[${[...senders, victim].join(', ')}]`,
    'probes.queueInterval=5us',
  ];
}

function cellsOf({ fabric, summary: { transferJobs, counters }, sink }: ExampleRun): { time: string; load: string } {
  const [slow, victim] = transferJobs.map(({ totalPs }) => (totalPs / 1e9).toFixed(2));
  const peakBytes = Math.max(edgePeakBytes(fabric, sink), counters['sfcHeldPeakBytes'] ?? 0);
  const frames = counters.pauseFrames! + (counters['sfcPauseFrames'] ?? 0);
  return { time: `${slow} / ${victim}`, load: `${(peakBytes / 1e6).toFixed(2)} MB / ${frames.toLocaleString('en')}` };
}

/** Most bytes that wait for the output ports of the senders' leaf at one time. */
function edgePeakBytes(fabric: Fabric, sink: MemorySink): number {
  const column = (which: number): ArrayLike<number> => sink.column(queueTable, which);
  const [time, node] = [column(QueueColumn.time), column(QueueColumn.node)];
  const [number, bytes] = [column(QueueColumn.interface), column(QueueColumn.port)];
  const edge = fabric.portNode[fabric.portPeer[fabric.portOffset[fabric.hosts[0]!]!]!]!;
  const waiting = new Map<number, number>();
  let [sum, peak, sampledPs] = [0, 0, 0];
  for (let i = 0; i < node.length; i++) {
    if (node[i] !== edge) continue;
    // all rows of the sample before are counted
    if (time[i] !== sampledPs) peak = Math.max(peak, sum);
    sampledPs = time[i]!;
    sum += bytes[i]! - (waiting.get(number[i]!) ?? 0);
    waiting.set(number[i]!, bytes[i]!);
  }
  return Math.max(peak, sum);
}

/** Most bytes that waited for the port to a host, at the moments of the queue probe. */
export function portPeakBytes(fabric: Fabric, sink: MemorySink, rank: number): number {
  const port = fabric.portPeer[fabric.portOffset[fabric.hosts[rank]!]!]!;
  const [owner, index] = [fabric.portNode[port]!, interfaceIndex(fabric, port)];
  const [node, number, bytes] = [QueueColumn.node, QueueColumn.interface, QueueColumn.port].map((which) =>
    sink.column(queueTable, which),
  ) as [Float64Array, Float64Array, Float64Array];
  let peak = 0;
  for (let i = 0; i < node.length; i++) if (node[i] === owner && number[i] === index) peak = Math.max(peak, bytes[i]!);
  return peak;
}
