// The commands that search routes, as processes, on problems that they do not soon come to an end with; and what they
// leave when they get a signal.

import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { RandomStream } from '#weft/base/random.js';
import { routedFabric } from '#weft/app/routes/fabric-input.js';
import { Diagnostics } from '#weft/base/diagnostics.js';
import { readFabricForm } from '#weft/formats/fabric-file.js';
import { unreachablePair } from '#weft/fabric/connectivity.js';
import { failLinks } from '#weft/fabric/failed-links.js';
import { generateFabric } from '#weft/fabric/generators/catalogue.js';
import { writeTopology } from '#weft/formats/simai-topology-text.js';
import { repositoryFolder } from './repository.js';

const hosts = 128;
const program = join(repositoryFolder, 'dist', 'cli', 'main.js');

/** Files of searches: trees, a torus, and traffic between pairs with sizes of all kinds. */
export function hardRoutes(): Readonly<Record<'f.txt' | 'large.txt' | 'torus.txt' | 'm.csv', string>> {
  const random = new RandomStream(1, 'traffic of searches that are stopped');
  const lines = ['source,destination,bytes'];
  for (let from = 0; from < hosts; from++)
    for (let to = 0; to < hosts; to++)
      if (from !== to && random.nextFraction() < 0.2)
        lines.push(`${from},${to},${1 + Math.floor(1000 * random.nextFraction() * random.nextFraction())}`);
  return {
    'f.txt': writeTopology(generateFabric('fat-tree', { k: 8 })),
    'large.txt': writeTopology(generateFabric('fat-tree', { k: 16 })),
    'torus.txt': writeTopology(generateFabric('torus', { width: 8, height: 8, hostsPerSwitch: 2 })),
    'm.csv': `${lines.join('\n')}\n`,
  };
}

/** A command that takes a while: its options, and how long after its start signals are drawn. */
export interface EndedCommand {
  readonly name: string;
  /** @x is the file x of `hardRoutes` */
  readonly options: readonly string[];
  readonly withinMs: number;
}

const hardTree = ['--fabric', '@f.txt', '--traffic', '@m.csv'];

/** Every algorithm that takes a while, linear programmes, and tables that take a while to be written. */
export const endedCommands: readonly [EndedCommand, ...EndedCommand[]] = [
  { name: 'weft', options: ['--algorithm', 'weft', ...hardTree, '--patience', '1000'], withinMs: 3000 },
  { name: 'afar', options: ['--algorithm', 'afar', ...hardTree], withinMs: 1500 },
  {
    name: 'weft on a torus',
    options: ['--algorithm', 'weft', '--fabric', '@torus.txt', '--traffic', '@m.csv', '--patience', '1000'],
    withinMs: 3000,
  },
  { name: 'basic-mcf', options: ['--algorithm', 'basic-mcf', ...hardTree], withinMs: 6000 },
  { name: 'combined', options: ['--algorithm', 'combined', ...hardTree], withinMs: 6000 },
  { name: 'tables of 1,024 hosts', options: ['--algorithm', 'dmodk', '--fabric', '@large.txt'], withinMs: 2000 },
];

/** What a process came to. */
export interface Ending {
  /** wall-clock milliseconds from the signal to its end; -Infinity if it had ended */
  readonly lateMs: number;
  /** CPU seconds of all its threads from the signal to its end; null where nobody tells them (/proc) */
  readonly cpuSeconds: number | null;
  /** what is wrong with what it left; null = nothing */
  readonly problem: string | null;
}

/**
 * Starts a command that would take minutes and sends SIGTERM.
 * @param folder has the files of `hardRoutes`; the tables are written there
 */
export async function terminated(
  folder: string,
  afterMs: number,
  { options }: EndedCommand = endedCommands[0],
): Promise<Ending> {
  const out = join(folder, 'out.lfts');
  await rm(out, { force: true });
  const words = options.map((word) => word.replace(/^@/, `${folder}/`));
  const child = spawn(
    process.execPath,
    [program, 'route', 'compute', ...words, '--time', '10min', '--json', '--out', out],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  );
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    text += piece;
  });
  let signalledMs = Infinity;
  let cpu = { first: null as number | null, last: null as number | null };
  let look: NodeJS.Timeout | undefined;
  const clock = setTimeout(() => {
    signalledMs = performance.now();
    const first = cpuSecondsOf(child.pid!);
    cpu = { first, last: first };
    look = setInterval(() => {
      cpu.last = cpuSecondsOf(child.pid!) ?? cpu.last;
    }, 20);
    child.kill('SIGTERM');
  }, afterMs);
  const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve) => {
    child.on('close', (...ended) => {
      resolve(ended);
    });
  });
  clearTimeout(clock);
  clearInterval(look);
  return {
    lateMs: performance.now() - signalledMs,
    cpuSeconds: cpu.first === null || cpu.last === null ? null : cpu.last - cpu.first,
    problem: await problemOf(code, signal, text, out),
  };
}

/** CPU seconds of a process that lives, its threads' included, by /proc; null if it does not tell. */
function cpuSecondsOf(pid: number): number | null {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
    // utime and stime, in hundredths of a second
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return null;
  }
}

async function problemOf(
  code: number | null,
  signal: NodeJS.Signals | null,
  text: string,
  out: string,
): Promise<string | null> {
  const tables = existsSync(out) ? await readFile(out, 'utf8') : null;
  if (tables !== null && !(tables.startsWith('Unicast lids') && tables.endsWith(' lids dumped\n')))
    return 'tables that are cut off';
  // killed before it listens, or behind the search
  if (signal === 'SIGTERM') return null;
  // it came to its end before the signal, or as it came
  if (code === 0) return tables !== null ? null : 'no tables';
  if (code !== 143) return `ended with ${code}, ${signal}`;
  const report = JSON.parse(text) as { interrupted: boolean; validity: { valid: boolean } };
  if (!report.interrupted) return 'does not say that it was interrupted';
  if (!report.validity.valid) return 'tables that do not lead everywhere';
  return tables !== null ? null : 'no tables';
}

/** The fabric of the search that once went on for ever on what links were left: 45 hosts, three levels. */
export const brokenShape: readonly string[] =
  'fat-tree --pods 3 --edges-per-pod 3 --hosts-per-edge 5 --aggregation-per-pod 2 --cores 2'.split(' ');

/** A search on a tree some of whose links failed: how long it took, and what is wrong with what it said. */
export interface BrokenEnding {
  readonly wallSeconds: number;
  /** hosts that no links join any more: what is left cannot be led to, and the command has to say so */
  readonly isApart: boolean;
  readonly problem: string | null;
}

/**
 * Searches routes on a broken tree as a process.
 * @param fabric a file with the tree of `brokenShape` @param share of failed links, such as 8%
 */
export async function searchedBroken(
  fabric: string,
  share: string,
  drawn: number,
  seconds: number,
): Promise<BrokenEnding> {
  const startMs = performance.now();
  const options = ['--fabric', fabric, '--failed-links', share, '--seed', String(drawn), '--algorithm', 'weft'];
  const child = spawn(
    process.execPath,
    [program, 'route', 'compute', ...options, '--traffic', 'random-permutation', '--time', `${seconds}s`, '--json'],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let text = '';
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    text += piece;
  });
  child.stderr.setEncoding('utf8').on('data', (piece: string) => {
    said += piece;
  });
  // one that hangs is to be a problem, not to hang whoever looks
  const clock = setTimeout(() => child.kill('SIGKILL'), 1000 * (seconds + 60));
  const code = await new Promise<number | null>((resolve) => {
    child.on('close', resolve);
  });
  clearTimeout(clock);
  const wallSeconds = (performance.now() - startMs) / 1000;
  const isApart = fallsApart(await readFile(fabric, 'utf8'), share, drawn);
  const of = (problem: string | null): BrokenEnding => ({ wallSeconds, isApart, problem });
  // refused with a reason, as where all hosts of a switch have gone
  if (code === 2) return of(said.includes('error:') ? null : 'refused without a reason');
  if (code !== (isApart ? 1 : 0)) return of(`ended with ${code}${isApart ? ' on what is in parts' : ''}`);
  const { valid, problem } = reportOf(text);
  if (valid === isApart) return of(isApart ? 'called valid, in parts' : 'tables that do not lead everywhere');
  return of(problem);
}

/** Whether links join all hosts after some failed. */
function fallsApart(text: string, share: string, drawn: number): boolean {
  const whole = routedFabric({ name: 'whole', ...readFabricForm(text, 'whole', new Diagnostics())!, warnings: [] });
  return unreachablePair(failLinks(whole, Number.parseFloat(share) / 100, drawn).fabric) !== null;
}

/** Whether a report calls its tables valid, and what is wrong with it: a bound above its load, a verdict but that one. */
function reportOf(text: string): { valid: boolean; problem: string | null } {
  const { validity, deadlockFree, maxLoad, lowerBound, verdicts } = JSON.parse(text) as {
    validity: { valid: boolean };
    deadlockFree: boolean;
    maxLoad: number;
    lowerBound: number;
    verdicts: { name: string; ok: boolean }[];
  };
  const { valid } = validity;
  if (!deadlockFree) return { valid, problem: 'tables that may deadlock' };
  if (lowerBound > maxLoad * (1 + 1e-9)) return { valid, problem: 'a bound above the load' };
  const failed = verdicts.filter(({ ok }) => !ok);
  return { valid, problem: valid ? (failed[0]?.name ?? null) : (failed[1]?.name ?? null) };
}
