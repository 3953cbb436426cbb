// NCCL's buffers, pieces and queue pairs: what the variables make of choices, and of times.

import { describe, expect, it } from 'vitest';
import { simulate } from '../../src/app/simulate.js';
import {
  messageChunks,
  pipelinedChunks,
  type PipelinedCollective,
  slotsPerPiece,
} from '../../src/collectives/chunking.js';
import { MemorySink } from '../../src/records/memory-sink.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { memoryHost } from '../memory-host.js';
import { type FlowRow, flowRows, hopRows } from '../support/engine-run.js';

const kib = 2 ** 10;
const mib = 2 ** 20;
const whole: PipelinedCollective = { kind: 'allreduce', sizeBytes: mib, channels: 2, ranks: 8, servers: 1 };

describe('pieces', () => {
  it('of a ring are no larger than a slot, an eighth of the buffer', () => {
    // blocks of 64 KiB
    expect(pipelinedChunks('ring', 'simple', whole)).toBe(1);
    expect(pipelinedChunks('ring', 'simple', { ...whole, bufferBytes: 4 * mib })).toBe(1);
    expect(pipelinedChunks('ring', 'simple', { ...whole, bufferBytes: 256 * kib })).toBe(2);
    expect(pipelinedChunks('ring', 'simple', { ...whole, bufferBytes: 64 * kib })).toBe(8);
    // LL's slots are what they are, whatever NCCL_BUFFSIZE
    expect(pipelinedChunks('ring', 'll', { ...whole, bufferBytes: 4 * kib })).toBe(1);
    // with NCCL's own buffers blocks are a pipeline themselves; with a quarter of them they go by slots, up to 64
    expect(pipelinedChunks('ring', 'simple', { ...whole, sizeBytes: 16 * mib })).toBe(1);
    expect(pipelinedChunks('ring', 'simple', { ...whole, sizeBytes: 16 * mib, bufferBytes: mib })).toBe(8);
    expect(pipelinedChunks('ring', 'simple', { ...whole, sizeBytes: 2 ** 33, bufferBytes: mib })).toBe(64);
  });

  it('of trees and chains are 128 KiB with Simple, or a slot if that is less', () => {
    const chain: PipelinedCollective = { ...whole, kind: 'broadcast', sizeBytes: 2 * mib };
    expect(pipelinedChunks('ring', 'simple', chain)).toBe(8);
    expect(pipelinedChunks('tree', 'simple', { ...chain, kind: 'allreduce', bufferBytes: 64 * kib })).toBe(128);
    // their number has a limit, which grows with the servers that a chain passes
    const large = { ...chain, sizeBytes: 2 ** 33, ranks: 128, channels: 8 };
    expect(pipelinedChunks('ring', 'simple', large)).toBe(64);
    expect(pipelinedChunks('ring', 'simple', { ...large, servers: 16 })).toBe(512);
  });

  it('of chains within a server are lines of 2 KiB on the wire, with LL and LL128', () => {
    const chain: PipelinedCollective = { ...whole, kind: 'broadcast', sizeBytes: 8 * kib };
    // parts of 4 KiB: 128 lines of 8 B, 16 lines of 120 B
    expect(pipelinedChunks('ring', 'll', chain)).toBe(4);
    expect(pipelinedChunks('ring', 'll128', chain)).toBe(3);
    // processors send whole slots to another server
    expect(pipelinedChunks('ring', 'll', { ...chain, servers: 2 })).toBe(1);
    expect(pipelinedChunks('ring', 'll', { ...chain, sizeBytes: mib })).toBe(64);
  });

  it('of chains post no more than their slots', () => {
    const chain: PipelinedCollective = { ...whole, kind: 'broadcast', sizeBytes: 8 * mib };
    // two parts of 4 MiB: 8 slots of 512 KiB, sent as 32 pieces of 128 KiB
    expect(slotsPerPiece('simple', chain, pipelinedChunks('ring', 'simple', chain))).toBe(8 / 32);
    expect(slotsPerPiece('simple', { ...chain, bufferBytes: mib }, 32)).toBe(1);
    expect(slotsPerPiece('simple', { ...chain, sizeBytes: 1 }, 1)).toBe(1);
  });

  it('of a message are those that NCCL_P2P_NET_CHUNKSIZE or a slot make smaller than 128 KiB', () => {
    expect([messageChunks(mib), messageChunks(mib, 128 * kib), messageChunks(mib, 256 * kib)]).toEqual([1, 1, 1]);
    expect([messageChunks(mib, 64 * kib), messageChunks(1000, 64 * kib), messageChunks(0, kib)]).toEqual([16, 1, 1]);
    expect(messageChunks(mib, 128 * kib, 256 * kib)).toBe(32);
  });
});

interface Timed {
  readonly timePs: number;
  readonly flows: readonly FlowRow[];
  /** source ports of all queue pairs */
  readonly ports: ReadonlySet<number>;
}

/** One collective among hosts of two leaves with two spines between them. */
async function timed(backend: string, kind: string, size: string, variables: object, ranks = '0,2'): Promise<Timed> {
  const host = memoryHost({
    's.yaml': JSON.stringify({
      backend,
      fabric: { generate: 'leaf-spine', leaves: 2, spines: 2, hostsPerLeaf: 2 },
      collectives: { profile: 'nccl', channels: 1, environment: variables },
      jobs: [{ ranks, layers: [{ name: 'one', forward: { collective: kind, group: 'dp', size } }] }],
    }),
  });
  const sink = new MemorySink();
  const summary = await simulate(await makePlan('s.yaml', { host, overrides: [] }), { host, sink });
  expect(summary.verdicts.filter(({ ok }) => !ok)).toEqual([]);
  const ports = new Set(hopRows(sink).map(({ sourcePort }) => sourcePort));
  return { timePs: summary.simulatedPs, flows: flowRows(sink), ports };
}

describe.each(['packet', 'fluid'])('on %s', (backend) => {
  it('eight small pieces of a message are under way: the time is their round trip', async () => {
    const pieces = 1024;
    // what posting takes would count for every piece
    const variables = { NCCL_P2P_NET_CHUNKSIZE: kib, NCCL_NET_OVERHEAD: 0 };
    const { timePs, flows } = await timed(backend, 'alltoall', '2MiB', variables);
    expect(flows.length).toBe(2 * pieces);
    // of the first piece, which is alone
    const roundTripPs = flows[0]!.finishPs - flows[0]!.startPs;
    const startPs = Math.min(...flows.map(({ startPs: ps }) => ps));
    expect((timePs - startPs) / ((pieces / 8) * roundTripPs)).toBeGreaterThan(0.99);
    expect((timePs - startPs) / ((pieces / 8) * roundTripPs)).toBeLessThan(1.05);
    // pieces of NCCL's own size keep the path full, as one message does
    const own = await timed(backend, 'alltoall', '2MiB', {});
    const given = await timed(backend, 'alltoall', '2MiB', { NCCL_P2P_NET_CHUNKSIZE: 128 * kib });
    expect(given.timePs).toBe(own.timePs);
    expect(own.timePs).toBeLessThan(timePs / 2);
  });

  it('a small buffer holds a ring back, and a large one as little as the usual', async () => {
    // posts are a limit of their own
    const ring = { NCCL_ALGO: 'Ring', NCCL_PROTO: 'Simple', NCCL_NET_OVERHEAD: 0 };
    const [usual, given, large, small, tiny] = [
      await timed(backend, 'allreduce', '4MiB', ring),
      await timed(backend, 'allreduce', '4MiB', { ...ring, NCCL_BUFFSIZE: 4 * mib }),
      await timed(backend, 'allreduce', '4MiB', { ...ring, NCCL_BUFFSIZE: 64 * mib }),
      await timed(backend, 'allreduce', '4MiB', { ...ring, NCCL_BUFFSIZE: 32 * kib }),
      await timed(backend, 'allreduce', '4MiB', { ...ring, NCCL_BUFFSIZE: 16 * kib }),
    ];
    expect(given.timePs).toBe(usual.timePs);
    expect(large.timePs).toBeLessThan(1.1 * usual.timePs);
    expect(small.timePs).toBeGreaterThan(1.5 * usual.timePs);
    expect(tiny.timePs / small.timePs).toBeGreaterThan(1.8);
    expect(tiny.timePs / small.timePs).toBeLessThan(2.1);
  });

  it('a connection has the queue pairs that are asked for, all or in turn', async () => {
    const ring = { NCCL_ALGO: 'Ring', NCCL_PROTO: 'Simple', NCCL_BUFFSIZE: 4 * mib };
    const run = async (variables: object) =>
      (await timed(backend, 'allreduce', '4MiB', { ...ring, ...variables })).ports;
    expect((await run({})).size).toBe(1);
    expect((await run({ NCCL_IB_QPS_PER_CONNECTION: 4, NCCL_IB_SPLIT_DATA_ON_QPS: 1 })).size).toBe(4);
    expect((await run({ NCCL_IB_QPS_PER_CONNECTION: 4 })).size).toBe(4);
  });
});

it('several queue pairs per connection use spines that one leaves idle', async () => {
  const ring = { NCCL_ALGO: 'Ring', NCCL_PROTO: 'Simple' };
  const times: number[] = [];
  for (const queuePairs of [1, 2, 8]) {
    const variables = { ...ring, NCCL_IB_QPS_PER_CONNECTION: queuePairs, NCCL_IB_SPLIT_DATA_ON_QPS: 1 };
    times.push((await timed('fluid', 'alltoall', '64MiB', variables, '0,1,2,3')).timePs);
  }
  expect(times[0]! / times[2]!).toBeGreaterThan(1.1);
});
