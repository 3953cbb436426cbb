// Slurm by its own commands: sbatch, squeue, scancel, and sacct where there is accounting. No library speaks Slurm's
// protocol across versions; the commands are what Slurm keeps stable (sbatch(1), squeue(1), sacct(1)).
// Invariants: nothing goes through a shell; of Weft's own environment variables, which may hold passwords, none goes to a
// job but the folder of reference data; a controller that does not answer is no end of a job.

import { execFile } from 'node:child_process';
import { InputError } from '../../base/diagnostics.js';
import { EngineError } from '../engine-error.js';

/** Milliseconds that a command may take. */
const patienceMs = 120_000;
/** Bytes that a command may print: a line for each task of a large array. */
const mostOutputBytes = 64 << 20;
/** Largest index of a task, where Slurm does not say (slurm.conf(5), MaxArraySize 1001). */
const usualArraySize = 1000;
/** Largest index that Slurm allows (slurm.conf(5)). */
const mostIndex = 4_000_000;

/** What is asked of Slurm for every task. Left out: as the partition has it. */
export interface SlurmLimits {
  readonly partition?: string | undefined;
  readonly account?: string | undefined;
  /** a time of sbatch, such as `10` for minutes */
  readonly time?: string | undefined;
  /** a size of sbatch, such as `500M` */
  readonly memory?: string | undefined;
}

/** Where a task of an array is. */
export interface SlurmTaskState {
  /** Slurm's word, such as RUNNING or OUT_OF_MEMORY */
  readonly state: string;
  /** the node; empty: none yet */
  readonly node: string;
  /** why it waits, or how it ended besides */
  readonly reason: string;
}

/** Words of states in which a task has not ended. */
const liveStates = new Set([
  'PENDING',
  'CONFIGURING',
  'RUNNING',
  'COMPLETING',
  'SUSPENDED',
  'STOPPED',
  'REQUEUED',
  'REQUEUE_FED',
  'REQUEUE_HOLD',
  'RESIZING',
  'SIGNALING',
  'STAGE_OUT',
  'RESV_DEL_HOLD',
  'SPECIAL_EXIT',
]);

/** Whether a task in a state has not ended. */
export function isLiveState(state: string): boolean {
  return liveStates.has(state);
}

/** Whether an environment variable goes to jobs. */
function isForJobs(name: string): boolean {
  return name === 'WEFT_REFERENCE' || !name.startsWith('WEFT_');
}

interface Ended {
  readonly isOk: boolean;
  readonly output: string;
  readonly errors: string;
}

export class SlurmCommands {
  private readonly environment: NodeJS.ProcessEnv;

  constructor(environment: NodeJS.ProcessEnv) {
    this.environment = Object.fromEntries(Object.entries(environment).filter(([name]) => isForJobs(name)));
  }

  /**
   * Submits an array of `count` tasks.
   * @param folder where the tasks work; it has a folder `logs`
   * @returns the number of the job @throws EngineError, InputError
   */
  async submit(count: number, name: string, folder: string, script: string, limits: SlurmLimits): Promise<string> {
    const words = [
      '--parsable',
      `--array=0-${count - 1}`,
      `--job-name=${name}`,
      `--chdir=${folder}`,
      // seen from that folder: in a name of their own `%` and `\` would mean something
      '--output=logs/%a.log',
      '--open-mode=append',
      '--ntasks=1',
      '--cpus-per-task=1',
      '--requeue',
      ...Object.entries({
        '--partition': limits.partition,
        '--account': limits.account,
        '--time': limits.time,
        '--mem': limits.memory,
      }).flatMap(([option, value]) => (value === undefined ? [] : [`${option}=${value}`])),
    ];
    const { isOk, output, errors } = await this.run('sbatch', words, script);
    const job = /^(\d+)(;.*)?$/m.exec(output)?.[1];
    if (!isOk || job === undefined)
      throw new EngineError(
        `Slurm does not take the job: ${lineOf(errors) || lineOf(output) || 'sbatch says nothing'}`,
        'see --partition, --account, --time, --memory and --array-size; sinfo shows what there is',
      );
    return job;
  }

  /**
   * The tasks of a job by their place in the array, those that have ended as long as Slurm remembers them.
   * @returns null if Slurm does not answer
   */
  async states(job: string): Promise<ReadonlyMap<number, SlurmTaskState> | null> {
    const { isOk, output, errors } = await this.run('squeue', [
      '--noheader',
      '--array',
      '--states=all',
      `--jobs=${job}`,
      '--format=%K|%T|%N|%r',
    ]);
    if (!isOk && !/invalid job id/i.test(errors)) return null;
    const states = new Map<number, SlurmTaskState>();
    for (const line of output.split('\n')) {
      const [index = '', state = '', node = '', reason = ''] = line.trim().split('|');
      if (/^\d+$/.test(index)) states.set(Number(index), { state, node, reason });
    }
    return states;
  }

  /** How the tasks of a job ended, by the accounting; of none if there is no accounting. */
  async accounts(job: string): Promise<ReadonlyMap<number, SlurmTaskState>> {
    const words = ['--noheader', '--parsable2', '--allocations', `--jobs=${job}`];
    const { output } = await this.run('sacct', [...words, '--format=JobID,State,NodeList,ExitCode']);
    return accountedTasks(output);
  }

  /** The number of a job of that name, if Slurm knows one. */
  async jobNamed(name: string): Promise<string | null> {
    const { output } = await this.run('squeue', ['--noheader', '--states=all', `--name=${name}`, '--format=%A|%F']);
    return /^\d+\|(\d+)/m.exec(output)?.[1] ?? null;
  }

  /** Cancels what is left of a job. */
  async cancel(job: string): Promise<void> {
    await this.run('scancel', [job]);
  }

  /** Most tasks of an array. */
  async mostTasks(): Promise<number> {
    const { output } = await this.run('scontrol', ['show', 'config']);
    const size = /^MaxArraySize\s*=\s*(\d+)/m.exec(output)?.[1];
    return size === undefined ? usualArraySize : Math.max(1, Number(size) - 1);
  }

  private run(program: string, words: readonly string[], input = ''): Promise<Ended> {
    return new Promise((resolve, reject) => {
      const { environment: env } = this;
      const options = { env, timeout: patienceMs, maxBuffer: mostOutputBytes, encoding: 'utf8' as const };
      const child = execFile(program, words, options, (error, output, errors) => {
        if (error?.code === 'ENOENT' && program !== 'sacct')
          reject(
            InputError.about('slurm-missing', '--on slurm', `there is no ${program} on this machine`, {
              wanted: "Slurm's commands sbatch, squeue, scancel and scontrol in PATH",
              hint: 'give the command on a login node of the cluster, or leave out --on',
            }),
          );
        else resolve({ isOk: error === null, output, errors });
      });
      child.stdin?.on('error', () => {});
      child.stdin?.end(input);
    });
  }
}

/**
 * Tasks of an array as `sacct --parsable2 --allocations` lists them: a line for each that has begun, `7_3|FAILED|n1|3:0`, and
 * one for those that were cancelled before, `7_[0-2,9]|CANCELLED by 1000|None assigned|0:0` (of Slurm 22.05).
 */
export function accountedTasks(output: string): ReadonlyMap<number, SlurmTaskState> {
  const states = new Map<number, SlurmTaskState>();
  for (const line of output.split('\n')) {
    const [id = '', state = '', node = '', exit = ''] = line.trim().split('|');
    const places = /^\d+_\[?([\d,-]+)(?:%\d+)?\]?$/.exec(id)?.[1] ?? '';
    for (const range of places.split(',').filter(Boolean)) {
      const [first, last = first] = range.split('-').map(Number) as [number, number?];
      const told = { state: state.split(' ')[0]!, node: node === 'None assigned' ? '' : node, reason: `exit ${exit}` };
      for (let index = first; index <= Math.min(last!, mostIndex); index++) states.set(index, told);
    }
  }
  return states;
}

/** The first line that says something. */
function lineOf(text: string): string {
  return (
    text
      .split('\n')
      .map((line) => line.trim())
      .find((line) => line !== '') ?? ''
  );
}
