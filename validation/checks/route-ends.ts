// Searches of routes end when they have to: by SIGTERM at any moment, and by --time on trees that lost links.

import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RandomStream } from '#weft/base/random.js';
import type { Check } from '../check.js';
import { compared, exact, type Line, skipped } from '../line.js';
import { repositoryFolder } from '../repository.js';
import {
  brokenShape,
  endedCommands,
  type Ending,
  hardRoutes,
  searchedBroken,
  terminated,
  type BrokenEnding,
} from '../route-ends.js';

const shares = ['2%', '5%', '8%', '15%'];
const brokenSeconds = 1;
const mostLateSeconds = 2;

/** A line that counts endings that are not as they should be; what is wrong with them stands in it only if there are any. */
function none(mechanism: string, oracle: string, faults: readonly string[]): Line {
  const kinds = [...new Set(faults)].slice(0, 5).join('; ');
  return compared({
    mechanism: kinds === '' ? mechanism : `${mechanism} (${kinds})`,
    oracle,
    expected: 0,
    ours: faults.length,
    unit: '',
    tolerance: exact,
  });
}

function problemsOf(endings: readonly { readonly problem: string | null }[]): string[] {
  return endings.flatMap(({ problem }) => (problem === null ? [] : [problem]));
}

/** Those of some seconds that are more than may be, as texts. */
function above(seconds: readonly number[], most: number): string[] {
  return seconds.filter((own) => own > most).map((own) => `${own.toFixed(1)} s`);
}

function signalLines(endings: readonly Ending[], isQuick: boolean): Line[] {
  const subject = `SIGTERM at ${endings.length} random moments, ${endedCommands.length} commands`;
  const cpu = endings.flatMap(({ cpuSeconds }) => (cpuSeconds === null ? [] : [cpuSeconds]));
  const oracle = `an end within ${mostLateSeconds} s, with whole tables or none`;
  const busy = `${subject}: ends after more than ${mostLateSeconds} CPU seconds`;
  return [
    none(`${subject}: other endings`, oracle, problemsOf(endings)),
    cpu.length === 0
      ? skipped({ mechanism: busy, oracle, why: 'no /proc' })
      : none(busy, oracle, above(cpu, mostLateSeconds)),
    // of a machine with other things to do that says nothing
    ...(isQuick
      ? []
      : [
          none(
            `${subject}: ends after more than ${mostLateSeconds} s`,
            oracle,
            above(
              endings.map(({ lateMs }) => lateMs / 1000),
              mostLateSeconds,
            ),
          ),
        ]),
  ];
}

function brokenLines(endings: readonly BrokenEnding[], isQuick: boolean): Line[] {
  const apart = endings.filter(({ isApart }) => isApart).length;
  const subject = `${endings.length} trees of 45 hosts, 2 to 15 % of links failed, ${apart} in parts`;
  const oracle = 'tables that lead everywhere, of trees in parts exit code 1, within --time and 1 s';
  return [
    none(`${subject}: other endings`, oracle, problemsOf(endings)),
    ...(isQuick
      ? []
      : [
          none(
            `${subject}: ends later than that`,
            oracle,
            above(
              endings.map(({ wallSeconds }) => wallSeconds),
              brokenSeconds + 1,
            ),
          ),
        ]),
  ];
}

export const routeEnds: Check = {
  name: 'route-ends',
  title: 'Searches of routes end when they have to',
  about:
    'The built command as a process. Moments are drawn over reading, bounds, searches, linear programmes and writing; seconds are those of a machine with nothing else to do, CPU seconds those of all threads.',
  isSampled: true,
  async *run({ isQuick, seed, progress }) {
    const folder = await mkdtemp(join(tmpdir(), 'weft-route-ends-'));
    try {
      for (const [name, text] of Object.entries(hardRoutes())) await writeFile(join(folder, name), text);
      const random = new RandomStream(seed, 'moments of signals');
      const [moments, trees] = isQuick ? [6, 1] : [200, 200];
      const steps = moments + shares.length * trees;
      const signals: Ending[] = [];
      for (let i = 0; i < moments; i++) {
        const command = endedCommands[i % endedCommands.length]!;
        signals.push(await terminated(folder, Math.round(command.withinMs * random.nextFraction()), command));
        progress(i + 1, steps);
      }
      yield* signalLines(signals, isQuick);
      const fabric = join(folder, 'broken.net');
      const main = join(repositoryFolder, 'dist', 'cli', 'main.js');
      execFileSync(
        process.execPath,
        [main, 'topology', 'generate', ...brokenShape, '--format', 'ibnetdiscover', '--out', fabric],
        { stdio: 'ignore' },
      );
      const broken: BrokenEnding[] = [];
      for (const share of shares) {
        for (let drawn = 1; drawn <= trees; drawn++) {
          broken.push(await searchedBroken(fabric, share, drawn, brokenSeconds));
          progress(moments + broken.length, steps);
        }
      }
      yield* brokenLines(broken, isQuick);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};
