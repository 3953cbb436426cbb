// A real Slurm of one node, for a test: munge, controller and node in the foreground, with ports, folders and a key of
// their own. Where Debian's slurm-wlm and munge are missing, the tests are skipped and the run says so once (`setup`,
// vitest.config.ts); .ci/run installs them. Invariant: nothing that it began is left after `stop`.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { hostname, tmpdir, userInfo } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const programs = ['sbatch', 'squeue', 'scancel', 'scontrol', 'sinfo', 'slurmctld', 'slurmd', 'munged'];
const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
/** Megabytes of the node. */
const memoryMegabytes = 4000;

function placeOf(program: string): string | undefined {
  return folders.map((folder) => join(folder, program)).find((path) => existsSync(path));
}

/** Whether the tests can run. */
export function hasSlurm(): boolean {
  return programs.every((program) => placeOf(program) !== undefined);
}

/** Called by vitest once per run, before any test. */
export function setup(): void {
  if (!hasSlurm())
    process.stdout.write(
      'not installed: Slurm and munge; tests of campaigns on Slurm are skipped (Debian: slurm-wlm munge)\n',
    );
}

/** A cluster of this machine alone. */
export class SlurmCluster {
  private readonly running = new Map<'munged' | 'slurmctld' | 'slurmd', ChildProcess>();

  private constructor(
    private readonly folder: string,
    /** of commands that are to find it */
    readonly environment: NodeJS.ProcessEnv,
  ) {}

  /** Begins one, and waits until its node is idle. */
  static async start(): Promise<SlurmCluster> {
    // munge takes no folder that others may write to
    const folder = mkdtempSync(join(tmpdir(), 'weft-slurm-'));
    const [controllerPort, nodePort] = [await freePort(), await freePort()];
    for (const name of ['state', 'spool', 'munge']) mkdirSync(join(folder, name));
    chmodSync(folder, 0o755);
    chmodSync(join(folder, 'munge'), 0o700);
    writeFileSync(join(folder, 'munge/key'), randomBytes(64), { mode: 0o400 });
    writeFileSync(join(folder, 'slurm.conf'), configuration(folder, controllerPort, nodePort));
    const cluster = new SlurmCluster(folder, { ...process.env, SLURM_CONF: join(folder, 'slurm.conf') });
    try {
      cluster.begin('munged');
      await cluster.waitFor(() => existsSync(join(folder, 'munge/socket')));
      cluster.begin('slurmctld');
      cluster.begin('slurmd');
      await cluster.waitFor(() => cluster.ask('sinfo', '--noheader', '--format=%T').trim() === 'idle');
      return cluster;
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  /** Begins one of its services. */
  begin(service: 'munged' | 'slurmctld' | 'slurmd'): void {
    const munge = (name: string): string => join(this.folder, 'munge', name);
    const words =
      service === 'munged'
        ? [
            '--foreground',
            '--force',
            `--socket=${munge('socket')}`,
            `--key-file=${munge('key')}`,
            `--pid-file=${munge('pid')}`,
            `--seed-file=${munge('seed')}`,
          ]
        : ['-D'];
    this.running.set(service, spawn(placeOf(service)!, words, { env: this.environment, stdio: 'ignore' }));
  }

  /** Ends one of its services. */
  async end(service: 'munged' | 'slurmctld' | 'slurmd', signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const child = this.running.get(service);
    this.running.delete(service);
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    const timer = setTimeout(() => child.kill('SIGKILL'), 10_000);
    await ended;
    clearTimeout(timer);
  }

  /** What one of Slurm's commands prints; empty if it fails. */
  ask(program: string, ...words: string[]): string {
    try {
      const options = { env: this.environment, encoding: 'utf8' as const, timeout: 30_000 };
      return execFileSync(placeOf(program)!, words, { ...options, stdio: ['ignore', 'pipe', 'ignore'] });
    } catch {
      return '';
    }
  }

  /** States of all tasks that have not ended. */
  live(): readonly string[] {
    return this.ask('squeue', '--noheader', '--array', '--format=%T').split('\n').filter(Boolean);
  }

  /** Waits. @throws after a minute, with what the controller has logged */
  async waitFor(isSo: () => boolean): Promise<void> {
    for (const endMs = Date.now() + 60_000; !isSo(); await sleep(100))
      if (Date.now() > endMs) throw new Error(`Slurm did not come so far in a minute:\n${this.logs()}`);
  }

  /** Ends its jobs and its services, and removes its folder. */
  async stop(): Promise<void> {
    if (this.running.has('slurmctld')) {
      this.ask('scancel', `--user=${userInfo().username}`);
      for (let i = 0; i < 100 && this.live().length > 0; i++) await sleep(100);
    }
    for (const service of ['slurmd', 'slurmctld', 'munged'] as const) await this.end(service);
    // a step outlives its node's service
    for (const pid of this.steps()) process.kill(pid, 'SIGKILL');
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  /** Processes of Slurm's that hold the cluster's folder in their environment or words. */
  steps(): readonly number[] {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
      .map(Number)
      .filter((pid) => {
        try {
          return (
            readFileSync(`/proc/${pid}/comm`, 'utf8').startsWith('slurm') &&
            readFileSync(`/proc/${pid}/environ`, 'utf8').includes(this.folder)
          );
        } catch {
          return false;
        }
      });
  }

  private logs(): string {
    return ['slurmctld.log', 'slurmd.log']
      .map((name) => {
        const path = join(this.folder, name);
        return existsSync(path) ? readFileSync(path, 'utf8').slice(-2000) : `${name}: none`;
      })
      .join('\n');
  }
}

function configuration(folder: string, controllerPort: number, nodePort: number): string {
  const name = hostname().split('.')[0]!;
  const { username } = userInfo();
  const at = (file: string): string => join(folder, file);
  return `${[
    'ClusterName=weft',
    `SlurmctldHost=${name}(127.0.0.1)`,
    `SlurmctldPort=${controllerPort}`,
    `SlurmdPort=${nodePort}`,
    'AuthType=auth/munge',
    'CredType=cred/munge',
    `AuthInfo=socket=${at('munge/socket')}`,
    `SlurmUser=${username}`,
    `SlurmdUser=${username}`,
    `StateSaveLocation=${at('state')}`,
    `SlurmdSpoolDir=${at('spool')}`,
    `SlurmctldPidFile=${at('slurmctld.pid')}`,
    `SlurmdPidFile=${at('slurmd.pid')}`,
    `SlurmctldLogFile=${at('slurmctld.log')}`,
    `SlurmdLogFile=${at('slurmd.log')}`,
    // a container has neither control groups of its own nor MPI
    'ProctrackType=proctrack/linuxproc',
    'TaskPlugin=task/none',
    'SwitchType=switch/none',
    'MpiDefault=none',
    'ReturnToService=2',
    'SelectType=select/cons_tres',
    'SelectTypeParameters=CR_Core_Memory',
    // without control groups, memory is watched by the second
    'JobAcctGatherType=jobacct_gather/linux',
    'JobAcctGatherFrequency=task=1',
    'JobAcctGatherParams=OverMemoryKill',
    'SchedulerParameters=sched_interval=2',
    'SlurmdTimeout=10',
    'KillWait=2',
    `NodeName=${name} NodeAddr=127.0.0.1 CPUs=2 RealMemory=${memoryMegabytes} State=UNKNOWN`,
    `PartitionName=main Nodes=${name} Default=YES MaxTime=INFINITE State=UP`,
  ].join('\n')}\n`;
}

/** A port that nobody listens at. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => {
        resolve(typeof address === 'object' && address !== null ? address.port : 0);
      });
    });
  });
}
