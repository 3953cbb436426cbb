// `weft compare-fabrics`: which fabrics it makes of names and numbers, the table, the reasons, the folders, bad input.

import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { simulate } from '../../src/app/simulate.js';
import { folderNames } from '../../src/cli/compare-fabrics/fabric-words.js';
import type { CommandContext } from '../../src/cli/context.js';
import { runProgram } from '../../src/cli/program.js';
import { generateFabric } from '../../src/fabric/generators/catalogue.js';
import { writeTopology } from '../../src/formats/simai-topology-text.js';
import { fabricShape } from '../../src/report/fabric-comparison.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { wholeColumns } from '../../src/records/run-tables.js';
import { openRuns } from '../../src/storage/run-reader.js';
import { fabricOfRun } from '../../src/stored-runs/run-reader.js';
import { scriptedContext } from '../support/command-context.js';
import { emptyPlan } from '../support/hand-made-run.js';

let folder = '';
let scenario = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-compare-'));
  scenario = join(folder, 'two.yaml');
  // two flows between two servers, each on its rail
  await writeFile(
    scenario,
    'fabric: { generate: dumbbell }\ntraffic:\n  transfers:\n    - { source: 0, destination: 8, size: 4MiB }\n    - { source: 1, destination: 9, size: 4MiB }\n',
  );
  await writeFile(
    join(folder, 'one-spine.topo'),
    writeTopology(generateFabric('leaf-spine', { leaves: 2, spines: 1, hostsPerLeaf: 8 })),
  );
  await writeFile(
    join(folder, 'one-leaf.topo'),
    writeTopology(generateFabric('leaf-spine', { leaves: 1, spines: 1, hostsPerLeaf: 16 })),
  );
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function weft(words: readonly string[], changes: Partial<CommandContext> = {}) {
  const world = scriptedContext({ makePlan, simulate, ...changes });
  const code = await runProgram(['compare-fabrics', ...words], world);
  return { code, stdout: world.stdout.text, stderr: world.stderr.text };
}

/** The scenario on 16 GPUs with NICs of one port and of two. */
async function onePortAndTwo(...words: string[]): Promise<{ totalNs: number; reason: string }[]> {
  const fabrics = 'spectrum-x,alibabahpn-dualplane';
  const { code, stdout } = await weft([scenario, '--fabrics', fabrics, '--gpus', '16', '--json', ...words]);
  expect(code).toBe(0);
  return (JSON.parse(stdout) as { fabrics: { totalNs: number; reason: string }[] }).fabrics;
}

describe('weft compare-fabrics', () => {
  it('asks for every family with the GPUs of the scenario and 1:1 at its leaves', async () => {
    const asked: string[] = [];
    await weft(['--gpus', '128', '--json'], {
      makePlan: (_source, { overrides }) => (asked.push(overrides[0]!), Promise.resolve(emptyPlan())),
    });
    expect(asked.map((block) => /generate: ([^,]*)/.exec(block)![1])).toEqual([
      'spectrum-x',
      'alibaba-hpn',
      'dcn+',
      'leaf-spine',
      'fat-tree',
      'dragonfly+',
      'torus',
      'hyperx',
    ]);
    // 128 GPUs: two levels of switches of 16 ports, 8 down and 8 up
    expect(asked[3]).toMatch(/hostsPerLeaf: 8, leaves: 16,.* spines: 8,/);
  });

  it('takes parameters per fabric and the fabric of a scenario, with its job and GPUs', async () => {
    const other = join(folder, 'other.yaml');
    await writeFile(other, 'fabric: { generate: leaf-spine, leaves: 2, hostsPerLeaf: 8, spines: 1 }\ntraffic: none\n');
    const fabrics = ['spectrum-x --nics-per-asw 1', 'leaf-spine --npa 8', 'leaf-spine --spines 2', other];
    const refused = await weft([scenario, '--gpus', '16', '--fabrics', ...fabrics]);
    expect(refused.stderr).toMatch(/--fabrics: error: leaf-spine: unknown option '--npa'/);
    const own = fabrics.filter((words) => !words.includes('npa'));
    const { code, stdout } = await weft([scenario, '--gpus', '16', '--fabrics', ...own, '--json']);
    expect(code).toBe(0);
    const rows = (JSON.parse(stdout) as { fabrics: Record<string, unknown>[] }).fabrics;
    expect(rows.map(({ fabric, gpus, taper, switches }) => [fabric, gpus, taper, switches])).toEqual([
      // a leaf for every NIC of two servers, and one spine of a port to each
      ['spectrum-x --nics-per-asw 1', 16, 1, 16 + 1],
      // two levels of 8 ports: 4 hosts a leaf, two links to each of two spines
      ['leaf-spine --spines 2', 16, 1, 4 + 2],
      [other, 16, 8, 2 + 1],
    ]);
    // flows between servers have no band of their own
    expect(rows.map(({ decided }) => decided)).toEqual([false, false, false]);
    for (const row of rows) expect(row['totalNs']).toBeGreaterThan(0);
    // 100 Gb/s in the hosts' links of that scenario: priced, too
    expect(rows[2]!['cost']).toBeGreaterThan(0);
  });

  it('leaves a price that is not known open, and names it', async () => {
    const fabrics = ['leaf-spine --host-rate 250Gbps', 'leaf-spine'];
    const json = await weft([scenario, '--gpus', '16', '--fabrics', ...fabrics, '--json']);
    const rows = (JSON.parse(json.stdout) as { fabrics: { cost: number | null; bill: { unknown: string[] } }[] })
      .fabrics;
    expect(rows.map(({ cost }) => cost === null)).toEqual([true, false]);
    expect(rows[0]!.bill.unknown).toContain('copper of 250Gbps');
    const { stdout } = await weft([scenario, '--gpus', '16', '--fabrics', ...fabrics]);
    expect(stdout).toMatch(/^leaf-spine \[1\] .* unknown +unknown$/m);
    expect(stdout).toContain('Price unknown: there is none for copper of 250Gbps');
  });

  it('says of leaves with far more up than down how much more', async () => {
    // 50 links of 100 Gb/s up for 2 hosts of 100 Gb/s: 1:25.0, where 0.04:1 would be rounded to 0.0:1
    const wide = join(folder, 'wide.topo');
    await writeFile(wide, writeTopology(generateFabric('leaf-spine', { leaves: 8, spines: 50, hostsPerLeaf: 2 })));
    const { stdout } = await weft([scenario, '--fabrics', `${wide},${join(folder, 'one-spine.topo')}`]);
    expect([...stdout.matchAll(/^(?:wide|one-spine)\.topo \[\d\] .* (\d\S*:\S+)$/gm)].map(([, leaf]) => leaf)).toEqual([
      '1:25.0',
      '8.0:1',
    ]);
  });

  it('finds the link that two flows share', async () => {
    const files = ['one-leaf.topo', 'one-spine.topo'].map((name) => join(folder, name));
    const { code, stdout } = await weft([scenario, '--fabrics', files.join(','), '--json']);
    expect(code).toBe(0);
    const [leaf, spine] = (
      JSON.parse(stdout) as {
        fabrics: {
          totalNs: number;
          slower: number;
          crossing: number;
          heldUp: number;
          sharing: number;
          reason: string;
          links: { name: string; heldUpBytes: number; sharing: number }[];
        }[];
      }
    ).fabrics;
    expect(leaf).toMatchObject({ slower: 0, crossing: 0, heldUp: 0 });
    expect(leaf!.reason).toMatch(/^fastest: no byte leaves its leaf/);
    expect(spine!.crossing).toBe(1);
    expect(spine!.heldUp).toBe(1);
    // together all the time, over the first link between switches
    expect(spine!.sharing).toBeCloseTo(2, 1);
    expect(spine!.links.find(({ name }) => name === 'leaf-spine')!.heldUpBytes).toBeGreaterThan(8 * 2 ** 20);
    // twice the bytes through one link of the same rate
    expect(spine!.totalNs / leaf!.totalNs).toBeGreaterThan(1.95);
    expect(spine!.totalNs / leaf!.totalNs).toBeLessThan(2.05);
    expect(spine!.reason).toMatch(
      /100 % of the network's bytes go up from their leaf, and links between switches hold up 100 % of all bytes, shared by 2\.0 flows: leaves have 800Gbps down for 100Gbps up \(8\.0:1\)/,
    );
  });

  it('uses both ports of a NIC, and says how; a single queue pair has one of them', async () => {
    // one port of 400 Gb/s, or two of 200, for flows that have NICs and leaves to themselves: one packet and ACKs apart
    const [one, two] = await onePortAndTwo();
    expect(two!.totalNs / one!.totalNs).toBeLessThan(1.005);
    expect(two!.reason).toMatch(
      /a GPU has 2 links of 200Gbps, and a flow's 2 queue pairs take them in turn: the fullest carries 1\.0 times the mean/,
    );
    const [, single] = await onePortAndTwo('--set', 'queuePair.perFlow=1');
    expect(single!.totalNs / one!.totalNs).toBeGreaterThan(1.9);
    expect(single!.reason).toMatch(/a flow uses the one that the hash picks: the fullest carries 2\.0 times the mean/);
    const [, hashed] = await onePortAndTwo('--set', 'queuePair.perFlow=4', '--set', 'queuePair.portChoice=hash');
    expect(hashed!.reason).toMatch(/the hash picks one for each of a flow's 4 queue pairs/);
  });

  it('takes files from where the user stands, wherever the scenario is', async () => {
    const elsewhere = join(folder, 'elsewhere');
    await mkdir(elsewhere);
    const moved = join(elsewhere, 'two.yaml');
    await copyFile(scenario, moved);
    const file = relative(process.cwd(), join(folder, 'one-leaf.topo'));
    const { code, stdout } = await weft([moved, '--fabrics', file]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/ on 1 fabric \(fluid\)\n/);
  });

  it('prints a table with a reason for each fabric in 80 columns', async () => {
    const { code, stdout, stderr } = await weft([
      scenario,
      '--fabrics',
      'spectrum-x,alibabahpn-dualplane,dcn-singletor',
      '--gpus',
      '16',
    ]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(Math.max(...stdout.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(80);
    expect(stdout).toMatch(/^fabric +time +slower +waits +cross +held up +shared +leaf$/m);
    for (const name of ['spectrum-x', 'alibabahpn-dualplane', 'dcn-singletor'])
      expect(stdout).toMatch(new RegExp(`^${name}: `, 'm'));
    // two GPUs that send one flow each, over both of their links
    expect(stdout.replace(/\s+/g, ' ')).toContain(
      "a GPU has 2 links of 200Gbps, and a flow's 2 queue pairs take them in turn: the fullest carries 1.0 times the mean;",
    );
  });

  it.each<readonly [readonly string[], RegExp]>([
    [['--fabrics', 'spectrum-x,spectrum-x'], /a fabric is named twice/],
    [['--fabrics', 'spectrumy'], /no such family[^]*did you mean spectrum-x\?/],
    [['--fabrics', 'dumbbell', '--gpus', '16'], /not made by number of GPUs/],
    [['--gpus', '16', '--fabrics', 'leaf-spine --leafs 4'], /unknown option '--leafs'[^]*did you mean --leaves\?/],
    [['--gpus', '16', '--fabrics', 'leaf-spine --leaves 3 --hosts-per-leaf 4'], /make 12 GPUs, and the job has 16/],
    [['--gpus', '16', '--fabrics', 'leaf-spine --leaves many'], /--leaves: error: leaf-spine:[^]*many/],
    [['--taper', '1:0'], /'--taper <ratio>' argument '1:0' is invalid[^]*a ratio/],
    [['--switch-ports', '7'], /an even number/],
    [['--prices', 'missing.yaml'], /--prices: error: the file of prices cannot be read/],
    [['--fabrics', 'missing.topo'], /--fabrics: error: the file cannot be read: missing\.topo: no such file/],
    [['--gpus', 'many'], /'--gpus <number>' argument 'many' is invalid[^]*a whole number/],
    [['--gpus', '12'], /--gpus: error: spectrum-x: 12 GPUs do not fill servers of 8/],
    [['nowhere.yaml'], /nowhere\.yaml/],
    [['--workload', 'nowhere.txt'], /--workload: error: the file cannot be read: nowhere\.txt: no such file/],
  ])('refuses %s', async (words, message) => {
    const { code, stdout, stderr } = await weft(words);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
  });
});

/** Digests that --json tells, by fabric. */
function digests(json: string): string[] {
  return (JSON.parse(json) as { fabrics: { digest: string }[] }).fabrics.map(({ digest }) => digest);
}

describe('weft compare-fabrics --out', () => {
  const two = ['--fabrics', 'spectrum-x,dcn-singletor', '--gpus', '16', '--quiet'];

  it('writes a folder for each fabric, which the reader of runs takes', async () => {
    const out = join(folder, 'out');
    const file = join(folder, 'one-spine.topo');
    const words = [scenario, '--fabrics', `spectrum-x,${file}`, '--gpus', '16', '--json'];
    const { code, stdout } = await weft([...words, '--out', out]);
    expect(code).toBe(0);
    // the same with nothing kept
    expect(digests(stdout)).toEqual(digests((await weft(words)).stdout));
    expect((await readdir(out)).sort()).toEqual(['one-spine.topo', 'spectrum-x']);
    const runs = await openRuns(out);
    expect(runs.map(({ manifest }) => manifest!.outcome)).toEqual(['finished', 'finished']);
    expect(new Set(runs.map(({ manifest }) => manifest!.digest))).toEqual(new Set(digests(stdout)));
    const [ofFile, ofFamily] = await Promise.all(runs.map(fabricOfRun));
    expect(fabricShape(ofFile!)).toEqual(
      fabricShape(generateFabric('leaf-spine', { leaves: 2, spines: 1, hostsPerLeaf: 8 })),
    );
    // a leaf has two of its rail's NICs below it, so two spines are 1:1
    expect(fabricShape(ofFamily!)).toEqual(fabricShape(generateFabric('spectrum-x', { gpus: 16, pswSwitches: 2 })));
    for (const { tables } of runs) {
      const columns = await wholeColumns(tables.get('flows')!, ['source', 'destination', 'sizeBytes']);
      expect(columns).toEqual(
        new Map([
          ['source', Float64Array.of(0, 1)],
          ['destination', Float64Array.of(8, 9)],
          ['sizeBytes', Float64Array.of(4 * 2 ** 20, 4 * 2 ** 20)],
        ]),
      );
    }
  });

  it('replaces runs on the same fabrics with --force alone, and says which others stand there', async () => {
    const out = join(folder, 'out');
    expect((await weft([scenario, ...two, '--out', out])).code).toBe(0);
    const before = (await openRuns(out)).map(({ manifest }) => manifest!.seed);
    const again = [scenario, '--fabrics', 'spectrum-x', '--gpus', '16', '--seed', '7', '--out', out];
    const refused = await weft(again, { simulate: () => Promise.reject(new Error('it runs')) });
    expect({ code: refused.code, stdout: refused.stdout }).toEqual({ code: 2, stdout: '' });
    expect(refused.stderr).toMatch(
      /out: error: holds runs of Weft \(dcn-singletor, spectrum-x\), so it is left as it is\n.*--force/,
    );
    expect((await openRuns(out)).map(({ manifest }) => manifest!.seed)).toEqual(before);
    const { code, stderr } = await weft([...again, '--force']);
    expect(code).toBe(0);
    expect(stderr).toBe(`note: still of an earlier comparison: ${join(out, 'dcn-singletor')}\n`);
    expect((await openRuns(out)).map(({ manifest }) => manifest!.seed)).toEqual([before[0], 7]);
  });

  it.each([[[]], [['--force']]])('leaves a run and folders of others as they are (%j)', async (option) => {
    const out = join(folder, 'out');
    await weft([scenario, ...two, '--out', out]);
    await mkdir(join(folder, 'mine'));
    await writeFile(join(folder, 'mine', 'notes.md'), 'mine');
    const run = await weft([scenario, ...two, ...option, '--out', join(out, 'spectrum-x')]);
    expect(run.stderr).toMatch(/is an earlier run of Weft/);
    const other = await weft([scenario, ...two, ...option, '--out', join(folder, 'mine')]);
    expect(other.stderr).toMatch(/is not an earlier comparison of Weft/);
    expect([run.code, other.code]).toEqual([2, 2]);
    expect(await readdir(join(folder, 'mine'))).toEqual(['notes.md']);
    expect((await readdir(out)).sort()).toEqual(['dcn-singletor', 'spectrum-x']);
  });

  it('keeps the runs that had finished when it is stopped, and the stopped one as a part', async () => {
    const out = join(folder, 'out');
    let begun = 0;
    const { code, stderr, stdout } = await weft([scenario, ...two, '--out', out], {
      simulate: (plan, options) => {
        if (++begun === 2) process.emit('SIGINT', 'SIGINT');
        return simulate(plan, options);
      },
    });
    expect(code).toBe(130);
    expect(stdout).toContain(`results: ${join(out, 'spectrum-x')}\n`);
    expect(stderr).toContain('stopped after 1 of 2 fabrics\n');
    expect(stderr).toContain(
      `results of dcn-singletor: ${join(out, 'dcn-singletor.partial')}, which the next run with --out ${out} --force replaces\n`,
    );
    const runs = await openRuns(out);
    expect(runs.map(({ label, manifest }) => [label, manifest!.outcome])).toEqual([
      ['dcn-singletor.partial', 'stopped'],
      ['spectrum-x', 'finished'],
    ]);
    expect((await weft([scenario, ...two, '--out', out, '--force'])).code).toBe(0);
    expect((await readdir(out)).sort()).toEqual(['dcn-singletor', 'spectrum-x']);
  });

  it('gives every fabric a folder of its own', () => {
    expect(folderNames(['spectrum-x', 'a/my.topo', 'b/my.topo', 'b\\MY.TOPO', '..', '.', 'x.partial', 'a b*'])).toEqual(
      ['spectrum-x', 'my.topo', 'my.topo-2', 'MY.TOPO-3', 'fabric', 'fabric-2', 'x-partial', 'a-b-'],
    );
  });
});

describe('weft compare-fabrics --report', () => {
  const notRun = { simulate: () => Promise.reject(new Error('it runs')) };

  it('is refused before anything runs where it could not be written', async () => {
    const { code, stderr } = await weft([scenario, '--gpus', '16', '--report', scenario], notRun);
    expect(code).toBe(2);
    expect(stderr).toMatch(/two\.yaml: error: exists, so it is left as it is\n.*--force/);
  });

  it('begins the page with the verdict and the reason of each fabric', async () => {
    const page = join(folder, 'fabrics.html');
    const { code } = await weft([
      scenario,
      '--gpus',
      '16',
      '--fabrics',
      'spectrum-x',
      'dcn+',
      '--report',
      page,
      '--quiet',
    ]);
    expect(code).toBe(0);
    const text = await readFile(page, 'utf8');
    const first = text.indexOf('What was slow, and why');
    expect(first).toBeGreaterThan(0);
    expect(text.indexOf('<strong>dcn+</strong>: ')).toBeGreaterThan(first);
    expect(text.indexOf('id="figures"')).toBeGreaterThan(text.indexOf('<strong>dcn+</strong>: '));
  });

  it('is refused of more fabrics than a page takes', async () => {
    const list = Array.from({ length: 9 }, (_, i) => `f${i}.topo`).join(',');
    const { code, stderr } = await weft([scenario, '--fabrics', list, '--report', join(folder, 'r.html')], notRun);
    expect(code).toBe(2);
    expect(stderr).toMatch(/too many fabrics for one report\n.*9 fabrics\n.*8 at most\n.*--out DIR/);
  });
});

describe('the shape of a fabric', () => {
  it('is read off its links', () => {
    expect(fabricShape(generateFabric('spectrum-x', { gpus: 1024 }))).toEqual({
      leaves: 16,
      spines: 64,
      downBps: 64 * 400e9,
      upBps: 64 * 400e9,
      nicPorts: 1,
      gpusPerServer: 8,
      hasServerLinks: true,
    });
    expect(fabricShape(generateFabric('dcn-dualtor', { gpus: 1024, aswPerPsw: 16 }))).toEqual({
      leaves: 16,
      spines: 8,
      downBps: 128 * 200e9,
      upBps: 8 * 400e9,
      nicPorts: 2,
      gpusPerServer: 8,
      hasServerLinks: true,
    });
    // edge switches alone are leaves
    expect(fabricShape(generateFabric('fat-tree', { k: 4 }))).toMatchObject({ leaves: 8, spines: 12, nicPorts: 1 });
  });
});

/** GPU and NIC of each fabric that is planned, in order. */
async function serversOf(fabric: string, ...fabrics: string[]): Promise<string[]> {
  const file = join(folder, 'own.yaml');
  await writeFile(file, `fabric: ${fabric}\ntraffic: { transfers: [ { source: 0, destination: 9, size: 1MiB } ] }\n`);
  const planned: string[] = [];
  const { code } = await weft([file, '--fabrics', file, ...fabrics, '--json'], {
    makePlan: async (source, options) => {
      const plan = await makePlan(source, options);
      const { gpuType, linkRateBps, linkCount } = plan.fabric;
      if (options.overrides.some((text) => text.startsWith('fabric=')))
        planned.push(`${gpuType} ${linkRateBps[linkCount - 1]! / 1e9}`);
      return plan;
    },
  });
  expect(code).toBe(0);
  return planned;
}

describe('families beside a scenario', () => {
  it('have the GPUs of the scenario, unless they name their own', async () => {
    const b300 = '{ generate: spectrum-x, gpus: 16, gpuType: B300 }';
    expect(await serversOf(b300, 'leaf-spine', 'dcn+ --gpu-type V100')).toEqual(['B300 800', 'B300 800', 'V100 400']);
  });

  it('have their own where the scenario names none', async () => {
    expect(await serversOf('{ generate: spectrum-x, gpus: 16 }', 'leaf-spine')).toEqual(['H100 400', 'H100 400']);
  });
});
