// A sweep that is read: for reports. Also one that goes on, was stopped or was killed, with the runs that have ended.
// Invariant: rows are in the order of the runs, one in memory at a time; nothing is written.

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Diagnostics, InputError, wholeFile } from '../../base/diagnostics.js';
import type { FilledColumn, RowColumn, SweepRow } from '../../report/sweep/row-columns.js';
import { Combinations } from '../../scenario/sweep/combinations.js';
import { drawnPlaces } from '../../scenario/sweep/sample.js';
import { readSeeds } from '../../scenario/sweep/seed-list.js';
import { type NumberAt, readSweptSettings } from '../../scenario/sweep/swept-setting.js';
import { readRegularFile } from '../regular-file.js';
import { readDescription, type SweepDescription } from './sweep-description.js';
import { descriptionName, journalName } from './sweep-files.js';
import { SweepJournal } from './sweep-journal.js';
import { IgnoredSettings } from '../../report/sweep/ignored-settings.js';
import { columnsOf, ignoredOf, rowsOf } from './sweep-rows.js';

/** A sweep's folder, open for reading. */
export class StoredSweep {
  private constructor(
    readonly description: SweepDescription,
    private readonly combinations: Combinations,
    private readonly journal: SweepJournal | null,
  ) {}

  /** Whether a folder is a sweep's, by its sweep.json; never throws. */
  static async isSweep(folder: string): Promise<boolean> {
    return (await descriptionIn(folder)) !== null;
  }

  /** Opens a folder. @throws InputError if it is no sweep; OutputError, HostFileError if a file of it cannot be read */
  static async open(folder: string): Promise<StoredSweep> {
    const description = await descriptionIn(folder);
    if (description === null)
      throw InputError.at('sweep-folder', folder, wholeFile, 'this is no folder of a sweep', {
        wanted: `a folder with a ${descriptionName} of this version of Weft's`,
        hint: 'weft sweep writes one',
      });
    const { settings, sample, seeds, runs } = description;
    const diagnostics = new Diagnostics();
    const read = readSweptSettings(
      settings.map(({ path, values }) => `${path}=${values.join(',')}`),
      diagnostics,
      numberIn(settings),
    );
    const combinations = new Combinations(read, seeds === null ? null : readSeeds(seeds), sample);
    if (diagnostics.hasErrors || combinations.runs !== runs || read.length !== settings.length)
      throw InputError.at(
        'sweep-folder',
        join(folder, descriptionName),
        wholeFile,
        'settings, seeds and runs do not go together',
        {
          got: `${runs} runs`,
          wanted: `${combinations.runs}`,
        },
      );
    return new StoredSweep(description, combinations, await journalIn(folder, runs));
  }

  /** The settings with the values that the rows choose from. */
  get settings(): Combinations['settings'] {
    return this.combinations.settings;
  }

  /** Which of them were drawn from ranges; null: combinations are a grid. */
  drawn(): readonly number[] | null {
    return this.combinations.sample === null ? null : drawnPlaces(this.combinations.written);
  }

  /** The columns of the runs that have ended. */
  columns(): readonly RowColumn[] {
    return this.filledColumns().map(({ name, role, type, unit }) => ({ name, role, type, unit }));
  }

  /** The same, which know what a row has in them. */
  filledColumns(): readonly FilledColumn[] {
    return this.journal === null ? [] : columnsOf(this.journal, this.combinations);
  }

  /** The settings that change nothing in some of them. */
  ignored(): IgnoredSettings {
    return this.journal === null ? new IgnoredSettings([]) : ignoredOf(this.journal, this.combinations);
  }

  /** The runs that have ended. */
  *rows(): Generator<SweepRow> {
    if (this.journal !== null) for (const { row } of rowsOf(this.journal, this.combinations)) yield row;
  }

  close(): void {
    this.journal?.close();
  }
}

/** Numbers of the scenario that formulas took. */
function numberIn(settings: SweepDescription['settings']): NumberAt {
  const numbers = new Map(settings.flatMap(({ given = {} }) => Object.entries(given)));
  return (path) => numbers.get(path) ?? null;
}

async function descriptionIn(folder: string): Promise<SweepDescription | null> {
  return readRegularFile(join(folder, descriptionName)).then(
    (bytes) => readDescription(bytes.toString('utf8')),
    () => null,
  );
}

/** @returns null if no run has ended yet */
async function journalIn(folder: string, runs: number): Promise<SweepJournal | null> {
  const names = await readdir(folder);
  return names.includes(journalName) ? SweepJournal.read(join(folder, journalName), runs) : null;
}
