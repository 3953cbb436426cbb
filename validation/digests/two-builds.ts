// Two builds asked the same, case by case, each in a process and a folder of its own, at the same time.
// Invariant: before anything is believed, some command lines give the same in these processes as in processes of their own.

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { basename, isAbsolute, join } from 'node:path';
import type { BuiltCommit } from '../commits/built-commit.js';
import { CheckProgress } from '../progress.js';
import { referenceFolder, repositoryFolder } from '../repository.js';
import { CommandProcess } from './command-process.js';
import { type Command, exampleCommands, goldenCommands, type Group } from './commands.js';
import { compareOutcomes, type Row, type WholeOutcome } from './compare-outcomes.js';
import { differencesOf, figuresOf, type Json, keysOf, parseJson } from './figures.js';
import { type ChangedDefault, changedDefaults, type NameChanges, nameChanges, settingsIn } from './names.js';
import { writeRandomScenarios } from './random-commands.js';
import { newCommand, type Rename, renamedKeys, renamedSettings, renamesBetween } from './renames.js';

export interface Chosen {
  readonly groups: readonly Group[];
  /** how many random ones */
  readonly scenarios: number;
  readonly seed: number;
}

export interface Compared {
  readonly rows: readonly Row[];
  readonly settings: NameChanges;
  readonly defaults: readonly ChangedDefault[];
  /** by command, and backend if it is another than packet */
  readonly keys: Readonly<Record<string, NameChanges>>;
  /** what the reader has to know, in words */
  readonly notes: readonly string[];
}

/** One of the two builds at work. */
interface Side {
  readonly folder: string;
  readonly process: CommandProcess;
}

/** What the older build knows, and by which names. */
interface Asked {
  readonly oldSchema: Json;
  readonly renames: readonly Rename[];
  readonly changed: readonly ChangedDefault[];
}

interface Keys {
  readonly was: Set<string>;
  readonly is: Set<string>;
}

/** A command line that takes longer hangs: the longest takes a twentieth of it on a quiet machine. */
const patienceMs = 600_000;
/** So many of each group are also run in processes of their own. */
const proofs = 1;

export class TwoBuilds {
  private readonly there: Side;
  private readonly here: Side;
  private readonly keys = new Map<string, Keys>();
  private readonly notes: string[] = [];

  /**
   * @param built the older build
   * @param scratch an empty folder for what the command lines read and write
   * @param signal ends the work early
   */
  constructor(
    private readonly built: BuiltCommit,
    scratch: string,
    private readonly chosen: Chosen,
    private readonly signal: AbortSignal,
  ) {
    this.there = sideOf(built.folder, join(scratch, 'there'));
    this.here = sideOf(repositoryFolder, join(scratch, 'here'));
  }

  /** Runs everything. @throws the signal's reason; Error if a build does not answer at all */
  async compare(): Promise<Compared> {
    const close = (): void => {
      this.there.process.close();
      this.here.process.close();
    };
    this.signal.addEventListener('abort', close);
    try {
      const [oldSchema, newSchema] = (await this.both(['schema'], ['schema'], {})).map(({ stdout }) =>
        parseJson(stdout),
      ) as [Json, Json];
      const [was, is] = [settingsIn(oldSchema), settingsIn(newSchema)];
      if (was.size === 0 || is.size === 0) throw new Error('weft schema names no settings: it cannot be compared');
      const renames = renamesBetween(renamedSettings, was, is);
      const defaults = changedDefaults(oldSchema, newSchema);
      const asked = { oldSchema, renames, changed: defaults };
      const rows: Row[] = [];
      for (const group of this.chosen.groups)
        rows.push(...(await this.rowsOf(group, await this.commandsOf(group, asked), renames)));
      return { rows, settings: nameChanges(was, is, renames), defaults, keys: this.keyChanges(), notes: this.notes };
    } finally {
      this.signal.removeEventListener('abort', close);
      close();
    }
  }

  private async commandsOf(group: Group, asked: Asked): Promise<Command[]> {
    if (group === 'examples') return exampleCommands(this.built.folder);
    if (group === 'goldens') {
      const { path, present } = referenceFolder(process.env['WEFT_REFERENCE']);
      if (!present) this.notes.push("no reference data (WEFT_REFERENCE): without SimAI's cases");
      return goldenCommands(present ? join(path, 'simai') : null);
    }
    const progress = new CheckProgress('drawing scenarios', process.stderr);
    const { scenarios: count, seed } = this.chosen;
    const { written, refused, leftOut } = await writeRandomScenarios({
      count,
      seed,
      ...asked,
      oldFolder: this.there.folder,
      newFolder: this.here.folder,
      progress: (done, total) => {
        this.signal.throwIfAborted();
        progress.update(done, total);
      },
    });
    progress.stop();
    this.notes.push(
      `random scenarios: seed ${seed}; ${refused} more were drawn and refused by this build${leftOut.length === 0 ? '' : `; left out, unknown to ${this.built.name}: ${leftOut.join(', ')}`}`,
    );
    return written.map(({ path, name }) => ({ group, name, args: ['run', path, '--json'], environment: {} }));
  }

  private async rowsOf(group: Group, commands: readonly Command[], renames: readonly Rename[]): Promise<Row[]> {
    const progress = new CheckProgress(group, process.stderr);
    const seen = new Set<string>();
    const rows: Row[] = [];
    for (const [place, command] of commands.entries()) {
      progress.update(place, commands.length);
      const { args, environment } = command;
      const name = command.name ?? nameOf(args);
      if (seen.has(name)) continue;
      seen.add(name);
      const [was, is] = await this.both(args, newCommand(args, renames), environment);
      if (place < proofs) await this.prove(command, renames, [was, is]);
      rows.push(compareOutcomes({ group, name }, was, is, this.noteKeys(args, was, is)));
    }
    progress.stop();
    return rows;
  }

  /** Runs the same on both. @throws the signal's reason */
  private async both(
    old: readonly string[],
    now: readonly string[],
    environment: Readonly<Record<string, string>>,
  ): Promise<[WholeOutcome, WholeOutcome]> {
    const outcomes = await Promise.all([runOn(this.there, old, environment), runOn(this.here, now, environment)]);
    this.signal.throwIfAborted();
    return outcomes;
  }

  /** Asks for the same from processes of their own. @throws Error if they say something else */
  private async prove(
    { args, environment }: Command,
    renames: readonly Rename[],
    outcomes: readonly [WholeOutcome, WholeOutcome],
  ): Promise<void> {
    const sides: [Side, readonly string[]][] = [
      [this.there, args],
      [this.here, newCommand(args, renames)],
    ];
    for (const [place, [{ process: runner }, given]] of sides.entries()) {
      const alone = await runner.runAlone({ args: given, environment }, this.signal);
      const [one, other] = [alone, outcomes[place]!].map(({ stdout }) => figuresOf(parseJson(stdout)));
      if (alone.status !== outcomes[place]!.status || differencesOf(one!, other!).figures.length > 0)
        throw new Error(
          `weft ${given.join(' ')} gives something else in a process that runs many command lines than in one of its own: nothing here can be believed`,
        );
    }
  }

  /** Takes down the keys of both answers. @returns the renames of keys between them */
  private noteKeys(args: readonly string[], was: WholeOutcome, is: WholeOutcome): readonly Rename[] {
    const words = args[0] === 'route' ? args.slice(0, 2).join(' ') : args[0]!;
    const answers = [was, is].map(({ stdout }) => parseJson(stdout)) as [Json, Json];
    const backend = backendOf(answers[0]);
    const command = backend === null || backend === 'packet' ? words : `${words}, ${backend}`;
    const [before, after] = answers.map(keysOf) as [Set<string>, Set<string>];
    const all = this.keys.get(command) ?? { was: new Set(), is: new Set() };
    // what failed on one side has no keys to compare
    if (before.size > 0 && after.size > 0) {
      for (const key of before) all.was.add(key);
      for (const key of after) all.is.add(key);
    }
    this.keys.set(command, all);
    return renamesBetween(renamedKeys, before, after);
  }

  private keyChanges(): Record<string, NameChanges> {
    const changes = [...this.keys].map(([command, { was, is }]): [string, NameChanges] => [
      command,
      nameChanges(was, is, renamesBetween(renamedKeys, was, is)),
    ]);
    return Object.fromEntries(changes.sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}

/** The backend that an answer names; null if it names none. */
function backendOf(answer: Json): string | null {
  const backend = figuresOf(answer).get('backend');
  return typeof backend === 'string' ? backend : null;
}

/** A build with a folder to work in, in which its own examples lie. */
function sideOf(build: string, folder: string): Side {
  mkdirSync(folder);
  symlinkSync(join(build, 'examples'), join(folder, 'examples'), 'junction');
  return { folder, process: new CommandProcess(build, folder, patienceMs) };
}

async function runOn(
  { folder, process: runner }: Side,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<WholeOutcome> {
  const outcome = await runner.run({ args, environment });
  const written = args[args.indexOf('--out') + 1];
  const path = args.includes('--out') && written !== undefined ? join(folder, written) : '';
  if (path === '' || !existsSync(path) || !statSync(path).isFile()) return { ...outcome, files: {} };
  return { ...outcome, files: { [written!]: createHash('sha256').update(readFileSync(path)).digest('hex') } };
}

/** A command line as the table prints it: files of other folders by their names. */
function nameOf(args: readonly string[]): string {
  const words = args.filter((word) => word !== '--json').map((word) => (isAbsolute(word) ? basename(word) : word));
  return words.join(' ');
}
