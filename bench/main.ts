// `npm run bench`: each workload in a process of its own, a few times, the best run printed. A sixteenth of the
// workload runs first and is not counted, so that the figure is the engine's and not the just-in-time compiler's;
// --cold leaves that out. With --compare, the reference prototype runs before each of ours, in the same minute on the
// same machine, and the ratio is printed. With --scaling, other workloads: the same work per host on growing fat trees.
// With --queue: the event queue alone (bench-queue.ts). With --controller: the central controller (bench-controller.ts). With --jobs: whole scenarios, on any backend (bench-jobs.ts). With --against, another commit's build runs in turns with
// this one. With --history, figures are kept by commit (history.ts).

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { benchAgainst } from './against.js';
import { benchQueue, chosenPopulations, measureQueue } from './bench-queue.js';
import { benchController, chosenControllers, controllerWorkloads, measureController } from './bench-controller.js';
import { benchJobs, chosenJobs, measureJobs } from './bench-jobs.js';
import { addToHistory, checkHistory, HistoryError, historyFile, occasion } from './history.js';
import { jobWorkloads } from './job-workloads.js';
import { measure, type Measurement } from './measure.js';
import { queueWorkloads } from './queue-workloads.js';
import { scalingWorkloads, type Workload, workloads } from './workloads.js';

interface Options {
  json?: true;
  only?: string;
  runs: string;
  compare?: true;
  scaling?: true;
  jobs?: true;
  queue?: true;
  controller?: true;
  long?: true;
  history?: string | true;
  inProcess?: true;
  cold?: true;
  probes?: true;
  against?: string;
  pairs: string;
}

const warmUpScale = 1 / 16;
const scalingHeader =
  '| hosts | packet-hops, M | CPU s | M hops/CPU s | routes, CPU s | peak memory, MB |\n|---|---|---|---|---|---|\n';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

new Command('bench')
  .description('packet-hops per CPU second of the packet backend')
  .option('--json', 'one JSON object per line')
  .option(
    '--only <name>',
    `one workload: ${[...workloads, ...scalingWorkloads, ...jobWorkloads, ...queueWorkloads, ...controllerWorkloads].map((workload) => workload.name).join(', ')}`,
  )
  .option('--runs <count>', 'runs of each workload; the fastest counts', '3')
  .option('--cold', "no warm-up: the compiler's work counts too")
  .option('--probes', 'with every probe on, sampled every 100 us')
  .option('--compare', 'also run the reference prototype (WEFT_REFERENCE/engine/prototype.mjs) and print the ratio')
  .option('--scaling', 'the same work per host on fat trees of 128 to 8192 hosts, as a table')
  .option('--jobs', 'the jobs that people run, on packets and fluid: CPU seconds, memory and rates of whole runs')
  .option('--queue', 'the event queue alone: events per CPU second under populations that are hard for it')
  .option('--controller', "microseconds per flow of the central controller's policies")
  .option('--long', 'with --jobs: those of minutes, too (--only NAME runs one of them without it)')
  .option('--history [file]', 'add the figures to a file, a JSON line each (default: .weft/bench-history.jsonl)')
  .option('--against <commit>', 'this build and that commit (hash, branch, or folder where it is built), in turns')
  .option('--pairs <count>', 'with --against: rounds of one run of this build and two of the commit', '9')
  .option('--in-process', 'run the workload in this process, once')
  .addHelpText(
    'after',
    `
Examples:
  npm run bench
  npm run bench -- --only incast-64 --runs 5 --compare
  npm run bench -- --probes --compare
  npm run bench -- --scaling
  npm run bench -- --jobs --runs 1
  npm run bench -- --queue --compare
  npm run bench -- --controller --runs 1
  npm run bench -- --jobs --only 13b-layer --runs 1 --json
  npm run bench -- --jobs --long --history figures.jsonl
  npm run bench -- --against origin/main --pairs 9
  npm run -s bench -- --scaling --only fat-tree-8192 --runs 1 --json`,
  )
  .action((options: Options) =>
    main(options).catch((error: unknown) => {
      if (!(error instanceof HistoryError)) throw error;
      misuse(error.message);
    }),
  )
  .parseAsync();

async function main(options: Options): Promise<void> {
  if (options.against !== undefined) {
    process.exitCode = await against(options.against, options);
    return;
  }
  if (options.history !== undefined && options.inProcess === true)
    return misuse('--history goes without --in-process: the runs of a workload are counted, not one of them');
  const history = options.history === undefined ? null : historyFile(options.history);
  if (history !== null) await checkHistory(history);
  if (options.jobs === true) {
    if (chosenJobs(options).length === 0)
      return misuse(`no job named ${options.only}; there are ${jobWorkloads.map(({ name }) => name).join(', ')}`);
    if (options.inProcess === true) return measureJobs(options);
    return keep(history, benchJobs(options));
  }
  if (options.queue === true) {
    if (chosenPopulations(options).length === 0)
      return misuse(
        `no population named ${options.only}; there are ${queueWorkloads.map(({ name }) => name).join(', ')}`,
      );
    if (options.inProcess === true) return measureQueue(options);
    const prototype = options.compare === true ? prototypePath() : null;
    const rate = () => (prototype === null ? null : runPrototype(prototype, workloads[0]!.prototype!, 'Mev/s'));
    return keep(history, benchQueue(options, rate));
  }
  if (options.controller === true) {
    if (chosenControllers(options).length === 0)
      return misuse(
        `no case named ${options.only}; there are ${controllerWorkloads.map(({ name }) => name).join(', ')}`,
      );
    if (options.inProcess === true) return measureController(options);
    return keep(history, benchController(options));
  }
  const listed = options.scaling === true ? scalingWorkloads : workloads;
  const chosen = listed.filter((workload) => options.only === undefined || workload.name === options.only);
  if (chosen.length === 0) {
    process.stderr.write(
      `no workload named ${options.only}; there are ${listed.map((workload) => workload.name).join(', ')}${options.scaling === true ? '' : `, and with --scaling ${scalingWorkloads.map((workload) => workload.name).join(', ')}`}\n`,
    );
    process.exit(2);
  }
  if (options.inProcess === true) {
    for (const workload of chosen) {
      const probes = options.probes === true;
      if (options.cold !== true) measure(workload, { scale: warmUpScale, probes });
      print({ ...measure(workload, { scale: 1, probes }), warmUpShare: warmUpShareOf(options) }, options);
    }
    return;
  }
  if (options.scaling === true && options.json !== true) process.stdout.write(scalingHeader);
  const prototype = options.compare === true ? prototypePath() : null;
  const figures = chosen.map((workload) => {
    const best = bestOf(workload, prototype, options);
    print(best, options);
    return best;
  });
  await keep(history, figures);
}

function misuse(message: string): void {
  process.stderr.write(`${message}\n`);
  process.exitCode = 2;
}

/** Adds figures to a history, with the prototype's rate of this minute. @param path null: to none */
async function keep(path: string | null, figures: readonly object[]): Promise<void> {
  if (path === null) return;
  const prototype = prototypePath();
  const rate = prototype === null ? null : runPrototype(prototype, workloads[0]!.prototype!);
  await addToHistory(path, occasion(rate), figures as readonly Readonly<Record<string, unknown>>[]);
  process.stderr.write(`added to ${path}\n`);
}

/** Turns of this build and another. @returns the exit code */
function against(commit: string, options: Options): Promise<number> {
  const { jobs, queue, scaling, only, pairs, probes, cold, json } = options;
  const listed =
    jobs === true
      ? chosenJobs(options)
      : queue === true
        ? chosenPopulations(options)
        : scaling === true
          ? scalingWorkloads
          : workloads;
  const names = listed.map(({ name }) => name);
  const wrong =
    only !== undefined && !names.includes(only)
      ? `no workload named ${only}; there are ${(jobs === true ? jobWorkloads : listed).map(({ name }) => name).join(', ')}`
      : !/^[1-9]\d{0,3}$/.test(pairs)
        ? `--pairs ${pairs}: a whole number from 1 to 9999 is wanted`
        : options.compare === true || options.inProcess === true || options.history !== undefined
          ? '--against goes with neither --compare, --in-process nor --history: give one of them'
          : null;
  if (wrong !== null) {
    process.stderr.write(`${wrong}\n`);
    return Promise.resolve(2);
  }
  const flags = { jobs, queue, scaling, probes, cold };
  return benchAgainst({
    commit,
    pairs: Number(pairs),
    names: only === undefined ? names : [only],
    flags: Object.entries(flags).flatMap(([flag, isOn]) => (isOn === true ? [`--${flag}`] : [])),
    warmUpShare: warmUpShareOf(options),
    isJson: json === true,
  });
}

function warmUpShareOf({ cold }: Options): number {
  return cold === true ? 0 : warmUpScale;
}

function bestOf(workload: Workload, prototype: string | null, options: Options): Printed {
  let best: Measurement | null = null;
  let prototypeRate = 0;
  for (let run = 0; best === null || run < Number(options.runs); run++) {
    if (prototype !== null && workload.prototype !== null)
      prototypeRate = Math.max(prototypeRate, runPrototype(prototype, workload.prototype));
    const measured = inOwnProcess(workload.name, options);
    if (best === null || measured.packetHopsPerCpuSecond > best.packetHopsPerCpuSecond) best = measured;
  }
  return prototypeRate > 0
    ? { ...best, prototypeHopsPerCpuSecond: prototypeRate, ratio: round(best.packetHopsPerCpuSecond / prototypeRate) }
    : best;
}

function inOwnProcess(name: string, { cold, scaling, probes }: Options): Measurement {
  const flags = [
    '--in-process',
    '--json',
    '--only',
    name,
    ...(cold === true ? ['--cold'] : []),
    ...(scaling === true ? ['--scaling'] : []),
    ...(probes === true ? ['--probes'] : []),
  ];
  const output = execFileSync(process.execPath, [fileURLToPath(import.meta.url), ...flags], { encoding: 'utf8' });
  return JSON.parse(output) as Measurement;
}

function prototypePath(): string | null {
  const file = path.resolve(root, process.env['WEFT_REFERENCE'] ?? '../shared/reference', 'engine/prototype.mjs');
  if (existsSync(file)) return file;
  process.stderr.write(`no reference prototype at ${file}: no comparison\n`);
  return null;
}

/** A rate that the prototype prints, per CPU second. */
function runPrototype(file: string, workload: string, rate: 'Mhops/s' | 'Mev/s' = 'Mhops/s'): number {
  const output = execFileSync(process.execPath, [file, ...workload.split(' ')], { encoding: 'utf8' });
  return Number(new RegExp(`${rate}=([\\d.]+)`).exec(output)?.[1] ?? 0) * 1e6;
}

type Printed = Measurement & { warmUpShare?: number; ratio?: number; prototypeHopsPerCpuSecond?: number };

function print(measured: Printed, { json, scaling }: Options): void {
  const rate = (measured.packetHopsPerCpuSecond / 1e6).toFixed(2);
  if (json === true) process.stdout.write(`${JSON.stringify(measured)}\n`);
  else if (scaling === true) {
    process.stdout.write(
      `| ${measured.hosts} | ${(measured.packetHops / 1e6).toFixed(1)} | ${measured.cpuSeconds.toFixed(2)} | ${rate} | ${measured.routesCpuSeconds.toFixed(2)} | ${measured.peakRssMb} |\n`,
    );
  } else {
    const ratio = measured.ratio === undefined ? '' : `  ${measured.ratio.toFixed(2)} of the prototype`;
    process.stdout.write(
      `${measured.name.padEnd(18)} ${rate.padStart(6)} M hops/CPU s  ${String(measured.peakRssMb).padStart(4)} MB${ratio}\n`,
    );
  }
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
