// A subnet manager without hardware: ibsim serves a fabric, Debian's opensm routes it, infiniband-diags look at it. All
// in user space. Where opensm, ibsim-utils or infiniband-diags are missing, the tests are skipped and the run says so
// once (`setup`, vitest.config.ts); .ci/run installs them. Invariant: every simulator has a socket name of its own, and
// ends with `stop`.

import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, delimiter, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const programs = [
  'ibsim',
  'opensm',
  'ibnetdiscover',
  'ibroute',
  'ibtracert',
  'perfquery',
  'ibqueryerrors',
  'smpquery',
  'dump_fts',
];
const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'].filter(
  (folder) => folder !== '',
);
/** how long one program may take */
const patienceMs = 600_000;

/** What is not installed; empty if the tests can run. */
export function missingPrograms(): string[] {
  const missing = programs.filter((program) => !folders.some((folder) => existsSync(join(folder, program))));
  return interposer() === null ? [...missing, 'libumad2sim.so'] : missing;
}

/** Called by vitest once per run, before any test. */
export function setup(): void {
  const missing = missingPrograms();
  if (missing.length > 0)
    process.stdout.write(
      `not installed: ${missing.join(', ')}; tests against a live OpenSM are skipped (Debian: opensm ibsim-utils infiniband-diags)\n`,
    );
}

/** The library that leads the tools to ibsim. */
function interposer(): string | null {
  for (const root of ['/usr/lib', '/usr/local/lib', '/usr/lib64']) {
    if (!existsSync(root)) continue;
    for (const place of [
      root,
      ...readdirSync(root)
        .filter((name) => name.endsWith('-linux-gnu'))
        .map((name) => join(root, name)),
    ]) {
      const path = join(place, 'umad2sim', 'libumad2sim.so');
      if (existsSync(path)) return path;
    }
  }
  return null;
}

/** What one run of OpenSM left behind. */
export interface Sweep {
  /** its log */
  readonly log: string;
  /** the engine that its tables come from, as the log names it: `ftree`, `minhop`, `file`; null if there is none */
  readonly engine: string | null;
  /** a file of the dump folder: `opensm-lfts.dump` */
  dump(name: string): string;
}

/** A simulated fabric with its tools. */
export class LiveFabric {
  private readonly running: ChildProcess[] = [];

  private constructor(
    /** for files of the test; removed by `stop` */
    readonly folder: string,
    private readonly simulator: ChildProcess,
    private readonly environment: NodeJS.ProcessEnv,
  ) {}

  /**
   * Serves a net file.
   * @param at name of a host in the file (`H-0002c90000100000`): where OpenSM and the tools run
   */
  static async start(netFile: string, at: string): Promise<LiveFabric> {
    const folder = mkdtempSync(join(tmpdir(), 'weft-opensm-'));
    for (const name of ['cache', 'dump']) mkdirSync(join(folder, name));
    writeFileSync(join(folder, 'served.net'), netFile);
    const environment = {
      ...process.env,
      PATH: folders.join(delimiter),
      IBSIM_SOCKNAME: basename(folder),
      SIM_HOST: at,
      OSM_CACHE_DIR: join(folder, 'cache'),
      OSM_TMP_DIR: join(folder, 'dump'),
    };
    // the time limit ends it should this process die
    const simulator = spawn(
      'timeout',
      ['600', 'ibsim', '-s', '-N', '4000', '-S', '300', '-P', '20000', join(folder, 'served.net')],
      { env: environment, stdio: ['pipe', 'pipe', 'pipe'] },
    );
    const live = new LiveFabric(folder, simulator, environment);
    let said = '';
    let ended = false;
    for (const stream of [simulator.stdout, simulator.stderr])
      stream.on('data', (piece: Buffer) => {
        said += piece.toString();
      });
    simulator.on('exit', () => {
      ended = true;
    });
    for (let waitedMs = 0; !said.includes('Network simulator ready'); waitedMs += 20) {
      if (ended || waitedMs > patienceMs) {
        live.stop();
        throw new Error(`ibsim did not start: ${said}`);
      }
      await pause(20);
    }
    // "ready" is printed before the socket listens
    for (
      let tries = 0;
      spawnSync('smpquery', ['-D', 'nodeinfo', '0'], { env: live.toolEnvironment, timeout: patienceMs }).status !== 0;
      tries++
    ) {
      if (tries > 50) throw new Error('ibsim does not answer');
      await pause(50);
    }
    return live;
  }

  private get toolEnvironment(): NodeJS.ProcessEnv {
    return { ...this.environment, LD_PRELOAD: interposer()! };
  }

  /** Runs one of the tools. @returns what it printed; `code` is null if it did not end in time */
  tool(
    program: string,
    ...words: string[]
  ): { readonly code: number | null; readonly stdout: string; readonly stderr: string } {
    const { status, stdout, stderr, error } = spawnSync(program, words, {
      env: this.toolEnvironment,
      cwd: this.folder,
      timeout: patienceMs,
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
    });
    if (error !== undefined && status !== null) throw error;
    return { code: status, stdout, stderr };
  }

  /** One sweep of OpenSM (`-o`), with dumps. @param words further options, as `-R`, `ftree` */
  sweep(...words: string[]): Sweep {
    const options = words.includes('-F') ? words : [...words, '-F', '/dev/null'];
    for (const name of readdirSync(join(this.folder, 'dump'))) rmSync(join(this.folder, 'dump', name));
    rmSync(join(this.folder, 'osm.log'), { force: true });
    const { code, stdout, stderr } = this.tool(
      'opensm',
      '-o',
      '-D',
      '0x43',
      '-f',
      join(this.folder, 'osm.log'),
      ...options,
    );
    if (code !== 0) throw new Error(`opensm ended with ${code}: ${stdout}${stderr}`);
    const log = readFileSync(join(this.folder, 'osm.log'), 'utf8');
    return {
      log,
      engine: /(\S+) tables configured on all switches/.exec(log)?.[1] ?? null,
      dump: (name) => readFileSync(join(this.folder, 'dump', name), 'utf8'),
    };
  }

  /**
   * OpenSM that goes on running and routes by the file `loaded.lfts` of the folder, which has to be there.
   * @returns what tells it to read that file again (SIGHUP) and waits for a sweep, which may be one that a trap had
   * begun before
   */
  async startFileEngine(): Promise<() => Promise<void>> {
    const log = join(this.folder, 'running.log');
    const options = `routing_engine file\nlfts_file ${join(this.folder, 'loaded.lfts')}\nforce_log_flush TRUE\n`;
    const manager = spawn('opensm', ['-F', this.file('running.conf', options), '-f', log], {
      env: this.toolEnvironment,
      cwd: this.folder,
      stdio: 'ignore',
    });
    this.running.push(manager);
    const sweeps = (): number => (existsSync(log) ? readFileSync(log, 'utf8').split('SUBNET UP').length - 1 : 0);
    const afterSweep = async (number: number): Promise<void> => {
      for (let waitedMs = 0; sweeps() < number && waitedMs < 5000; waitedMs += 20) await pause(20);
    };
    await afterSweep(1);
    return async () => {
      const next = sweeps() + 1;
      manager.kill('SIGHUP');
      await afterSweep(next);
    };
  }

  /** LIDs of the end ports, as OpenSM keeps them. */
  guid2lid(): string {
    return readFileSync(join(this.folder, 'cache', 'guid2lid'), 'utf8');
  }

  /** Writes a file into the folder. @returns its path */
  file(name: string, text: string): string {
    const path = join(this.folder, name);
    writeFileSync(path, text);
    return path;
  }

  /** Text of a file of the folder. */
  read(name: string): string {
    return readFileSync(join(this.folder, name), 'utf8');
  }

  /** Types a line on ibsim's console, as `PerformanceSet "S-..."[5] PortCounters.SymbolErrorCounter=7`. */
  console(line: string): void {
    this.simulator.stdin!.write(`${line}\n`);
  }

  stop(): void {
    // without a simulator OpenSM would wait for ever
    for (const manager of this.running) manager.kill('SIGKILL');
    this.simulator.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
