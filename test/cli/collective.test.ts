// `weft collective` through the whole program: the table, its sums against closed forms, the explanation, bad input, an
// interrupted run.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { simulate } from '../../src/app/simulate.js';
import { defaultPacketSettings } from '../../src/backends/packet/settings.js';
import { parseSizes } from '../../src/cli/collective/collective-lists.js';
import { parseRanks } from '../../src/cli/options/rank-list.js';
import type { CommandContext } from '../../src/cli/context.js';
import { runProgram } from '../../src/cli/program.js';
import { latencyOf } from '../../src/collectives/protocols.js';
import { writeTopology } from '../../src/formats/simai-topology-text.js';
import { scriptedContext } from '../support/command-context.js';
import { serverFabric } from '../support/placements.js';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-collective-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function weft(line: string, changes: Partial<CommandContext> = {}) {
  const world = scriptedContext({ simulate, ...changes });
  const code = await runProgram(['collective', ...line.split(' ')], world);
  return { code, stdout: world.stdout.text, stderr: world.stderr.text };
}

interface Row {
  readonly sizeBytes: number;
  readonly count: number;
  readonly timeUs: number;
  readonly algbwGBps: number;
  readonly busbwGBps: number;
  readonly redop: string;
  readonly root: number;
  readonly flows: number;
  readonly algorithm: string;
  readonly protocol: string;
  readonly channels: number;
}

async function rowsOf(line: string): Promise<Row[]> {
  const { code, stdout, stderr } = await weft(`${line} --json`);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return (JSON.parse(stdout) as { rows: Row[] }).rows;
}

const { payload, header, gap, acknowledgement } = defaultPacketSettings().packet;
const linkPs = (bytes: number): number => ((bytes + gap) * 8e12) / 100e9;
/**
 * A transfer over two links of 100 Gb/s and 1 us, its last acknowledgement included (docs/models/validation.md, form
 * 1).
 */
const transferPs = (sizeBytes: number): number =>
  (sizeBytes / payload - 1) * linkPs(payload + header) +
  2 * (linkPs(payload + header) + 1e6) +
  2 * (linkPs(acknowledgement) + 1e6);
/** Bytes of a message on a link. */
const wire = (bytes: number): number => bytes + Math.ceil(bytes / payload) * (header + gap);

const quiet = '--backend packet --set congestion.algorithm=none --set queuePair.window=unlimited';

describe('weft collective', () => {
  it('prints the table of nccl-tests in 80 columns', async () => {
    const { code, stdout, stderr } = await weft(
      'allgather --fabric spectrum-x --gpus 16 --sizes 1KiB..1MiB --factor 32',
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const lines = stdout.trimEnd().split('\n');
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80);
    expect(lines[3]).toMatch(/^#\s+size\s+count\s+type\s+redop\s+root\s+time\s+algbw\s+busbw\s+algorithm$/);
    const rows = lines.filter((line) => !line.startsWith('#')).map((line) => line.trim().split(/\s+/));
    // nccl-tests counts the elements that each of 16 ranks contributes to an allgather
    expect(rows.map(([size, count, type, redop, root]) => [size, count, type, redop, root])).toEqual(
      [1024, 32768, 1048576].map((size) => [String(size), String(size / 4 / 16), 'float', 'none', '-1']),
    );
    for (const [size, , , , , time, algbw, busbw] of rows) {
      expect(Number(algbw)).toBeCloseTo(Number(size) / Number(time) / 1000, 1);
      expect(Number(busbw)).toBeCloseTo((Number(algbw) * 15) / 16, 1);
    }
    const mean = rows.reduce((sum, row) => sum + Number(row[7]), 0) / rows.length;
    expect(Number(/Avg bus bandwidth +: (.*)/.exec(stdout)![1])).toBeCloseTo(mean, 1);
  });

  it('takes base latency, hardware latency and a transfer, where one transfer is all', async () => {
    // one chunk of a chain
    const sizeBytes = 16 * payload;
    const [row] = await rowsOf(
      `broadcast --fabric dumbbell --ranks 1,0 --root 1 --sizes ${sizeBytes} --algorithm ring --protocol simple --channels 1 --env NCCL_NET_OVERHEAD=0 ${quiet}`,
    );
    const { basePs, hardwarePs } = latencyOf('ring', 'simple', 'network')!;
    const expectedUs = (basePs + hardwarePs + transferPs(sizeBytes)) / 1e6;
    expect(row!.timeUs).toBeCloseTo(expectedUs, 3);
    expect(row!.algbwGBps).toBeCloseTo(sizeBytes / expectedUs / 1000, 6);
    expect(row).toMatchObject({
      busbwGBps: row!.algbwGBps,
      root: 1,
      redop: 'none',
      flows: 1,
      algorithm: 'ring',
      protocol: 'simple',
      channels: 1,
    });
  });

  it('adds the software time of every transfer, and counts the bus bandwidth of an allreduce', async () => {
    const line = `allreduce --fabric dumbbell --ranks 0-3 --sizes 1MiB --algorithm ring --protocol simple --channels 1 ${quiet}`;
    const [plain] = await rowsOf(line);
    const [late] = await rowsOf(`${line} --send-latency 5us`);
    // six steps, one after the other
    expect(late!.timeUs - plain!.timeUs).toBeCloseTo(30, 6);
    expect(plain!.flows).toBe(24);
    expect(plain!.busbwGBps / plain!.algbwGBps).toBeCloseTo(1.5, 12);
  });

  it('takes as long as streams where nobody waits for anybody', async () => {
    const line = `broadcast --fabric dumbbell --ranks 0,1 --sizes ${64 * payload} --algorithm ring --protocol simple --channels 1`;
    const [packet] = await rowsOf(`${line} ${quiet}`);
    for (const backend of ['fluid', 'analytical']) {
      const [row] = await rowsOf(`${line} --backend ${backend}`);
      expect(row!.timeUs / packet!.timeUs).toBeCloseTo(1, 4);
    }
  });

  it('knows in closed form that flows of one collective share their NICs', async () => {
    // 15 of 16 blocks leave each server's NICs or stay on its NVLink: 8 of 15 cross a NIC of 400 Gb/s
    const sizeBytes = 64 * 2 ** 20;
    const line = `alltoall --fabric spectrum-x --gpus 16 --psw-switches 64 --sizes ${sizeBytes}`;
    const [fluid] = await rowsOf(`${line} --backend fluid`);
    const [analytical] = await rowsOf(`${line} --backend analytical`);
    expect(analytical!.timeUs).toBeGreaterThan((sizeBytes * 8 * 8) / 16 / 400e3);
    expect(analytical!.timeUs / fluid!.timeUs).toBeGreaterThan(0.8);
    expect(analytical!.timeUs / fluid!.timeUs).toBeLessThan(1.02);
    expect(analytical!.flows).toBe(0);
  });

  it('sends to the next rank in a sendrecv, and the whole buffer counts', async () => {
    const [row] = await rowsOf(`sendrecv --fabric dumbbell --ranks 0-2 --sizes 1MiB ${quiet}`);
    expect(row).toMatchObject({ flows: 3, count: 2 ** 18, root: -1 });
    expect(row!.busbwGBps).toBe(row!.algbwGBps);
  });

  it('reads a topology file, and says which rank has no NIC', async () => {
    const file = join(folder, 'f.topo');
    await writeFile(file, writeTopology(serverFabric({ gpus: 4, servers: 2, nics: [0, 2] })));
    const refused = await weft(`alltoall --fabric ${file} --sizes 1MiB`);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(/no path leads from rank \d to rank \d: rank [1357] has no NIC[^]*--pxn/);
    const [row] = await rowsOf(`alltoall --fabric ${file} --sizes 1MiB --pxn`);
    expect(row!.algorithm).toBe('aggregated');
    expect((await weft(`alltoall --fabric ${file} --gpus 8`)).stderr).toContain("unknown option '--gpus'");
  });

  it('keeps the rows that are done when it is stopped', async () => {
    let runs = 0;
    const { code, stdout } = await weft('allreduce --fabric dumbbell --sizes 1KiB..4KiB', {
      simulate: (plan, options) => {
        if (++runs === 2) process.emit('SIGINT', 'SIGINT');
        return simulate(plan, options);
      },
    });
    expect(code).toBe(130);
    expect(stdout.split('\n').filter((line) => /^ +\d/.test(line))).toHaveLength(1);
    expect(stdout).toContain('# stopped after 1 of 3 sizes');
  });
});

describe('weft collective --explain', () => {
  it('tells groups, rings, steps, links and times in 80 columns', async () => {
    const { code, stdout } = await weft(
      'allreduce --fabric spectrum-x --gpus 16 --sizes 16MiB --algorithm ring --channels 8 --protocol simple --explain',
    );
    expect(code).toBe(0);
    expect(Math.max(...stdout.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(80);
    expect(stdout).toMatch(/^ {2}group +2 servers with 8 of its ranks each; NICs of 8 of them/m);
    expect(stdout).toMatch(/^ {2}channel 0 +ring 0 .*\| .*, back to 0$/m);
    // 15 steps that add and 15 that copy, each of 16 ranks x 8 channels, 16 MiB in all
    expect(stdout).toMatch(/^ {2}0-14 +128 +16MiB +128KiB +\d+ -> \d+ \(add\)$/m);
    expect(stdout).toMatch(/^ {2}15-29 +128 +16MiB +128KiB +\d+ -> \d+ \(copy\)$/m);
    expect(stdout).toContain('3,840 moves in all');
  });

  it('counts on every kind of link what the schedule sends there', async () => {
    const { stdout } = await weft(
      'allreduce --fabric spectrum-x --gpus 16 --sizes 16MiB --algorithm ring --channels 8 --protocol simple --explain --json',
    );
    const { links, moves, movesLeftOut, steps, timeUs } = JSON.parse(stdout) as {
      links: { name: string; flows: number; bytes: number; busiestPs: number }[];
      moves: { source: number; destination: number; sizeBytes: number }[];
      movesLeftOut: number;
      steps: { moves: number }[];
      timeUs: number;
    };
    expect(movesLeftOut).toBe(0);
    expect(steps).toHaveLength(2);
    const between = moves.filter(({ source, destination }) => source >> 3 !== destination >> 3);
    const sum = (list: typeof moves): number => list.reduce((total, { sizeBytes }) => total + wire(sizeBytes), 0);
    const named = Object.fromEntries(links.map((link) => [link.name, link]));
    expect(named['host-leaf']).toMatchObject({ flows: between.length, bytes: sum(between) });
    expect(named['leaf-host']).toMatchObject({ flows: between.length, bytes: sum(between) });
    expect(named['host-NVSwitch']).toMatchObject({
      flows: moves.length - between.length,
      bytes: sum(moves) - sum(between),
    });
    // rings along rails do not leave their leaves
    expect(named['leaf-spine']).toBe(undefined);
    for (const { busiestPs } of links) expect(busiestPs / 1e6).toBeLessThan(timeUs);
  });

  it('draws trees', async () => {
    const { stdout } = await weft('allreduce --fabric spectrum-x --gpus 16 --sizes 1MiB --algorithm tree --explain');
    expect(stdout).toMatch(/^ {2}channel 0 +tree of height 8 below 0: 0 above 1 8;/m);
  });
});

describe('bad input of weft collective', () => {
  const cases: readonly (readonly [string, RegExp])[] = [
    ['allredcue --fabric dumbbell', /no such collective[^]*found: {2}allredcue[^]*did you mean allreduce\?/],
    ['--fabric dumbbell', /which collective\?/],
    ['allreduce', /--fabric: error: which fabric\?/],
    ['allreduce --fabric dumbel', /topology file cannot be read[^]*did you mean dumbbell\?/],
    ['allreduce --fabric spectrum --gpus 64', /no such family[^]*spectrum-x, [^]*did you mean spectrum-x\?/],
    ['allreduce --fabric dumbbell --left-hosts 0', /--left-hosts: error/],
    ['allreduce --fabric dumbbell --gpus 8', /unknown option '--gpus'/],
    ['allreduce --fabric dumbbell extra', /too many arguments/],
    ['allreduce --fabric dumbbell --ranks 0-8', /--ranks: error: there is no rank 8: the fabric has 8 GPUs/],
    ['allreduce --fabric dumbbell --ranks 3', /one rank moves nothing/],
    ['allreduce --fabric dumbbell --ranks 0,1,0', /rank 0 is named twice/],
    ['allreduce --fabric dumbbell --ranks 0-4:0', /stride of 0/],
    ['allreduce --fabric dumbbell --ranks 4-0', /ends before it begins/],
    ['allreduce --fabric dumbbell --ranks all', /not a rank or a range/],
    ['allreduce --fabric dumbbell --sizes 8M', /--sizes: error: not a size[^]*did you mean 8MiB\?/],
    ['allreduce --fabric dumbbell --sizes 1MiB..1kiB', /not a size[^]*B, kB, MB, [^]*did you mean 1KiB\?/],
    ['allreduce --fabric dumbbell --sizes 0', /size out of range/],
    ['allreduce --fabric dumbbell --sizes 1TiB', /size out of range[^]*128GiB/],
    ['allreduce --fabric dumbbell --sizes 1MiB..1KiB', /ends before it begins[^]*1KiB\.\.1MiB\?/],
    ['allreduce --fabric dumbbell --factor 1', /'--factor <number>' argument '1' is invalid/],
    ['broadcast --fabric dumbbell --root 8', /--root: error: not a whole number in its range/],
    ['alltoall --fabric dumbbell --root 3', /--root: error: alltoall has no root/],
    ['allreduce --fabric dumbbell --channels -1', /--channels|channels/],
    ['allreduce --fabric dumbbell --algorithm pat', /pat has no allreduce/],
    ['allreduce --fabric dumbbell --algorithm nvls', /--algorithm: error: NVLS/],
    ['allgather --fabric dumbbell --algorithm pat --protocol ll', /pat has no protocol LL/],
    ['allreduce --fabric dumbbell --profile ncl', /no such profile[\s\S]*did you mean nccl\?/],
    ['allreduce --fabric dumbbell --send-latency 5', /--send-latency[^]*unit/],
    ['allreduce --fabric dumbbell --set fabric.gpus=8', /fabric cannot be set here/],
    [
      'allreduce --fabric dumbbell --set collectives.nvls=false',
      /collectives cannot be set here: .*\n.*\n {2}wanted: an option such as --profile, .*--no-nvls/,
    ],
    ['allreduce --fabric dumbbell --set ecn.enable=false', /did you mean ecn\.enabled\?/],
    ['allreduce --fabric dumbbell --sizes 1KiB..1MiB --explain', /one collective is explained at a time/],
    ['allreduce --fabric dumbbell --seed 1 --seed 2', /more than once/],
  ];

  it.each(cases)('%s', async (line, message) => {
    const { code, stdout, stderr } = await weft(line);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
  });

  it('reads lists of ranks and sizes', () => {
    expect([...parseRanks('0-6:3,9,7-8', 10)]).toEqual([0, 3, 6, 9, 7, 8]);
    expect(parseSizes('1KiB..5KiB', 2)).toEqual([1024, 2048, 4096]);
    expect(parseSizes('8,1MB,1KiB..9KiB', 3)).toEqual([8, 1_000_000, 1024, 3072, 9216]);
  });
});
