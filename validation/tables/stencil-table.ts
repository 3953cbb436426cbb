// A cyclic stencil under static and adaptive routes, with large and with small messages: the table of
// docs/models/credit.md beside Table 5.2 of Taffet's dissertation (docs/SOURCES.md). Commands run as a reader would.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathOf } from '../figures/pages.js';
import { tableText } from './gap-tables.js';

const [x, y, z] = [8, 8, 6];
const shape =
  'fat-tree --pods 4 --edges-per-pod 6 --hosts-per-edge 16 --aggregation-per-pod 8 --cores 12 --core-groups 2';
const offsets = [
  [1, 0, 0],
  [-1, 0, 0],
  [0, 1, 0],
  [0, -1, 0],
  [0, 0, 1],
  [0, 0, -1],
] as const;
const small = ['messageSize=2KiB', 'messages=256', 'sendQueue=128'].map((one) => `workload.${one}`);
/** Bytes that a host sends: 6 x 2 MiB, or 6 x 256 x 2 KiB; its link needs so long for them, ms, at 12.5 GB/s. */
const [largeBoundMs, smallBoundMs] = [6 * 2 ** 21, 6 * 256 * 2 ** 11].map((bytes) => bytes / 12.5e6) as [
  number,
  number,
];
const tables = (name: string): string[] => ['routing.algorithm=tables', `routing.tables=${name}.lfts`];
const rows = [
  { name: '`ftree`', set: () => ['routing.algorithm=ftree'], source: ['1.331', '1.016'] },
  {
    name: '`adaptive` by `lowest-port`',
    set: () => ['routing.algorithm=ecmp', 'routing.balancing=adaptive', 'credit.adaptiveRule=lowest-port'],
    source: ['1.373', '1.042'],
  },
  { name: 'optimized, all phases as one', set: () => tables('collapsed'), source: ['2.392', '1.016'] },
  { name: 'optimized phase by phase', set: () => tables('phased'), source: ['', ''] },
  { name: '`random`', set: () => ['routing.algorithm=random'], source: ['3.322', '3.250'] },
] as const;

/** The stencil's pairs as CSV, in a phase for each direction or as one. */
function pairs(isPhased: boolean): string {
  const lines = [`source,destination,weight${isPhased ? ',phase' : ''}`];
  for (const [direction, [dx, dy, dz]] of offsets.entries())
    for (let rank = 0; rank < x * y * z; rank++) {
      const [i, j, k] = [rank % x, Math.floor(rank / x) % y, Math.floor(rank / x / y)];
      const neighbour = ((i + dx + x) % x) + x * (((j + dy + y) % y) + y * ((k + dz + z) % z));
      lines.push(`${rank},${neighbour},1${isPhased ? `,${direction}` : ''}`);
    }
  return `${lines.join('\n')}\n`;
}

/** Runs the stencil under all routes: the table in Markdown. @param say told what is being done */
export function stencilMarkdown(say: (text: string) => void): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'weft-stencil-'));
  const weft = (words: readonly string[]): string =>
    execFileSync(process.execPath, [pathOf('dist/cli/main.js'), ...words], {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      maxBuffer: 2 ** 26,
    });
  const totalMs = (set: readonly string[]): number => {
    const settings = set.flatMap((one) => ['--set', one]);
    const run = JSON.parse(weft(['run', path.join(folder, 'stencil.yaml'), '--json', ...settings])) as {
      workload: { totalNs: number };
    };
    return run.workload.totalNs / 1e6;
  };
  try {
    writeFileSync(path.join(folder, 'stencil.yaml'), readFileSync(pathOf('examples/adaptive-routing/stencil.yaml')));
    weft(['topology', 'generate', ...shape.split(' '), '--out', 'fabric.topo']);
    for (const [name, algorithm] of [
      ['collapsed', 'partitioned-binary'],
      ['phased', 'weft'],
    ] as const) {
      writeFileSync(path.join(folder, `${name}.csv`), pairs(name === 'phased'));
      const files = ['--fabric', 'fabric.topo', '--traffic', `${name}.csv`, '--out', `${name}.lfts`];
      weft(['route', 'compute', ...files, '--algorithm', algorithm]);
    }
    const cells: string[][] = [];
    for (const { name, set, source } of rows) {
      say(`cyclic stencil, ${name} …`);
      const [large, fine] = [totalMs(set()), totalMs([...small, 'packet.payload=2KiB', ...set()])];
      const largeCells = [large.toFixed(3), (large / largeBoundMs).toFixed(2), source[0]];
      cells.push([name, ...largeCells, fine.toFixed(4), (fine / smallBoundMs).toFixed(2), source[1]]);
    }
    return tableText(['ways', ...columns('large'), ...columns('small')], cells);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const columns = (messages: string): string[] => [`${messages} messages, ms`, 'times the bound', 'source, ms'];
