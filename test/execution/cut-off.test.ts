// A blocked run says first what blocked it: links that stay down, and whom nobody reaches any more.

import { describe, expect, it } from 'vitest';
import { simulate } from '../../src/app/simulate.js';
import { runProgram } from '../../src/cli/program.js';
import { cutOffText } from '../../src/execution/cut-off.js';
import { generateFabric } from '../../src/fabric/generators/catalogue.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { scriptedContext } from '../support/command-context.js';
import { memoryHost } from '../memory-host.js';

async function lines(scenario: string, files: Readonly<Record<string, string>>, more: string): Promise<string[]> {
  const world = scriptedContext({ simulate, makePlan, host: memoryHost({ ...files, 's.yaml': scenario }) });
  await runProgram(['run', 's.yaml', ...more.split(' ')], world);
  expect(world.stderr.text).not.toContain('error');
  return world.stdout.text.split('\n');
}

const job = `HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 16 ep: 1 pp: 1 vpp: 1 ga: 1 all_gpus: 16 checkpoints: 0 checkpoint_initiates: 0 pp_comm: 0\n1\nlayer -1 0 ALLREDUCE 1000000 0 NONE 0 0 NONE 0 0\n`;
const fabric = 'fabric: { generate: spectrum-x, gpus: 16, gpusPerServer: 8, nicsPerAsw: 2, pswSwitches: 2 }';

describe('a run that failures block', () => {
  it.each(['packet', 'fluid'])('names the link and the rank first, and has no error band: %s', async (backend) => {
    const scenario = `name: s\n${fabric}\nworkload: { file: w.txt, tensorParallel: 16 }\nfailures: [{ at: 0ns, link: 0-18 }]\n`;
    const printed = await lines(scenario, { 'w.txt': job }, `--backend ${backend}`);
    expect(printed[0]).toBe('s: BLOCKED: link 0-18 is down for good: rank 0 cannot be reached');
    expect(printed.join('\n')).not.toContain('error band');
  });

  it('names a receiver that lost both links of its NIC', async () => {
    const scenario = `name: s\nfabric: { generate: alibaba-hpn, gpus: 16, gpusPerServer: 8, nicsPerAsw: 16, pswSwitches: 2 }\ntraffic:\n  transfers: [{ source: 0, destination: 8, size: 1MB }]\nfailures: [{ at: 1us, link: "host[8]:2" }, { at: 1us, link: "host[8]:3" }]\n`;
    const printed = await lines(scenario, {}, '--backend fluid');
    expect(printed.slice(0, 2).join(' ')).toMatch(
      /^s: BLOCKED: links 8-\d+, 8-\d+ are down for good: rank 8 cannot be reached/,
    );
  });

  it('names the end that lost its NIC, whichever way the flow goes, though its server reaches it', () => {
    const servers = generateFabric('spectrum-x', { gpus: 16, gpusPerServer: 8, nicsPerAsw: 2, pswSwitches: 2 });
    const isUp = new Uint8Array(servers.linkCount).fill(1);
    // GPU 0 has an NVLink and a NIC
    isUp[servers.portLink[servers.portOffset[0]! + 1]!] = 0;
    for (const pairs of [
      [[0, 8]],
      [[8, 0]],
      [
        [8, 0],
        [0, 8],
      ],
    ] as const)
      expect(cutOffText(servers, isUp, pairs)).toBe('link 0-18 is down for good: rank 0 cannot be reached');
    expect(cutOffText(servers, isUp, [[1, 0]])).toBe('');
  });

  it('names both sides of a cut between switches', () => {
    const dumbbell = generateFabric('dumbbell', { leftHosts: 2, rightHosts: 2 });
    const isUp = new Uint8Array(dumbbell.linkCount).fill(1);
    expect(cutOffText(dumbbell, isUp, [[0, 2]])).toBe('');
    isUp[dumbbell.linkCount - 1] = 0;
    expect(cutOffText(dumbbell, isUp, [[0, 2]])).toBe('link 4-5 is down for good: rank 2 cannot be reached');
    expect(cutOffText(dumbbell, isUp, [[0, 1]])).toBe('');
  });
});

describe('a collective', () => {
  it('that is blocked has no time and no band', async () => {
    const world = scriptedContext({ simulate });
    const line =
      'collective allreduce --fabric spectrum-x --gpus 16 --nics-per-asw 2 --sizes 1MiB --json --backend fluid';
    const failures = ['--set', 'failures=[{at: 0ns, link: 0-18}]'];
    expect(await runProgram([...line.split(' '), ...failures], world)).not.toBe(0);
    const { rows } = JSON.parse(world.stdout.text) as { rows: { timeUs: null; errorBand: null; problems: string[] }[] };
    expect(rows[0]).toMatchObject({ timeUs: null, busbwGBps: null, errorBand: null });
    expect(rows[0]!.problems[0]).toMatch(/^link 0-18 is down for good: rank 0 cannot be reached/);
  });

  it('chosen by itself is one that can run: four GPUs in a ring of cables', async () => {
    const ring =
      '4 1 0 0 4 H100\n\n0 1 400Gbps 0.0005ms 0\n1 2 400Gbps 0.0005ms 0\n2 3 400Gbps 0.0005ms 0\n3 0 400Gbps 0.0005ms 0\n';
    const world = scriptedContext({ simulate, host: memoryHost({ 'r.topo': ring }) });
    const line = 'collective allreduce --fabric r.topo --sizes 1KiB,1MiB,1GiB --json';
    expect(await runProgram(line.split(' '), world), world.stderr.text).toBe(0);
    const { rows } = JSON.parse(world.stdout.text) as { rows: { algorithm: string; reason: string }[] };
    expect(rows.map(({ algorithm }) => algorithm)).toEqual(['ring', 'ring', 'ring']);
    expect(rows[0]!.reason).toBe(
      "ring: for tree, which takes less by NCCL's model, no path leads from rank 2 to rank 0",
    );
  });
});
