// What was named to `weft ui`: folders of runs and sweeps, folders that hold such, and scenarios. A page asks for them by number alone.
// Invariants: a number means the same place for as long as the program runs; places are looked for again each time, so a
// run that has just ended is there; a link that leads out is listed, and refused when it is opened.

import { lstat, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { InputError, wholeFile } from '../../base/diagnostics.js';
import { FolderBounds } from '../../storage/folder-bounds.js';
import { StoredSweep } from '../../storage/sweep/read-sweep.js';
import { manifestName } from '../../stored-runs/stored-manifest.js';
import { fileError, readRegularFile } from '../../storage/regular-file.js';

/** places that are listed */
const mostPlaces = 2000;
/** a larger file is listed as no scenario */
const mostScenarioBytes = 1_000_000;

/** Something that a page may open. */
export interface UiPlace {
  readonly number: number;
  readonly kind: 'run' | 'sweep' | 'scenario';
  /** its path as it was named */
  readonly path: string;
}

/** All that may be opened now. */
export interface PlaceList {
  readonly places: readonly UiPlace[];
  /** how many more there are, which are not listed */
  readonly unlisted: number;
}

export class NamedPlaces {
  private readonly known: UiPlace[] = [];
  private readonly numbers = new Map<string, number>();

  private constructor(
    private readonly named: readonly string[],
    /** the folders in which files may be read */
    readonly folders: readonly string[],
    readonly bounds: FolderBounds,
  ) {}

  /** @param named folders and scenarios, as the command line names them @throws InputError, HostFileError */
  static async of(named: readonly string[]): Promise<NamedPlaces> {
    const folders: string[] = [];
    for (const path of named) folders.push((await isFolder(path)) ? path : dirname(path));
    const places = new NamedPlaces(named, folders, await FolderBounds.of(folders));
    for (const path of named)
      if ((await places.below(path)).length === 0)
        throw InputError.at('ui-place', path, wholeFile, 'there is nothing in it that weft ui could show', {
          wanted: `a scenario, a folder of weft run --out or weft sweep --out, or one that holds such`,
          hint: 'weft run SCENARIO --out DIR writes a folder that can be shown',
        });
    return places;
  }

  /** What is there now. @throws HostFileError if a folder that was named is gone */
  async list(): Promise<PlaceList> {
    const all: UiPlace[] = [];
    for (const path of this.named) for (const [kind, own] of await this.below(path)) all.push(this.numbered(kind, own));
    const once = [...new Set(all)];
    return { places: once.slice(0, mostPlaces), unlisted: Math.max(0, once.length - mostPlaces) };
  }

  /** The place of a number; null: there is none of this kind. */
  place(number: unknown, kind: UiPlace['kind']): UiPlace | null {
    const found = Number.isInteger(number) ? this.known[number as number] : undefined;
    return found?.kind === kind ? found : null;
  }

  /** The place of a path, which lies within the folders that were named. */
  numbered(kind: UiPlace['kind'], path: string): UiPlace {
    const key = `${kind} ${path}`;
    let number = this.numbers.get(key);
    if (number === undefined) {
      number = this.known.length;
      this.numbers.set(key, number);
      this.known.push({ number, kind, path });
    }
    return this.known[number]!;
  }

  /** Runs of a path that was named, and the scenarios behind them. */
  private async below(path: string): Promise<(readonly [kind: UiPlace['kind'], path: string])[]> {
    if (!(await isFolder(path))) return [['scenario', path]];
    if (await holdsRun(path)) return [['run', path]];
    const isSweep = await this.isSweep(path);
    const sweeps: string[] = isSweep ? [path] : [];
    const runs: string[] = [];
    const scenarios: string[] = [];
    for (const folder of [path, join(path, 'runs')]) {
      const names = await namesOf(folder, folder === path);
      for (const name of names) {
        const own = join(folder, name);
        if (await this.isRun(own)) runs.push(own);
        else if (!isSweep && folder === path && (await this.isSweep(own))) sweeps.push(own);
        else if (folder === path && /\.ya?ml$/.test(name) && (await this.isScenario(own))) scenarios.push(own);
      }
    }
    const places = { sweep: sweeps, run: runs, scenario: scenarios };
    return (['sweep', 'run', 'scenario'] as const).flatMap((kind) => places[kind].map((own) => [kind, own] as const));
  }

  private async isRun(path: string): Promise<boolean> {
    if (!(await isLink(path))) return holdsRun(path);
    // a folder that lies outside is not looked into
    return this.bounds.settled(path).then(holdsRun, () => isFolder(path).catch(() => false));
  }

  /** A folder that lies outside is none. */
  private async isSweep(path: string): Promise<boolean> {
    return this.bounds.settled(path).then(StoredSweep.isSweep, () => false);
  }

  private async isScenario(path: string): Promise<boolean> {
    const text = await this.bounds
      .settled(path)
      .then((real) => readRegularFile(real, mostScenarioBytes))
      .catch(() => null);
    return text !== null && isScenarioText(text.toString('utf8'));
  }
}

/** Whether a text in YAML is a scenario that runs: it says what the fabric is, and what is sent. */
export function isScenarioText(text: string): boolean {
  return /^\uFEFF?fabric:/m.test(text) && /^\uFEFF?(traffic|workload|jobs|inference):/m.test(text);
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    throw fileError(path, error);
  }
}

async function namesOf(folder: string, isNamed: boolean): Promise<string[]> {
  try {
    return (await readdir(folder)).sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  } catch (error) {
    if (!isNamed) return [];
    throw fileError(folder, error);
  }
}

async function isLink(path: string): Promise<boolean> {
  return lstat(path).then(
    (own) => own.isSymbolicLink(),
    () => false,
  );
}

/** Whether a folder is that of a run. */
export async function holdsRun(folder: string): Promise<boolean> {
  return stat(join(folder, manifestName)).then(
    (own) => own.isFile(),
    () => false,
  );
}
