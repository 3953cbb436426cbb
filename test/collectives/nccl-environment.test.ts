// NCCL's environment variables: honoured, refused with the reason, or unknown.

import { describe, expect, it } from 'vitest';
import type { SelectionRequest } from '../../src/collectives/choice.js';
import { ncclEnvironment, ncclVariables, variableProblem } from '../../src/collectives/nccl-environment.js';
import { choose } from '../../src/collectives/selection.js';

const request: SelectionRequest = {
  kind: 'allreduce',
  groupKind: 'dp',
  sizeBytes: 2 ** 28,
  facts: { ranks: 16, servers: 2, ranksPerServer: 8, nvlinkBps: 2.88e12, networkBps: 3.2e12, nicsPerServer: 8 },
  gpuType: 'H100',
  hasNvswitches: true,
  nvls: true,
  pxn: false,
  collnet: false,
  channels: 0,
};

function chosen(values: Readonly<Record<string, string>>, changes: Partial<SelectionRequest> = {}) {
  return choose('nccl', { ...request, ...changes, environment: ncclEnvironment(values) });
}

function reasonOf(values: Readonly<Record<string, string>>, changes: Partial<SelectionRequest> = {}): string {
  return chosen(values, changes).reason;
}

describe('NCCL_ALGO and NCCL_PROTO', () => {
  it('leave what they name, or all but it, in any case of letters', () => {
    expect(chosen({}).algorithm).toBe('nvls-tree');
    expect(chosen({ NCCL_ALGO: 'Ring' }).algorithm).toBe('ring');
    expect(chosen({ NCCL_ALGO: 'ring,TREE', NCCL_PROTO: 'll128' })).toMatchObject({ protocol: 'll128' });
    expect(chosen({ NCCL_ALGO: '^NVLSTree' }).algorithm).not.toBe('nvls-tree');
    expect(chosen({ NCCL_PROTO: '^Simple' }).protocol).not.toBe('simple');
    expect(chosen({ NCCL_PROTO: 'LL' }).protocol).toBe('ll');
  });

  it('may be for one kind of collective', () => {
    const environment = { NCCL_ALGO: 'allreduce:Tree;allgather:Ring' };
    expect(chosen(environment).algorithm).toBe('tree');
    expect(chosen(environment, { kind: 'allgather' }).algorithm).toBe('ring');
    expect(chosen({ NCCL_ALGO: 'allgather:Ring' }).algorithm).toBe('nvls-tree');
  });

  it('that leave nothing for a kind leave a ring, and the reason says so', () => {
    expect(chosen({ NCCL_ALGO: 'Tree' }, { kind: 'allgather' })).toMatchObject({
      algorithm: 'ring',
      reason: 'NCCL 2.28.9: settings leave nothing else for allgather: a ring; with NCCL_ALGO=Tree',
    });
  });
});

describe('the other variables', () => {
  it('set channels, NVLS, PXN, CollNet and pieces', () => {
    expect(chosen({ NCCL_P2P_NET_CHUNKSIZE: '65536' }, { kind: 'sendrecv' }).chunks).toBe(4096);
    expect(chosen({ NCCL_P2P_NET_CHUNKSIZE: '65536' }, { kind: 'alltoall' }).chunks).toBe(256);
    expect(chosen({ NCCL_ALGO: 'Ring' }).channels).toBe(16);
    expect(chosen({ NCCL_ALGO: 'Ring', NCCL_MAX_NCHANNELS: '4' }).channels).toBe(4);
    expect(chosen({ NCCL_ALGO: 'Ring', NCCL_MIN_NCHANNELS: '20' }).channels).toBe(20);
    expect(chosen({ NCCL_NVLS_ENABLE: '0' }).algorithm).toBe('ring');
    expect(chosen({ NCCL_NVLS_ENABLE: '2' }, { nvls: false }).algorithm).toBe('nvls-tree');
    expect(chosen({ NCCL_PXN_DISABLE: '0' }).pxn).toBe(true);
    expect(chosen({ NCCL_PXN_DISABLE: '1' }, { pxn: true }).pxn).toBe(false);
    expect(chosen({ NCCL_ALGO: 'CollnetDirect', NCCL_COLLNET_ENABLE: '1' }).algorithm).toBe('collnet-direct');
    expect(chosen({ NCCL_ALGO: 'Ring', NCCL_MAX_NCHANNELS: '4' }).reason).toMatch(
      /; with NCCL_ALGO=Ring, NCCL_MAX_NCHANNELS=4$/,
    );
  });

  it('that change nothing for a collective are named with the reason', () => {
    const ring = { NCCL_ALGO: 'Ring', NCCL_PROTO: 'Simple' };
    expect(reasonOf({ ...ring, NCCL_BUFFSIZE: '1048576' })).not.toContain('no effect');
    expect(reasonOf({ ...ring, NCCL_PROTO: 'LL128', NCCL_BUFFSIZE: '1048576' })).toMatch(/no effect.*NCCL_BUFFSIZE is/);
    expect(reasonOf({ ...ring, NCCL_P2P_NET_CHUNKSIZE: '65536' })).toMatch(/no effect.*NCCL_P2P_NET_CHUNKSIZE is for/);
    expect(reasonOf({ NCCL_P2P_NET_CHUNKSIZE: '65536' }, { kind: 'alltoall' })).not.toContain('no effect');
    expect(reasonOf({ NCCL_P2P_NET_CHUNKSIZE: '262144' }, { kind: 'alltoall' })).toMatch(/no effect.*eight pieces/);
    expect(reasonOf({ ...ring, NCCL_IB_QPS_PER_CONNECTION: '4' })).not.toContain('no effect');
    expect(reasonOf({ ...ring, NCCL_IB_SPLIT_DATA_ON_QPS: '1' })).toMatch(/no effect.*nothing to split/);
    const oneServer = { facts: { ...request.facts, ranks: 8, servers: 1 } };
    expect(reasonOf({ ...ring, NCCL_IB_QPS_PER_CONNECTION: '4' }, oneServer)).toMatch(/no effect.*one server/);
  });

  it('are refused with the reason, or not known', () => {
    expect(variableProblem('NCCL_TOPO_FILE', 'x.xml')).toMatchObject({
      message: "cannot be honoured: NVLinks and NICs are the fabric's",
      hint: expect.stringContaining('describe the server'),
    });
    expect(variableProblem('NCCL_ALG', 'Ring')).toMatchObject({ wanted: expect.stringContaining('NCCL_ALGO') });
    expect(variableProblem('constructor', '1')).not.toBeNull();
    for (const [name, text] of [
      ['NCCL_ALGO', 'Ringg'],
      ['NCCL_ALGO', ''],
      ['NCCL_ALGO', 'sendrecv:Ring'],
      ['NCCL_PROTO', 'constructor'],
      ['NCCL_MAX_NCHANNELS', '0'],
      ['NCCL_MIN_NCHANNELS', '65'],
      ['NCCL_NVLS_ENABLE', '3'],
      ['NCCL_BUFFSIZE', '4MiB'],
      ['NCCL_IB_QPS_PER_CONNECTION', '0'],
      ['NCCL_IB_QPS_PER_CONNECTION', '65'],
      ['NCCL_IB_SPLIT_DATA_ON_QPS', '2'],
    ] as const)
      expect(variableProblem(name, text), `${name}=${text}`).not.toBeNull();
    for (const { name, description } of ncclVariables) expect(description, name).toMatch(/^.{10,90}$/);
  });
});
