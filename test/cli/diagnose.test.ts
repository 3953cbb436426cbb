// `weft diagnose`: causes of stored runs, remedies that are tried, and input that cannot be diagnosed.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { simulate } from '../../src/app/simulate.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { commandWith } from '../support/run-command.js';

const weft = commandWith({ makePlan, simulate });
let folder = '';
const at = (name: string): string => join(folder, name);

/** Four hosts a leaf, and a spine for each. */
const fabric = {
  generate: 'leaf-spine',
  leaves: 2,
  spines: 4,
  hostsPerLeaf: 4,
  hostRate: '100Gbps',
  spineRate: '100Gbps',
};
const across = Array.from({ length: 4 }, (_, i) => ({ source: i, destination: 4 + i, size: '1MiB', job: 'across' }));
const incast = [1, 2, 3].map((source) => ({ source, destination: 0, size: '1MiB', job: 'incast' }));

const scenarios = {
  incast: { fabric, traffic: { transfers: incast }, sampling: { variant: 'standard' } },
  quick: { fabric, routing: { algorithm: 'ftree' }, traffic: { transfers: across } },
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-diagnose-'));
  for (const [name, scenario] of Object.entries(scenarios)) {
    await writeFile(at(`${name}.yaml`), JSON.stringify(scenario));
    const { code } = await weft('run', at(`${name}.yaml`), '--out', at(name), '--quiet');
    expect(code).toBe(0);
  }
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

it('names the host that three send to at once, as operator and as owner', async () => {
  for (const who of ['operator', 'owner']) {
    const { code, stdout } = await weft('diagnose', at('incast'), '--as', who, '--job', '0', '--json');
    expect(code).toBe(0);
    const { findings, verdict } = JSON.parse(stdout) as {
      verdict: string;
      findings: {
        cause: string;
        links: { from: string; to: string }[];
        ranks: number[];
        ranksAre: string;
        lostNs: number;
      }[];
    };
    expect(findings.map(({ cause }) => cause)).toEqual(['endpoint']);
    expect(findings[0]!.links[0]).toMatchObject({ from: 'leaf[0]', to: 'host[0]' });
    // transfers have no ranks
    expect(findings[0]!.ranks).toContain(0);
    expect(findings[0]!.ranksAre).toBe('hosts');
    // 3 MiB over 100 Gb/s are 252 us and headers; one host's share of four is less than one message
    expect(findings[0]!.lostNs / 1000).toBeGreaterThan(150);
    expect(findings[0]!.lostNs / 1000).toBeLessThan(200);
    expect(verdict).toMatch(/^Hosts that are asked for more than their share cost incast 6\d(\.\d)? % of the time/);
  }
});

it('says that there is nothing to gain where every flow has its own links', async () => {
  const { stdout } = await weft('diagnose', at('quick'), '--try', '--json');
  expect(JSON.parse(stdout)).toMatchObject({ findings: [], trials: [] });
  const text = await weft('diagnose', at('quick'));
  expect(text.stdout).toMatch(/^Nothing to gain here/);
});

it.each([
  [['quick', '--as', 'owner'], /this run has no table link_samples[\s\S]*sampling\.variant=standard/],
  [['quick', '--job', '7'], /the run has no such job[\s\S]*0 \(across\)/],
  [['quick.yaml'], /this is JSON, not a table of a run[\s\S]*weft run SCENARIO --out DIR/],
  [['nowhere'], /no such file or folder/],
  [['incast', '--scenario', 'quick.yaml'], /this is not the scenario of the run[\s\S]*wanted: incast\.yaml, SHA-256/],
  [['incast', '--scenario', 'away.yaml'], /away\.yaml: .*no such file/],
] as const)('refuses %j', async ([name, ...rest], wanted) => {
  const words = rest.map((word) => (word.endsWith('.yaml') ? at(word) : word));
  const { code, stdout, stderr } = await weft('diagnose', at(name), ...words);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(wanted);
});

const topology = (rate: string): string => `3 1 0 1 2 A100\n2\n0 2 ${rate} 1us 0\n1 2 ${rate} 1us 0\n`;

it('finds the files of a run by its scenario, and refuses those that are others now', async () => {
  const scenario = {
    fabric: { file: 'two.topo' },
    traffic: { transfers: [{ source: 0, destination: 1, size: '1MiB' }] },
  };
  await writeFile(at('two.topo'), topology('100Gbps'));
  await writeFile(at('two.yaml'), JSON.stringify(scenario));
  await weft('run', at('two.yaml'), '--out', at('two'), '--quiet');
  const elsewhere = await mkdtemp(join(folder, 'moved-'));
  await writeFile(join(elsewhere, 'two.topo'), topology('100Gbps'));
  await writeFile(join(elsewhere, 'two.yaml'), JSON.stringify(scenario));
  const moved = ['diagnose', at('two'), '--scenario', join(elsewhere, 'two.yaml')] as const;
  expect((await weft(...moved)).code).toBe(0);
  await writeFile(join(elsewhere, 'two.topo'), topology('50Gbps'));
  const { code, stderr } = await weft(...moved);
  expect(code).toBe(2);
  expect(stderr).toMatch(/two\.topo: error: this is not what the run read[\s\S]*hint: {3}put the file back/);
});

it('tries tables that are computed for the flows of a run on credits, and tells it in 80 columns', async () => {
  // receivers at one place of each leaf: d mod k sends all four over one spine, a fourth of the rate each
  const far = [0, 1, 2, 3].map((source) => ({ source, destination: 4 * (source + 1), size: '4MiB', job: 'far' }));
  const strides = {
    fabric: { ...fabric, leaves: 5 },
    backend: 'credit',
    routing: { algorithm: 'dmodk' },
    traffic: { transfers: far },
  };
  await writeFile(at('strides.yaml'), JSON.stringify(strides));
  await weft('run', at('strides.yaml'), '--out', at('strides'), '--quiet');
  const { stdout } = await weft('diagnose', at('strides'), '--try', '--json');
  const { trials } = JSON.parse(stdout) as {
    trials: { change: string; predictedNs: number; totalNs: number | null }[];
  };
  const computed = trials.find(({ change }) => change.includes('weft route compute'))!;
  // 4 MiB at 12.5 GB/s are 336 us; headers, store and latencies are a few percent
  for (const ns of [computed.totalNs!, computed.predictedNs]) {
    expect(ns / 1000).toBeGreaterThan(336);
    expect(ns / 1000).toBeLessThan(336 * 1.06);
  }
  const text = await weft('diagnose', at('strides'), '--try');
  expect(Math.max(...text.stdout.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(80);
  expect(text.stdout).toMatch(/tried, beside the 1\.3\d*ms that it took:\n {3}3\d\d\.\d+us .* predicted\)/);
});

/** A stencil on hosts 0 to 3, into which four others send all the time; from host 8 on hosts are free. */
function sharedHosts(leaves: number): string {
  return JSON.stringify({
    fabric: { ...fabric, leaves },
    jobs: [
      {
        name: 'row',
        program: 'stencil',
        x: 4,
        y: 1,
        z: 1,
        messageSize: '1MiB',
        eagerLimit: '4MiB',
        iterations: 3,
        nodes: '0-3',
      },
    ],
    traffic: {
      transfers: [0, 1, 2, 3].map((destination) => ({ source: 4 + destination, destination, size: '8MiB' })),
    },
  });
}

it('moves ranks to hosts that nobody uses where others share theirs, or says that there are none', async () => {
  for (const [leaves, isFree] of [
    [3, true],
    [2, false],
  ] as const) {
    await writeFile(at(`shared${leaves}.yaml`), sharedHosts(leaves));
    await weft('run', at(`shared${leaves}.yaml`), '--out', at(`shared${leaves}`), '--quiet');
    const { stdout } = await weft('diagnose', at(`shared${leaves}`), '--try', '--json');
    const { findings, trials, totalNs } = JSON.parse(stdout) as {
      findings: { cause: string; ranksAre: string }[];
      trials: { change: string; totalNs: number | null; reason: string }[];
      totalNs: number;
    };
    expect(findings[0]).toMatchObject({ cause: 'other-traffic', ranksAre: 'ranks' });
    const moved = trials.find(({ change }) => change === 'ranks on hosts that nobody uses')!;
    if (isFree) expect(moved.totalNs).toBeLessThan(0.7 * totalNs);
    else expect(moved).toMatchObject({ totalNs: null, reason: 'not tried: 0 hosts are free, and it needs 4' });
  }
});
