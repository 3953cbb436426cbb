// `weft run --seeds`: a scenario with each of several seeds. It is a sweep of seeds (sweep/run-sweep.ts), with the settings
// as they are given and nothing else swept: same folder, journal, rows and report.
// Invariant: nothing that is meant for one run alone, or for several, is taken and left unheeded.

import { InputError } from '../../base/diagnostics.js';
import { Combinations } from '../../scenario/sweep/combinations.js';
import { readSeeds } from '../../scenario/sweep/seed-list.js';
import { fixedSettings } from '../../scenario/sweep/swept-setting.js';
import type { CommandContext } from '../context.js';
import { isGiven } from '../options/declared-command.js';
import type { EngineOptions } from '../options/run-options.js';
import { sweepFolderOf } from '../sweep/sweep-folder-name.js';
import type { RunRequest } from './run-plan.js';

/** What `weft run` was asked that is of several seeds, or of one run alone. */
export interface SeedsOptions {
  /** such as `1..20` */
  readonly seeds?: string | undefined;
  readonly keepsRuns: boolean;
  readonly engine: EngineOptions;
  readonly dryRun: boolean;
  readonly alone: boolean;
  readonly report?: string | undefined;
}

/** Carries it out. @returns the exit code @throws InputError, what a sweep throws */
export async function runSeeds(
  { scenario, set, backends = [], seed, out, workers: jobs, json, quiet }: RunRequest,
  { seeds, keepsRuns, engine, dryRun, alone, report }: SeedsOptions,
  context: CommandContext,
): Promise<number> {
  if (seeds === undefined)
    throw InputError.about(
      'run-seeds',
      '--seeds',
      'is missing: one run is carried out here, and keeps its folder by --out',
      {
        wanted: '--seeds beside --on, its options and --keep-runs',
        hint: 'weft run s.yaml --seeds 1..20',
      },
    );
  const ofOne = { '--seed': seed, '--alone': alone, '--report': report, '--backend A,B': backends.length > 1 };
  const other = Object.entries(ofOne).find(([, value]) => isGiven(value))?.[0];
  if (other !== undefined)
    throw InputError.about('run-seeds', '--seeds', `excludes ${other}, which is of one run`, {
      hint: 'leave out one of them; weft report DIR makes a page of the rows',
    });
  if (typeof scenario !== 'string')
    throw InputError.about('run-seeds', '--seeds', 'wants a scenario', { hint: 'weft run s.yaml --seeds 1..20' });
  const settings = fixedSettings([...set, ...backends.map((name) => `backend=${name}`)]);
  const combinations = new Combinations(settings, readSeeds(seeds));
  const folder = sweepFolderOf(scenario, out);
  const request = { scenario, combinations, until: null, out: folder, jobs, keepsRuns, engine, json, quiet };
  return dryRun
    ? (await import('../sweep/dry-sweep.js')).drySweep(request, context)
    : (await import('../sweep/run-sweep.js')).runSweep(request, context);
}
