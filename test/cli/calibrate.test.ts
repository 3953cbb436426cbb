// `weft calibrate`: a table made under a profile is found again on sizes that were held out; forms of its options; what is
// written; what is refused.

import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isHeldOut, rowErrors } from '../../src/app/calibrate/calibration-cases.js';
import { fitPaces, knotSizes } from '../../src/app/calibrate/fit-paces.js';
import { profileFromText } from '../../src/library/profile-from-text.js';
import { measuredUnder } from '../support/nccl-table.js';
import { weft, type Result } from '../support/calibrate-command.js';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-calibrate-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function stderrOf(...words: string[]): Promise<string> {
  const { code, stderr, stdout } = await weft('calibrate', ...words);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  return stderr;
}

describe('weft calibrate', () => {
  it('refuses a file of more rows than it can weigh', async () => {
    const log = join(folder, 'many.log');
    await writeFile(log, '1024 256 float sum -1 31.36 0.03 0.06 0\n'.repeat(5001));
    const out = join(folder, 'many.yaml');
    const words = ['--fabric', 'spectrum-x', '--gpus', '8', '--kind', 'allreduce', '--measured', log, '--out', out];
    expect(await stderrOf(...words)).toMatch(
      /many\.log: error: more rows than a calibration takes[^]*5001 rows[^]*5000/,
    );
    expect(existsSync(out)).toBe(false);
  });

  it('reads tables of perftest: the share of the network, and the latency of a transfer', async () => {
    const log = join(folder, 'ib.log');
    await writeFile(
      log,
      `                    RDMA_Write BW Test
 #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]
 65536      5000             340.0              340.0              0.6
 1048576    5000             340.0              340.0              0.04
 4194304    5000             340.0              340.0              0.01
---------------------------------------------------------------------------------------
                    RDMA_Write Latency Test
 #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]
 2       1000          7.9           9.1         8.0     	       8.0        	0.06
 64      1000          7.9           9.1         8.0     	       8.0        	0.06
`,
    );
    const out = join(folder, 'ib.yaml');
    const { code, stdout } = await weft(
      'calibrate',
      '--fabric',
      'spectrum-x',
      '--gpus',
      '16',
      '--measured',
      log,
      '--out',
      out,
      '--json',
    );
    expect(code).toBe(0);
    const result = JSON.parse(stdout) as Result;
    const after = (name: string): number => result.parameters.find((one) => one.name === name)!.after;
    // 340 of 400 Gb/s of payload, of which headers take some
    expect(after('bandwidth.network')).toBeGreaterThan(0.84);
    expect(after('bandwidth.network')).toBeLessThan(0.91);
    expect(after('latency.transfer')).toBeGreaterThan(1);
    expect(profileFromText(readFileSync(out, 'utf8')).figures.shares?.network?.simple).toBe(after('bandwidth.network'));
    expect(result.heldOut.rows).toBe(2);
    expect(result.heldOut.median).toBeLessThan(0.05);
  });

  it('refuses what it cannot do, and writes nothing', async () => {
    const log = join(folder, 'nccl.log');
    const out = join(folder, 'ours.yaml');
    await writeFile(log, await measuredUnder('base: nccl\n', 8, '# 32 ranks on 4 servers'));
    const fabric = ['--fabric', 'spectrum-x', '--gpus', '16'];
    expect(await stderrOf(...fabric, '--measured', log, '--out', out)).toMatch(
      /nccl\.log:3:1: error: the fabric has no such GPUs as the table is of\n  found:  32 ranks on 4 servers/,
    );
    expect(await stderrOf(...fabric, '--measured', log)).toContain('--out: error: where does the profile go?');
    expect(await stderrOf(...fabric, '--out', out)).toContain('--measured: error: which measurements?');
    expect(await stderrOf(...fabric, '--measured', log, '--out', 'p.json')).toContain('profiles are YAML');
    expect(await stderrOf(...fabric, '--measured', log, '--out', out, '--hold-out', '1')).toContain(
      'a number from 0 to 0.9',
    );
    expect(await stderrOf(...fabric, '--measured', join(folder, 'gone'), '--out', out)).toContain('no such file');
    expect(await stderrOf(...fabric, '--measured', '/dev/zero', '--out', out)).toContain('is not a regular file');
    await writeFile(log, '1024 256 float sum -1 20.0 0.05 0.09 0\n');
    expect(await stderrOf(...fabric, '--measured', log, '--out', out)).toContain('--kind allreduce');
    expect(existsSync(out)).toBe(false);
    await writeFile(out, 'mine\n');
    expect(await stderrOf(...fabric, '--measured', log, '--kind', 'allreduce', '--out', out)).toContain('--force');
    expect(readFileSync(out, 'utf8')).toBe('mine\n');
  });

  it('warns of a table without a name whose bandwidths are of another collective', async () => {
    const [log, out] = [join(folder, 'a.log'), join(folder, 'ours.yaml')];
    // over 8 ranks busbw is 14/8 of algbw in an allreduce, 7/8 in an allgather
    await writeFile(log, '67108864 16777216 float sum -1 300 223.70 391.47 0\n');
    const words = ['calibrate', '--fabric', 'spectrum-x', '--gpus', '8', '--measured', log, '--hold-out', '0'];
    const other = await weft(...words, '--kind', 'allgather', '--out', out);
    expect(other.stderr).toMatch(/a\.log:1:1: warning: .*is it of allgather[^]*1\.750 times[^]*0\.875 times/);
    expect((await weft(...words, '--kind', 'allreduce', '--out', out, '--force')).stderr).toBe('');
  });

  it('takes several files, a table without a head, and holds nothing out if asked to', async () => {
    const [a, b, out] = [join(folder, 'a.log'), join(folder, 'b.log'), join(folder, 'ours.yaml')];
    await writeFile(a, '1024 256 float sum -1 25.0 0.04 0.07 0\n');
    await writeFile(b, '4096 1024 float sum -1 30.0 0.14 0.24 0\n');
    const { code, stdout } = await weft(
      'calibrate',
      '--fabric',
      'spectrum-x',
      '--measured',
      a,
      b,
      '--gpus',
      '8',
      '--kind',
      'allreduce',
      '--hold-out',
      '0',
      '--out',
      out,
    );
    expect(code).toBe(0);
    expect(stdout).toContain('held-out rows : none');
    expect(stdout.split('\n').filter((line) => line.length > 80 && !line.includes(out))).toEqual([]);
    expect(stdout).toMatch(/allreduce +8 +4096 +30\.00/);
    expect(profileFromText(readFileSync(out, 'utf8')).heldOut).toBeNull();
  });
});

/** A record of the Inspector: one allreduce, on one rank of eight. */
const record = (serial: number, bytes: number, us: number): string =>
  JSON.stringify({
    header: { id: '0x1', rank: 0, n_ranks: 8, nnodes: 1 },
    coll_perf: { coll: 'AllReduce', coll_sn: serial, coll_msg_size_bytes: bytes, coll_exec_time_us: us },
  });

describe('weft calibrate of NCCL Inspector', () => {
  it('takes ranks and servers from the records', async () => {
    const [log, out] = [join(folder, 'inspector.json'), join(folder, 'ours.yaml')];
    await writeFile(log, [record(1, 1024, 25), record(2, 2048, 26), record(3, 4096, 27)].join('\n'));
    const { code, stdout } = await weft(
      'calibrate',
      '--fabric',
      'spectrum-x',
      '--gpus',
      '16',
      '--measured',
      log,
      '--out',
      out,
      '--json',
    );
    expect(code).toBe(0);
    const { rows, fitted, heldOut } = JSON.parse(stdout) as Result;
    expect(rows.map(({ ranks, measuredUs }) => [ranks, measuredUs])).toEqual([
      [8, 25],
      [8, 26],
      [8, 27],
    ]);
    expect(fitted.rows).toBe(2);
    expect(heldOut.rows).toBe(1);
    expect(heldOut.median).toBeLessThan(0.05);
  });
});

describe('what is held out', () => {
  it('is every second size by default, and the share that is asked for', () => {
    expect(Array.from({ length: 6 }, (_, i) => isHeldOut(i, 0.5))).toEqual([false, true, false, true, false, true]);
    expect(Array.from({ length: 10 }, (_, i) => isHeldOut(i, 0.2)).filter(Boolean)).toHaveLength(2);
    expect(Array.from({ length: 10 }, (_, i) => isHeldOut(i, 0)).some(Boolean)).toBe(false);
  });

  it('has median, nine of ten and worst of absolute errors', () => {
    expect(rowErrors([-0.3, 0.1, 0.2, -0.1])).toEqual({
      rows: 4,
      median: expect.closeTo(0.15, 12),
      p90: 0.3,
      worst: 0.3,
    });
    expect(rowErrors([])).toBeNull();
  });
});

describe('paces', () => {
  const size = { kind: 'allreduce', servers: 'one', algorithm: 'ring', protocol: 'll' } as const;

  it('stand for each choice apart; one that is chosen beyond the knots alone has that of the nearest', () => {
    const needed = [
      { ...size, sizeBytes: 1024, factor: 2 },
      { ...size, sizeBytes: 4096, factor: 2 },
      { ...size, sizeBytes: 4096, factor: 8 },
      { ...size, protocol: 'simple', sizeBytes: 65_536, factor: 1.5 },
    ] as const;
    const beyond = [
      { ...size, algorithm: 'tree', sizeBytes: 1_048_576 },
      { ...size, sizeBytes: 2048 },
    ] as const;
    expect(fitPaces(needed, beyond)).toEqual([
      { ...size, sizeBytes: [1024, 4096], factors: [2, 4] },
      { ...size, protocol: 'simple', sizeBytes: [65_536], factors: [1.5] },
      { ...size, algorithm: 'tree', sizeBytes: [65_536], factors: [1.5] },
    ]);
  });

  it('have knots at powers of two between the sizes, and at the ends', () => {
    expect(knotSizes([1000, 4096, 20_000], new Set([4096]))).toEqual([1000, 1024, 2048, 8192, 16_384, 20_000]);
    expect(knotSizes([8192], new Set([8192]))).toEqual([]);
    // a file of as many rows: more than a call has arguments
    const many = Array.from({ length: 300_000 }, (_, i) => 1024 * (1 + (i % 2)));
    expect(knotSizes(many, new Set())).toEqual([1024, 2048]);
  });
});
