// The forecast of `weft run --dry-run` beside the run, for every scenario in examples/ and every backend: each is a
// process of its own, as a user would start it. `npm run forecasts` prints it (docs/models/forecast.md).
// Invariant: CPU time is shown and never tested, since machines are busy.

import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { programCommand } from './program-command.js';
import { repositoryFolder } from './repository.js';

/** One quantity, forecast and found. */
export interface ForecastLine {
  readonly what: 'flows' | 'packet-hops' | 'CPU time' | 'memory' | 'disk';
  readonly forecast: number;
  readonly found: number;
}

/** What a file has that can be run; others describe a cluster. */
const work = /^(traffic|workload|jobs|inference):/m;

/** The scenarios of the examples, relative to the repository. */
export function exampleScenarios(): string[] {
  return readdirSync(join(repositoryFolder, 'examples'))
    .flatMap((name) =>
      readdirSync(join(repositoryFolder, 'examples', name))
        .filter((file) => file.endsWith('.yaml'))
        .map((file) => `examples/${name}/${file}`),
    )
    .filter((path) => work.test(readFileSync(join(repositoryFolder, path), 'utf8')))
    .sort();
}

/** Runs a scenario twice: dry, and wet into a folder that is removed. @throws Error if a process fails */
export async function forecastAndRun(path: string, backend: string): Promise<ForecastLine[]> {
  const folder = mkdtempSync(join(tmpdir(), 'weft-forecast-'));
  const out = join(folder, 'out');
  try {
    const common = ['run', path, '--backend', backend, '--json', '--quiet'];
    const dry = await weft([...common, '--dry-run']);
    const wet = await weft([...common, '--out', out]);
    const left = unforecast(out, dry['files'] as readonly { readonly name: string }[]);
    const diskBytes = readdirSync(out).reduce(
      (sum, name) => sum + (left.has(name) ? 0 : statSync(join(out, name)).size),
      0,
    );
    const counters = wet['counters'] as Readonly<Record<string, number>>;
    return [
      { what: 'flows', forecast: number(dry, 'flows'), found: number(wet, 'flows') },
      ...(counters['packetHops'] === undefined
        ? []
        : [{ what: 'packet-hops', forecast: number(dry, 'packetHops'), found: counters['packetHops'] } as const]),
      { what: 'CPU time', forecast: number(dry, 'cpuSeconds'), found: number(wet, 'cpuSeconds') },
      { what: 'memory', forecast: number(dry, 'memoryBytes'), found: number(wet, 'peakMemoryBytes') },
      { what: 'disk', forecast: number(dry, 'diskBytes'), found: diskBytes },
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Tables of probes, of which a forecast says that it has none of their rows (`hasProbes`). */
function unforecast(out: string, files: readonly { readonly name: string }[]): ReadonlySet<string> {
  const { tables } = JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8')) as {
    readonly tables: readonly { readonly files: readonly string[] }[];
  };
  const known = new Set(files.map(({ name }) => name));
  return new Set(tables.flatMap((table) => (table.files.some((name) => known.has(name)) ? [] : table.files)));
}

async function weft(commandLine: readonly string[]): Promise<Readonly<Record<string, unknown>>> {
  const program = join(repositoryFolder, 'dist/cli/main.js');
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...commandLine], {
    cwd: repositoryFolder,
    maxBuffer: 2 ** 28,
  });
  return JSON.parse(stdout) as Readonly<Record<string, unknown>>;
}

function number(object: Readonly<Record<string, unknown>>, key: string): number {
  const value = object[key];
  if (typeof value !== 'number') throw new Error(`${key} is ${JSON.stringify(value)}, not a number`);
  return value;
}

const texts: Readonly<Record<ForecastLine['what'], (value: number) => string>> = {
  flows: String,
  'packet-hops': (value) => `${(value / 1e6).toFixed(2)} M`,
  'CPU time': (value) => `${value.toPrecision(2)} s`,
  memory: (value) => `${Math.round(value / 1e6)} MB`,
  disk: (value) => `${Math.round(value / 1000)} kB`,
};

/** Prints the table. @param only a part of the paths that are wanted; "" is all */
async function main(only: string): Promise<void> {
  process.stdout.write('| scenario | backend | what | forecast | found | ratio |\n|---|---|---|---|---|---|\n');
  for (const path of exampleScenarios().filter((name) => name.includes(only)))
    for (const backend of ['analytical', 'fluid', 'packet'])
      for (const { what, forecast, found } of await forecastAndRun(path, backend)) {
        const ratio = forecast === found ? 1 : forecast / found;
        process.stdout.write(
          `| ${path.replace('examples/', '')} | ${backend} | ${what} | ${texts[what](forecast)} | ${texts[what](found)} | ${ratio.toFixed(2)} |\n`,
        );
      }
}

// tests import it
if (process.argv[1] === fileURLToPath(import.meta.url))
  await programCommand('forecasts', import.meta.url)
    .argument('[path]', 'scenarios with this text in their path', '')
    .action(main)
    .parseAsync();
