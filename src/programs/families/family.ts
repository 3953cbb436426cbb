// What every program of the catalogue offers: its settings, how many ranks it needs, and what its ranks do.
// Invariant: `make` is only reached with values whose check found nothing.

import { fail } from '../../base/fail.js';
import { count, size, type GroupValues, type SettingGroup, type SettingValues } from '../../base/settings.js';
import type { RankProgram } from '../rank-program.js';

/** Settings that do not fit; the caller knows where they were given. */
export interface ProgramProblem {
  /** key of the setting, or null if it is the whole that does not fit */
  readonly setting: string | null;
  readonly message: string;
  readonly got: string;
  readonly wanted: string;
  readonly hint?: string;
}

export interface ProgramFamily {
  readonly name: string;
  /** one line for people */
  readonly description: string;
  readonly settings: SettingGroup;
  /** Ranks that it has; null: as many as there are places. */
  readonly ranks: (values: GroupValues) => number | null;
  /** What does not fit; null: nothing. @param ranks that it will have */
  readonly check: (values: GroupValues, ranks: number) => ProgramProblem | null;
  /** @param ranks that it has @param seed of the run */
  readonly make: (values: GroupValues, ranks: number, seed: number) => RankProgram;
}

/** Completes a family, whose values have types. */
export function defineProgram<const G extends SettingGroup>(definition: {
  readonly name: string;
  readonly description: string;
  readonly settings: G;
  readonly ranks?: (values: SettingValues<G>) => number | null;
  readonly check?: (values: SettingValues<G>, ranks: number) => ProgramProblem | null;
  readonly make: (values: SettingValues<G>, ranks: number, seed: number) => RankProgram;
}): ProgramFamily {
  const { name, description, settings } = definition;
  const check: ProgramFamily['check'] = (values, ranks) =>
    definition.check?.(values as SettingValues<G>, ranks) ?? null;
  return {
    name,
    description,
    settings,
    ranks: (values) => definition.ranks?.(values as SettingValues<G>) ?? null,
    check,
    make: (values, ranks, seed) => {
      const problem = check(values, ranks);
      if (problem !== null) fail(`${name} made with unchecked settings: ${problem.message}`);
      return definition.make(values as SettingValues<G>, ranks, seed);
    },
  };
}

/** A size of messages. */
export function messageSize(preset: string, description: string) {
  return size(preset, description, { minimum: 1, maximum: 2 ** 38 });
}

/** How often something is done. */
export function times(preset: number, description: string) {
  return count(preset, description, { minimum: 1, maximum: 1_000_000 });
}

/** A number of things. */
export function sideLength(preset: number, description: string) {
  return count(preset, description, { minimum: 1, maximum: 1_000_000 });
}

/** The sides of a grid of ranks. */
export function sides(x: number, y: number, z: number) {
  return {
    x: sideLength(x, 'ranks along x, the axis along which ranks are numbered first'),
    y: sideLength(y, 'ranks along y'),
    z: sideLength(z, 'ranks along z; 1: the grid is flat'),
  } as const;
}
