// `npm run campaigns`: what a campaign of many short runs costs on every engine beside its runs, and the memory of the
// commanding process with very many tasks; writes the table of docs/campaigns.md. Slurm is that of this machine; an engine
// that is not there is left out, and then nothing is written.
// Invariants: each engine does the same runs, of which it has the same rows; the load of the machine stands beside the
// figures. A busy one makes wall-clock times worse, and CPU times little: with all processors a campaign cannot take less
// than a second process's share of its CPU time.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { writeWhole } from '../data-file.js';
import { programCommand, wholeNumber } from '../program-command.js';
import { repositoryFolder } from '../repository.js';

const page = path.join(repositoryFolder, 'docs/campaigns.md');
const program = path.join(repositoryFolder, 'dist/cli/main.js');
const usual = { runs: 3000, tasks: 100_000 };
/** Seconds in which a command with very many tasks is watched. */
const watchedSeconds = 20;

/** Of CPU, its plan and its row included: so long a run shall be. Machines differ, so its transfers are sized here. */
const wantedRunMs = 17;

function scenario(transferKiB: number): string {
  return `fabric: { generate: fat-tree, k: 4, hostRate: 100Gbps, aggregationRate: 100Gbps, coreRate: 100Gbps }
traffic: { transfers: [{ source: 0, destination: 9, size: ${transferKiB}KiB }, { source: 1, destination: 9, size: ${transferKiB}KiB }] }
`;
}

const { runs, tasks, redis } = programCommand('campaigns', import.meta.url)
  .option('--redis <url>', 'a Redis that has nothing else to do; without it bullmq is left out')
  .option('--runs <count>', 'how many are timed', wholeNumber, usual.runs)
  .option('--tasks <count>', 'how many wait while memory is measured', wholeNumber, usual.tasks)
  .parse()
  .opts<{ runs: number; tasks: number; redis?: string }>();
// in the repository, whose file system nodes of Slurm see
const workFolder = path.join(repositoryFolder, '.weft');
mkdirSync(workFolder, { recursive: true });
const folder = mkdtempSync(path.join(workFolder, 'campaigns-'));

/** Bytes that a process has held at most; 0 if it is gone. */
function peakBytes(pid: number): number {
  try {
    return 1024 * Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]);
  } catch {
    return 0;
  }
}

interface Watched {
  readonly wallSeconds: number;
  /** of it and its children */
  readonly cpuSeconds: number;
  readonly peakBytes: number;
}

/** The program, begun by a shell that tells what CPU time it took with its children. */
class Program {
  private readonly shell: ChildProcess;
  private readonly startMs = performance.now();
  private errors = '';
  private peak = 0;

  constructor(private readonly words: readonly string[]) {
    const timed = ['-c', 'TIMEFORMAT="cpu %3U %3S"; time "$@"', 'weft', process.execPath, program, ...words];
    this.shell = spawn('bash', timed, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
    this.shell.stderr!.on('data', (piece: Buffer) => (this.errors += piece.toString()));
  }

  /** Waits for its end. @param mostSeconds after which it is stopped as by Ctrl-C */
  async end(mostSeconds = Infinity): Promise<Watched> {
    const ended = once(this.shell, 'close').then(() => true);
    let isStopped = false;
    while (!(await Promise.race([ended, pause(100, false)]))) {
      this.peak = Math.max(this.peak, peakBytes(this.pid));
      if (isStopped || performance.now() - this.startMs < 1000 * mostSeconds) continue;
      isStopped = true;
      process.kill(this.pid, 'SIGINT');
    }
    if (this.shell.exitCode !== 0 && !isStopped) throw new Error(`weft ${this.words.join(' ')}: ${this.errors}`);
    const [, user, system] = /^cpu (\S+) (\S+)$/m.exec(this.errors) ?? [];
    const wallSeconds = (performance.now() - this.startMs) / 1000;
    return { wallSeconds, cpuSeconds: Number(user) + Number(system), peakBytes: this.peak };
  }

  /** Of the program itself; 0: it is gone. */
  private get pid(): number {
    const { pid } = this.shell;
    try {
      return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')[0]);
    } catch {
      return 0;
    }
  }
}

/** A command to its end. */
function watch(words: readonly string[], mostSeconds?: number): Promise<Watched> {
  return new Program(words).end(mostSeconds);
}

/** The same with a worker that carries out so many runs at a time; its CPU time counts, too. */
async function withWorker(jobs: number, words: readonly string[]): Promise<Watched> {
  const worker = new Program(['worker', '--redis', redis!, '--jobs', `${jobs}`, '--quiet']);
  await pause(2000);
  const watched = await watch(words);
  const { cpuSeconds } = await worker.end(0);
  return { ...watched, cpuSeconds: watched.cpuSeconds + cpuSeconds };
}

const sweepOf = (count: number, out: string, ...more: string[]): string[] => [
  'sweep',
  's.yaml',
  '--seeds',
  `1..${count}`,
  '--out',
  out,
  '--quiet',
  ...more,
];

interface Engine {
  readonly name: string;
  /** the runs with so many processes at work */
  readonly timed: (processes: number) => Promise<Watched>;
  /** the command with tasks that nobody has carried out */
  readonly queued: () => Promise<Watched>;
}

const onQueue = ['--on', 'bullmq', '--redis', redis ?? ''];
const onSlurm = ['--on', 'slurm'];
const engines: Engine[] = [
  {
    name: 'local',
    timed: (jobs) => watch(sweepOf(runs, `local-${jobs}`, '--jobs', `${jobs}`)),
    queued: () => watch(sweepOf(tasks, 'many-local', '--jobs', '2'), watchedSeconds),
  },
  ...(redis === undefined
    ? []
    : [
        {
          name: 'bullmq',
          timed: (jobs: number) => withWorker(jobs, sweepOf(runs, `bullmq-${jobs}`, ...onQueue)),
          queued: () => watch(sweepOf(tasks, 'many-bullmq', ...onQueue), watchedSeconds),
        },
      ]),
  ...(spawnSync('sbatch', ['--version']).status === 0
    ? [
        {
          name: 'slurm',
          timed: (jobs: number) => watch(sweepOf(runs, `slurm-${jobs}`, ...onSlurm, '--array-size', `${jobs}`)),
          queued: async () => {
            const watched = await watch(sweepOf(tasks, 'many-slurm', ...onSlurm, '--detach'));
            await watch(sweepOf(tasks, 'many-slurm', ...onSlurm, '--cancel'));
            return watched;
          },
        },
      ]
    : []),
];

/** Writes the scenario with transfers of a size with which a run takes about as long as it shall. */
async function writeSized(): Promise<void> {
  let transferKiB = 16 * 1024;
  for (const turn of [1, 2]) {
    writeFileSync(path.join(folder, 's.yaml'), scenario(transferKiB));
    await watch(sweepOf(600, `sized-${turn}`, '--jobs', '1'));
    const runMs = meanRunMs(path.join(folder, `sized-${turn}/timings.csv`), 300);
    transferKiB = Math.round((transferKiB * wantedRunMs) / runMs);
  }
  writeFileSync(path.join(folder, 's.yaml'), scenario(transferKiB));
}

/** Seconds of two commands side by side, each with half of the runs: what the machine has to give. */
async function byHandSeconds(): Promise<number> {
  const halves = ['a', 'b'].map((half) => watch(sweepOf(runs / 2, `hand-${half}`, '--jobs', '1')));
  return Math.max(...(await Promise.all(halves)).map(({ wallSeconds }) => wallSeconds));
}

try {
  await writeSized();
  const lines = [
    '| engine | one core, s | two cores, s | times as fast | CPU with one, s | CPU with two, s | by CPU at most | CPU beyond the runs, ms each | memory of the command, MB |',
    '|---|---|---|---|---|---|---|---|---|',
  ];
  const load = loadavg()[0]!;
  let runMs = 0;
  let byHand = 0;
  for (const { name, timed, queued } of engines) {
    process.stderr.write(`${name}\n`);
    const [one, two] = [await timed(1), await timed(2)];
    for (const jobs of [1, 2]) {
      const rows = readFileSync(path.join(folder, `${name}-${jobs}/runs.csv`), 'utf8');
      if (rows !== readFileSync(path.join(folder, 'local-1/runs.csv'), 'utf8'))
        throw new Error(`${name} has other rows than this machine`);
    }
    const ownMs = meanRunMs(path.join(folder, `${name}-2/timings.csv`));
    if (name === 'local') runMs = ownMs;
    if (name === 'local') byHand = one.wallSeconds / (await byHandSeconds());
    const many = await queued();
    const walls = [one.wallSeconds, two.wallSeconds, one.wallSeconds / two.wallSeconds];
    const cpus = [one.cpuSeconds, two.cpuSeconds, (2 * one.cpuSeconds) / two.cpuSeconds];
    // what tasks of Slurm took beside their runs nobody tells
    const figures = [...walls, ...(name === 'slurm' ? [null, null, null] : cpus)].map((figure) =>
      figure === null ? '' : figure.toPrecision(3),
    );
    const beyond = name === 'slurm' ? '' : ((1000 * two.cpuSeconds) / runs - ownMs).toFixed(1);
    lines.push(`| \`${name}\` | ${figures.join(' | ')} | ${beyond} | ${Math.round(many.peakBytes / 1e6)} |`);
  }
  const head = `${runs.toLocaleString('en')} runs of ${runMs.toFixed(0)} ms of CPU each, and the commanding process with ${tasks.toLocaleString('en')} tasks that wait (load of the two-core machine before: ${load.toFixed(1)}). Two commands beside each other with half of the runs each were ${byHand.toPrecision(3)} times as fast as \`local\` with one process:`;
  process.stdout.write(`${head}\n\n${lines.join('\n')}\n`);
  if (engines.length === 3) write([head, '', ...lines]);
} finally {
  if (existsSync(folder)) rmSync(folder, { recursive: true, force: true });
}

/** Milliseconds of CPU of a run, by a table of timings. @param first run that counts: those before are still compiled */
function meanRunMs(table: string, first = 0): number {
  const rows = readFileSync(table, 'utf8')
    .trim()
    .split('\n')
    .slice(1 + first);
  return (1000 * rows.reduce((sum, row) => sum + Number(row.split(',')[1]), 0)) / rows.length;
}

/** Writes the part of the page. */
function write(lines: readonly string[]): void {
  const [begin, end] = ['<!-- cost: begin (written by `npm run campaigns`) -->', '<!-- cost: end -->'];
  const text = readFileSync(page, 'utf8');
  const from = text.indexOf(begin) + begin.length;
  writeWhole(page, `${text.slice(0, from)}\n\n${lines.join('\n')}\n\n${text.slice(text.indexOf(end))}`);
}
