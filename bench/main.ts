// `npm run bench`: each workload in a process of its own, a few times, the best run printed. A sixteenth of the workload runs first and
// is not counted, so that the figure is the engine's and not the just-in-time compiler's; --cold leaves that out. With --compare, the
// reference prototype runs before each of ours, in the same minute on the same machine, and the ratio is printed.

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { measure, type Measurement } from './measure.js';
import { workloads } from './workloads.js';

interface Options {
  json?: true;
  only?: string;
  runs: string;
  compare?: true;
  inProcess?: true;
  cold?: true;
}

const warmUpScale = 1 / 16;

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

new Command('bench')
  .description('packet-hops per CPU second of the packet backend')
  .option('--json', 'one JSON object per line')
  .option('--only <name>', `one workload: ${workloads.map((workload) => workload.name).join(', ')}`)
  .option('--runs <count>', 'runs of each workload; the fastest counts', '3')
  .option('--cold', 'no warm-up: the compiler\'s work counts too')
  .option('--compare', 'also run the reference prototype (WEFT_REFERENCE/engine/prototype.mjs) and print the ratio')
  .option('--in-process', 'run the workload in this process, once')
  .action((options: Options) => main(options))
  .parse();

function main(options: Options): void {
  const chosen = workloads.filter((workload) => options.only === undefined || workload.name === options.only);
  if (chosen.length === 0) {
    process.stderr.write(`no workload named ${options.only}; there are ${workloads.map((workload) => workload.name).join(', ')}\n`);
    process.exit(2);
  }
  if (options.inProcess === true) {
    for (const workload of chosen) {
      if (options.cold !== true) measure(workload, warmUpScale);
      print(measure(workload), options);
    }
    return;
  }
  const prototype = options.compare === true ? prototypePath() : null;
  for (const workload of chosen) {
    let best: Measurement | null = null;
    let prototypeRate = 0;
    for (let run = 0; run < Number(options.runs); run++) {
      if (prototype !== null) prototypeRate = Math.max(prototypeRate, runPrototype(prototype, workload.prototype));
      const measured = inOwnProcess(workload.name, options);
      if (best === null || measured.packetHopsPerCpuSecond > best.packetHopsPerCpuSecond) best = measured;
    }
    if (best === null) continue;
    print(prototypeRate > 0 ? { ...best, prototypeHopsPerCpuSecond: prototypeRate, ratio: round(best.packetHopsPerCpuSecond / prototypeRate) } : best, options);
  }
}

function inOwnProcess(name: string, { cold }: Options): Measurement {
  const flags = ['--in-process', '--json', '--only', name, ...(cold === true ? ['--cold'] : [])];
  const output = execFileSync(process.execPath, [fileURLToPath(import.meta.url), ...flags], { encoding: 'utf8' });
  return JSON.parse(output) as Measurement;
}

function prototypePath(): string | null {
  const file = path.resolve(root, process.env['WEFT_REFERENCE'] ?? '../shared/reference', 'engine/prototype.mjs');
  if (existsSync(file)) return file;
  process.stderr.write(`no reference prototype at ${file}: no comparison\n`);
  return null;
}

function runPrototype(file: string, workload: string): number {
  const output = execFileSync(process.execPath, [file, ...workload.split(' ')], { encoding: 'utf8' });
  return Number(/Mhops\/s=([\d.]+)/.exec(output)?.[1] ?? 0) * 1e6;
}

function print(measured: Measurement & { ratio?: number; prototypeHopsPerCpuSecond?: number }, { json }: Options): void {
  if (json === true) process.stdout.write(`${JSON.stringify(measured)}\n`);
  else {
    const rate = (measured.packetHopsPerCpuSecond / 1e6).toFixed(2).padStart(6);
    const ratio = measured.ratio === undefined ? '' : `  ${measured.ratio.toFixed(2)} of the prototype`;
    process.stdout.write(`${measured.name.padEnd(18)} ${rate} M hops/CPU s  ${String(measured.peakRssMb).padStart(4)} MB${ratio}\n`);
  }
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
