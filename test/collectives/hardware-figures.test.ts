// What profiles take by kind of GPU and network: each figure reaches what it is of, variables go before it, a file changes
// what it names; and the profiles of other networks are found wherever one is named.

import { describe, expect, it } from 'vitest';
import { simulate } from '../../src/app/simulate.js';
import { profileOf, plainProfile } from '../../src/collectives/calibrated-profile.js';
import type { Choice, SelectionRequest } from '../../src/collectives/choice.js';
import { ncclEnvironment } from '../../src/collectives/nccl-environment.js';
import { ncclProfiles } from '../../src/collectives/nccl-figures.js';
import { choose, type Profile } from '../../src/collectives/selection.js';
import { profileOn, takenFigures } from '../../src/collectives/taken-figures.js';
import { runProgram } from '../../src/cli/program.js';
import { generateFabric } from '../../src/library/fabrics.js';
import { profileFromText } from '../../src/library/profile-from-text.js';
import { timeCollective } from '../../src/library/time-collective.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { memoryHost } from '../memory-host.js';
import { scriptedContext } from '../support/command-context.js';

/** Two servers of 8 GPUs with a NIC of 400 Gb/s each. */
function chosen(profile: Profile, gpuType: string, changes: Partial<SelectionRequest> = {}): Choice {
  return choose(profile, {
    kind: 'alltoall',
    groupKind: 'dp',
    sizeBytes: 2 ** 26,
    facts: { ranks: 16, servers: 2, ranksPerServer: 8, nvlinkBps: 2.88e12, networkBps: 3.2e12, nicsPerServer: 8 },
    gpuType,
    hasNvswitches: true,
    nvls: true,
    pxn: false,
    collnet: false,
    channels: 0,
    ...changes,
  });
}

const oneServer: Partial<SelectionRequest> = {
  kind: 'allgather',
  nvls: false,
  facts: { ranks: 8, servers: 1, ranksPerServer: 8, nvlinkBps: 2.88e12, networkBps: Infinity },
};

/** What a send of a user's own keeps its processor under `nccl`, in microseconds; it counts for the receive, too. */
function postedUs(gpuType: string, changes: Partial<SelectionRequest> = {}): number {
  return chosen('nccl', gpuType, changes).postPs / 1e6 / 2;
}

function networkShare(gpuType: string, kind: SelectionRequest['kind']): number {
  return 1 / chosen('nccl', gpuType, { kind }).networkShare!;
}

function nvlinkShare(gpuType: string): number {
  return Number((1 / chosen('nccl', gpuType, oneServer).serverShare!).toFixed(9));
}

async function weft(...words: string[]) {
  const context = scriptedContext({ simulate });
  const code = await runProgram(words, context);
  return { code, stdout: context.stdout.text, stderr: context.stderr.text };
}

describe('profile nccl', () => {
  it('posts as the processors of the GPUs do, a send and a receive of a user apart', () => {
    expect(['A100', 'H100', 'H200', 'GH200', 'B200', 'GB200'].map((gpuType) => postedUs(gpuType))).toEqual([
      2, 1, 1, 1, 1, 1,
    ]);
    // neutral: what NCCL reckons for processors that it does not know
    expect(['', 'V100', 'MI300'].map((gpuType) => postedUs(gpuType))).toEqual([1, 1, 1]);
  });

  it('takes shares of the network by GPU', () => {
    expect(networkShare('A100', 'alltoall')).toBeCloseTo(0.91 * 0.96, 12);
    expect(networkShare('A100', 'allgather')).toBeCloseTo(0.91, 12);
    expect(networkShare('H100', 'alltoall')).toBeCloseTo(0.935, 12);
    for (const gpuType of ['H100', 'B200', '']) expect(networkShare(gpuType, 'allgather')).toBe(1);
  });

  it('takes shares of NVLink and base latencies of Blackwell, and neither of others', () => {
    expect(['A100', 'H100', 'B200', 'B300', ''].map(nvlinkShare)).toEqual([1, 1, 0.95, 0.95, 1]);
    const small = { ...oneServer, sizeBytes: 1024 };
    expect(chosen('nccl', 'B200', small)).toMatchObject({ protocol: 'll', startDelayPs: 10e6 });
    expect(chosen('nccl', 'H100', small)).toMatchObject({ protocol: 'll', startDelayPs: 6.6e6 });
  });

  it('takes shares of NVLS by GPU, less around 72 of them', () => {
    const shares = ['H100', 'B200', 'GB200', 'GB300', ''].map(
      (gpuType) => takenFigures('nccl', gpuType).nvls.linkShare,
    );
    expect(shares).toEqual([0.92, 0.89, 0.63, 0.63, 0.92]);
    const nvls = { ...oneServer, kind: 'allreduce', nvls: true } as const;
    const rack = chosen('nccl', 'GB200', nvls);
    expect(rack.algorithm).toBe('nvls');
    expect(rack.nvswitchShare).toBeGreaterThan(1.2 * chosen('nccl', 'B200', nvls).nvswitchShare);
  });

  it('is one with nccl-2.28, and nccl-2.21 takes the same of the hardware', () => {
    expect(chosen('nccl', 'A100')).toEqual(chosen('nccl-2.28', 'A100'));
    const { tables: _, ...old } = takenFigures('nccl-2.21', 'A100');
    expect(takenFigures('nccl', 'A100')).toMatchObject(old);
  });

  it('gives way to NCCL_NET_OVERHEAD', () => {
    expect(postedUs('A100', { environment: ncclEnvironment({ NCCL_NET_OVERHEAD: '0' }) })).toBe(0);
    expect(postedUs('A100', { environment: ncclEnvironment({ NCCL_NET_OVERHEAD: '3000' }) })).toBe(3);
  });

  it('is not what simai and document are', () => {
    for (const profile of ['simai', 'document'] as const) {
      expect(chosen(profile, 'A100').networkShare).toBeUndefined();
      expect(chosen(profile, 'A100').postPs).toBe(0);
    }
  });
});

describe('a profile of another network', () => {
  it('has its latencies and shares beside those of the GPU', () => {
    const plain = chosen('nccl', 'H100', { kind: 'sendrecv' });
    const tcpx = chosen('nccl-tcpx', 'H100', { kind: 'sendrecv' });
    expect(tcpx.networkDelayPs - plain.networkDelayPs).toBe(40e6);
    expect(tcpx.postPs).toBe(plain.postPs);
    expect(1 / tcpx.networkShare!).toBeCloseTo(0.52, 12);
    expect(tcpx.reason).toMatch(/; latencies and bandwidths of nccl-tcpx$/);
    const tcpxo = chosen('nccl-tcpxo', 'H100', { kind: 'sendrecv' });
    expect(tcpxo.networkDelayPs - plain.networkDelayPs).toBe(30e6);
    expect(1 / chosen('nccl-efa', 'H200').networkShare!).toBeCloseTo(0.94 * 0.95, 12);
  });

  it('of Slingshot goes by the GPU: a rendezvous on Alps, slow hops over the NVLinks of Polaris', () => {
    expect(takenFigures('nccl-slingshot', 'GH200').rendezvous).toEqual({ aboveBytes: 2048, latencyPs: 9e6 });
    expect(takenFigures('nccl-slingshot', 'A100').rendezvous).toBeNull();
    expect(takenFigures('nccl-slingshot', 'A100').shares.network.simple).toBe(0.74);
    expect(takenFigures('nccl-slingshot', 'A100').tables.hopUs.nvlink.ring).toEqual([0.6, 1.9, 6.1]);
    expect(takenFigures('nccl', 'A100').tables.hopUs.nvlink.ring).toEqual([0.6, 1.9, 3.4]);
  });
});

describe('a profile file', () => {
  it('begins with what its base takes of the GPU at hand, and changes what it names', () => {
    const own = profileFromText('base: nccl-2.28\nbandwidth: { network: { simple: 0.8 } }\n');
    expect(takenFigures(own, 'A100')).toEqual({
      ...takenFigures('nccl-2.28', 'A100'),
      shares: { ...takenFigures('nccl-2.28', 'A100').shares, network: { ll: 1, ll128: 0.91, simple: 0.8 } },
    });
    expect(takenFigures(own, 'H100').sendsShare).toBe(0.935);
    const quick = profileFromText('base: nccl-slingshot\nlatency: { rendezvous: 0us, post: 0us }\n');
    expect(takenFigures(quick, 'GH200')).toMatchObject({ rendezvous: null, postUs: 0 });
    expect(chosen(quick, 'GH200').postPs).toBe(0);
  });

  it('paces posts with the bytes that hide them', () => {
    const base = chosen('nccl', 'H100');
    const pace = { kind: 'alltoall', servers: 'several', algorithm: 'direct', protocol: 'simple' } as const;
    const twice = chosen({ ...plainProfile('x', 'nccl'), paces: [{ ...pace, sizeBytes: [1], factors: [2] }] }, 'H100');
    expect(twice.networkShare).toBeCloseTo(2 * base.networkShare!, 12);
    expect([twice.postPs, twice.postHidingBytes]).toEqual([2 * base.postPs, 2 * base.postHidingBytes]);
  });

  it('that is calibrated has what its base took there as its own, on other GPUs, too', () => {
    const fitted = profileOn('ours.yaml', 'nccl-slingshot', 'A100');
    expect(takenFigures(fitted, 'A100')).toEqual(takenFigures('nccl-slingshot', 'A100'));
    expect(takenFigures(fitted, '').shares).toEqual(takenFigures('nccl-slingshot', 'A100').shares);
    expect(takenFigures(plainProfile('x.yaml', 'nccl'), 'A100')).toEqual(takenFigures('nccl', 'A100'));
  });
});

describe('wherever a profile is named', () => {
  const networks = ncclProfiles.filter((name) => !/^nccl(-2\.\d+)?$/.test(name));

  it('there are profiles of EFA, Slingshot, TCPX and TCPXO', () => {
    expect(networks).toEqual(['nccl-efa', 'nccl-slingshot', 'nccl-tcpx', 'nccl-tcpxo']);
    for (const name of ncclProfiles) expect(profileOf(name)).toMatchObject({ name, base: name });
  });

  it.each(networks)('%s is taken: library, scenario, --profile, base of a file', async (name) => {
    const fabric = generateFabric('spectrum-x', { gpus: 16, gpuType: 'H100' });
    const options = { kind: 'sendrecv', size: 2 ** 20, backend: 'analytical' } as const;
    const { timePs } = await timeCollective(fabric, { ...options, profile: name });
    expect(timePs).toBeGreaterThan((await timeCollective(fabric, { ...options, profile: 'nccl' })).timePs);
    const ofFile = await timeCollective(fabric, { ...options, profile: profileFromText(`base: ${name}\n`) });
    expect(ofFile.timePs).toBe(timePs);
    const scenario = `fabric: { generate: spectrum-x, gpus: 16 }
collectives: { profile: ${name} }
workload: { layers: [{ name: l, weightGradient: { collective: allreduce, size: 1MiB, group: dp } }] }
`;
    const plan = await makePlan('s.yaml', { overrides: [], host: memoryHost({ 's.yaml': scenario }) });
    expect(plan.collectives.profile).toBe(name);
    const words = ['sendrecv', '--fabric', 'spectrum-x', '--gpus', '16', '--sizes', '1MiB', '--backend', 'analytical'];
    const { stdout } = await weft('collective', ...words, '--profile', name, '--json');
    const printed = JSON.parse(stdout) as { rows: { timeUs: number }[] };
    expect(printed.rows[0]!.timeUs).toBeCloseTo(timePs / 1e6, 3);
  });

  it('a name that is none is answered with the one that was meant', async () => {
    const fabric = ['--fabric', 'spectrum-x', '--gpus', '16'];
    expect((await weft('collective', 'allreduce', ...fabric, '--profile', 'nccl-slingshoot')).stderr).toMatch(
      /no such profile[\s\S]*did you mean nccl-slingshot\?/,
    );
    const scenario = 'fabric: { generate: spectrum-x, gpus: 16 }\ncollectives: { profile: nccl-eva }\n';
    await expect(makePlan('s.yaml', { overrides: [], host: memoryHost({ 's.yaml': scenario }) })).rejects.toThrow(
      'nccl-efa',
    );
    expect((await weft('calibrate', ...fabric, '--base', 'nccl-tcp', '--measured', 'm', '--out', 'o.yaml')).code).toBe(
      2,
    );
  });
});
