// Sweeps on a queue: the rows of --on bullmq are those of this machine to the byte, whatever fails meanwhile. A real
// Redis, workers and commands as processes. WEFT_DRAWS says how often each fault comes, at moments of the seed;
// without it a third of them come once.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { RandomStream } from '../../src/base/random.js';
import { childrenOf, hasProc } from '../support/child-processes.js';
import { csvRows } from '../support/csv-rows.js';
import { hasRedis, LiveRedis } from '../support/live-redis.js';
import { drawsAll, isDrawn } from '../support/drawn.js';
import { networkCable } from '../support/network-cable.js';
import { seed } from '../support/seed.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const program = join(root, 'dist/cli/main.js');
const draws = Number(process.env['WEFT_DRAWS'] ?? 1);
/** As often as each fault comes. */
const drawn = Array.from({ length: draws }, (_, draw) => draw);
const random = new RandomStream(seed, 'faults of a queue');
/** A whole number below another. */
const below = (most: number): number => Math.floor(random.nextFraction() * most);
const words = ['sweep', 'incast/incast.yaml', '--set', 'switch.buffer=512KiB,1MiB,2MiB', '--seeds', '1..8'];
const runs = 24;
/** Milliseconds of a test: of many draws, on a machine that has more to do, all the time that it takes. */
const patienceMs = drawsAll ? 1_800_000 : 180_000;

let folder = '';
let expected = '';
let redis: LiveRedis;
const children = new Set<ChildProcess>();

/** A process of the program. */
function weft(
  given: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  before: readonly string[] = [],
) {
  const [first, ...others] = [...before, process.execPath, program, ...given];
  const child = spawn(first!, others, {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
  });
  children.add(child);
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece: Buffer) => (said += piece.toString()));
  const ended = once(child, 'close').then(() => ({ code: child.exitCode, said }));
  return { child, ended, said: () => said };
}

const worker = (url = redis.url, ...more: string[]) => weft(['worker', '--redis', url, '--jobs', '1', ...more]);
const sweep = (out: string, ...more: string[]) =>
  weft([...words, '--out', out, '--on', 'bullmq', '--redis', redis.url, ...more]);
/** Of a run that has no end. */
const swept = (out: string, ...more: string[]) =>
  weft(['sweep', 'endless.yaml', '--out', out, '--on', 'bullmq', '--redis', redis.url, ...more]);
const rows = (out: string): string => readFileSync(join(folder, out, 'runs.csv'), 'utf8');

/** Waits until some runs are in a journal. */
async function untilRuns(out: string, count: number): Promise<void> {
  const path = join(folder, out, 'journal.jsonl');
  for (const endMs = Date.now() + patienceMs / 2; Date.now() < endMs; await pause(20))
    if (existsSync(path) && readFileSync(path, 'utf8').split('\n').length > count) return;
  throw new Error(`${count} runs did not end in ${patienceMs / 2000} s`);
}

/** Runs of a journal: each once. */
function expectOnce(out: string): void {
  const lines = readFileSync(join(folder, out, 'journal.jsonl'), 'utf8')
    .split('\n')
    .slice(0, -1);
  const told = lines.map((line) => (JSON.parse(line) as { run: number }).run);
  expect([...new Set(told)].sort((a, b) => a - b)).toEqual(Array.from({ length: runs }, (_, run) => run));
  expect(told).toHaveLength(runs);
}

/** CPU time of a process; 0 if it is gone. */
function cpuSeconds(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ');
    // in hundredths: utime and stime
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return 0;
  }
}

describe.skipIf(!hasRedis)('a sweep on a queue', { timeout: patienceMs }, () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'weft-bullmq-'));
    await cp(join(root, 'examples/incast'), join(folder, 'incast'), { recursive: true });
    // at all addresses: of a network that is cut it is not at home
    redis = await LiveRedis.start(true, ['--bind', '0.0.0.0', '--protected-mode', 'no']);
    await weft([...words, '--out', 'local', '--quiet']).ended;
    expected = rows('local');
    expect(csvRows(expected)).toHaveLength(runs);
  });
  afterEach(async () => {
    for (const child of children) {
      child.kill('SIGCONT');
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    }
    children.clear();
  });
  afterAll(async () => {
    await redis?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('has the rows of this machine, and says of each run where and when it ran', async () => {
    for (let i = 0; i < 2; i++) worker();
    const { code, said } = await sweep('two').ended;
    expect({ code, said: said.includes('24 of 24 runs ended') }).toEqual({ code: 0, said: true });
    expect(rows('two')).toBe(expected);
    for (const name of ['runs.parquet', 'sweep.json'])
      expect(readFileSync(join(folder, 'two', name)).equals(readFileSync(join(folder, 'local', name)))).toBe(true);
    for (const row of csvRows(readFileSync(join(folder, 'two/timings.csv'), 'utf8'))) {
      expect(Number(row['wallSeconds'])).toBeGreaterThan(0);
      expect([row['host'], row['weftVersion']].every((text) => text !== '')).toBe(true);
      expect(Math.abs(Date.parse(row['startedAt']!) - Date.now())).toBeLessThan(600_000);
    }
    expectOnce('two');
  });

  /** What happens while a sweep goes on; the sweep ends by itself unless told otherwise. */
  const faults: Record<string, (out: string) => Promise<void>> = {
    'a worker that is killed': async (out) => {
      const first = worker();
      const { ended } = sweep(out);
      await untilRuns(out, below(10));
      first.child.kill('SIGKILL');
      worker();
      expect((await ended).code).toBe(0);
    },
    'a worker that is stopped for longer than it may be, and does its jobs twice': async (out) => {
      const first = worker();
      const { ended } = sweep(out);
      await untilRuns(out, 1 + below(10));
      first.child.kill('SIGSTOP');
      worker();
      await pause(16_000);
      first.child.kill('SIGCONT');
      expect((await ended).code).toBe(0);
    },
    'a Redis that ends and comes back with what it had': async (out) => {
      worker();
      const { ended } = sweep(out);
      await untilRuns(out, 1 + below(10));
      await redis.kill();
      await pause(below(2000));
      await redis.begin();
      expect((await ended).code).toBe(0);
    },
    'a network that is cut': async (out) => {
      const cable = await networkCable(redis.port, 0);
      try {
        weft(['worker', '--redis', cable.url, '--jobs', '1'], {}, cable.before);
        const { ended } = sweep(out);
        await untilRuns(out, 1 + below(10));
        cable.cut();
        await pause(below(12_000));
        cable.mend();
        expect((await ended).code).toBe(0);
      } finally {
        cable.close();
      }
    },
    'a command that is killed, and given again': async (out) => {
      worker();
      const { child, ended } = sweep(out);
      await untilRuns(out, 1 + below(10));
      child.kill('SIGKILL');
      await ended;
      await pause(below(2000));
      expect((await sweep(out).ended).code).toBe(0);
    },
    'a command that is stopped with Ctrl-C, and given again': async (out) => {
      worker();
      const { child, ended } = sweep(out);
      await untilRuns(out, 1 + below(10));
      child.kill('SIGINT');
      expect((await ended).code).toBe(130);
      expect((await sweep(out).ended).code).toBe(0);
    },
  };

  describe.each(Object.entries(faults))('with %s', (name, during) => {
    // a third of them by default, which the seed says; WEFT_DRAWS=1 draws all once
    it.skipIf(!isDrawn(Object.keys(faults).indexOf(name), 3)).each(drawn)(
      `loses no run (seed ${seed}, draw %i)`,
      async (draw) => {
        const out = `${name.replaceAll(/\W+/g, '-')}-${draw}`;
        await during(out);
        expect(rows(out)).toBe(expected);
        expectOnce(out);
      },
    );
  });

  it.skipIf(!isDrawn(0, 2)).each(drawn)(`goes on when Redis comes back empty (seed ${seed}, draw %i)`, async (draw) => {
    const own = await LiveRedis.start(false);
    try {
      worker(own.url);
      const { ended } = weft([...words, '--out', `empty-${draw}`, '--on', 'bullmq', '--redis', own.url]);
      await untilRuns(`empty-${draw}`, 1 + below(10));
      await own.kill();
      await pause(below(2000));
      await own.begin();
      const { code, said } = await ended;
      expect({ code, isTold: said.includes('the connection to Redis was lost') }).toEqual({ code: 0, isTold: true });
      expect(rows(`empty-${draw}`)).toBe(expected);
      expectOnce(`empty-${draw}`);
    } finally {
      await own.stop();
    }
  });

  it.skipIf(!isDrawn(1, 2)).each(drawn)(
    'ends a run that takes too long, keeps why, and does not give it to another (draw %i)',
    async (draw) => {
      await writeFile(join(folder, 'endless.yaml'), endless);
      worker();
      const { code } = await swept(`endless-${draw}`, '--seeds', '1..2', '--longest-run', '3s').ended;
      expect(code).toBe(1);
      const lost = csvRows(rows(`endless-${draw}`));
      expect(lost.map((row) => row['outcome'])).toEqual(['lost', 'lost']);
      expect(lost[0]!['error']).toBe('its process was ended after 3 s, the longest that a run may take');
    },
  );

  it.skipIf(!hasProc || !isDrawn(0, 2)).each(drawn)(
    'keeps why a run is lost whose process the system kills, after three tries (draw %i)',
    async (draw) => {
      await writeFile(join(folder, 'endless.yaml'), endless);
      const { child } = worker();
      const { ended } = swept(`memory-${draw}`, '--seeds', '1');
      // as a kernel does that is out of memory: each process once it is at the run
      const over = ended.then(() => true);
      while (!(await Promise.race([over, pause(100, false)])))
        for (const busy of childrenOf(child.pid!)) if (cpuSeconds(busy) > 3) process.kill(busy, 'SIGKILL');
      expect((await ended).code).toBe(1);
      const [row] = csvRows(rows(`memory-${draw}`));
      expect([row!['outcome'], row!['error']!.split(';', 1)[0]]).toEqual([
        'lost',
        'its process ended with signal SIGKILL, 3 times',
      ]);
    },
  );

  it.skipIf(!drawsAll).each(drawn)(
    'gives no run to a worker of another version, and both say so (draw %i)',
    async (draw) => {
      const other = join(folder, `other-${draw}`);
      await mkdir(other);
      await cp(join(root, 'dist'), join(other, 'dist'), { recursive: true });
      const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as object;
      await writeFile(join(other, 'package.json'), JSON.stringify({ ...manifest, version: '99.0.0' }));
      spawnSync('ln', ['-s', join(root, 'node_modules'), join(other, 'node_modules')]);
      const old = spawn(process.execPath, [
        join(other, 'dist/cli/main.js'),
        'worker',
        '--redis',
        redis.url,
        '--jobs',
        '1',
      ]);
      children.add(old);
      let said = '';
      old.stderr.on('data', (piece: Buffer) => (said += piece.toString()));
      const { ended, said: told } = sweep(`versions-${draw}`);
      for (let i = 0; i < 1000 && !(said.includes('refused') && told().includes('99.0.0')); i++) await pause(20);
      expect(said).toMatch(/is refused: it is of weft \S+, and this is weft 99\.0\.0/);
      expect(told()).toMatch(/gets no runs: it is weft 99\.0\.0/);
      worker();
      expect((await ended).code).toBe(0);
      expect(rows(`versions-${draw}`)).toBe(expected);
    },
  );

  it.skipIf(!isDrawn(1, 2)).each(drawn)(
    'leaves its jobs to others where the disk of a worker is full (draw %i)',
    async (draw) => {
      const disk = join(folder, 'disk');
      await mkdir(disk, { recursive: true });
      if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4k', 'tmpfs', disk]).status !== 0) {
        process.stderr.write('no file system can be mounted here: a worker on a full disk is not tested\n');
        return;
      }
      try {
        const full = worker(redis.url, '--store', disk);
        const { ended } = sweep(`full-${draw}`);
        const { code, said } = await full.ended;
        expect({ code, why: /ENOSPC|no space|full/i.test(said) }).toEqual({ code: 1, why: true });
        worker();
        expect((await ended).code).toBe(0);
        expect(rows(`full-${draw}`)).toBe(expected);
      } finally {
        spawnSync('umount', [disk]);
      }
    },
  );

  it.skipIf(!isDrawn(0, 2))('says no password, wherever it fails', async () => {
    const secret = 'kP9-geheim';
    const closed = `redis://someone:${secret}@127.0.0.1:1`;
    for (const given of [['worker'], [...words, '--out', 'secret', '--on', 'bullmq']]) {
      const { code, said } = await weft([...given, '--redis', closed]).ended;
      expect({ code, isSaid: said.includes(secret), isTold: said.includes('127.0.0.1:1') }).toEqual({
        code: 2,
        isSaid: false,
        isTold: true,
      });
    }
    const guarded = await LiveRedis.start(true, ['--requirepass', secret]);
    try {
      const environment = { WEFT_REDIS_URL: guarded.url, WEFT_REDIS_PASSWORD: secret };
      const refused = await weft(['worker'], { WEFT_REDIS_URL: guarded.url, WEFT_REDIS_PASSWORD: `${secret}x` }).ended;
      expect([refused.code, refused.said.includes(secret)]).toEqual([2, false]);
      const { said } = weft(['worker', '--jobs', '1'], environment);
      const swept = await weft([...words, '--out', 'guarded', '--on', 'bullmq'], environment).ended;
      expect([swept.code, `${swept.said}${said()}`.includes(secret)]).toEqual([0, false]);
      expect(rows('guarded')).toBe(expected);
      expect(spawnSync('grep', ['-r', secret, join(folder, 'guarded')]).status).toBe(1);
    } finally {
      await guarded.stop();
    }
  });

  it.skipIf(!isDrawn(1, 3))(
    'speaks TLS with a Redis whose certificate it is told to trust, and says no password',
    async () => {
      const secret = 'kP9-geheim';
      const { server, certificate } = await LiveRedis.startEncrypted(['--requirepass', secret]);
      try {
        const own = { WEFT_REDIS_URL: server.url, WEFT_REDIS_PASSWORD: secret, NODE_EXTRA_CA_CERTS: '' };
        const refused = await weft(['worker'], own).ended;
        expect([refused.code, refused.said.includes('NODE_EXTRA_CA_CERTS'), refused.said.includes(secret)]).toEqual([
          2,
          true,
          false,
        ]);
        const trusted = { ...own, NODE_EXTRA_CA_CERTS: certificate };
        const { said } = weft(['worker', '--jobs', '1'], trusted);
        const swept = await weft([...words, '--out', 'encrypted', '--on', 'bullmq'], trusted).ended;
        expect([swept.code, `${swept.said}${said()}`.includes(secret)]).toEqual([0, false]);
        expect(rows('encrypted')).toBe(expected);
        expect(spawnSync('grep', ['-r', secret, join(folder, 'encrypted')]).status).toBe(1);
      } finally {
        await server.stop();
      }
    },
  );

  it.skipIf(!isDrawn(2, 3))('adds seeds until a figure is known, and ends with the rows of this machine', async () => {
    const until = ['sweep', 'incast/incast.yaml', '--set', 'switch.buffer=512KiB,1MiB', '--until', 'p99 +- 10 %'];
    expect((await weft([...until, '--out', 'until-local']).ended).code).toBe(0);
    worker();
    const { child, ended } = weft([...until, '--out', 'until', '--on', 'bullmq', '--redis', redis.url]);
    // in the second round
    await untilRuns('until', 18);
    child.kill('SIGKILL');
    await ended;
    expect((await weft([...until, '--out', 'until', '--on', 'bullmq', '--redis', redis.url]).ended).code).toBe(0);
    for (const name of ['runs.csv', 'sweep.json'])
      expect(readFileSync(join(folder, 'until', name), 'utf8')).toBe(
        readFileSync(join(folder, 'until-local', name), 'utf8'),
      );
  });
});

const endless = `fabric: { generate: fat-tree, k: 4, hostRate: 100Gbps, aggregationRate: 100Gbps, coreRate: 100Gbps }
traffic: { transfers: [{ source: 0, destination: 9, size: 200GiB }] }
`;
