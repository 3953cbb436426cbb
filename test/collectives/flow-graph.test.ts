// Graphs of flows read back from JSON lines: their edges go both ways, they have an order, their bytes are those of the
// closed forms, they wait for what the schedule waits for; and what the communication-stack document's examples come to
// by hand.

import { describe, expect, it } from 'vitest';
import { type CollectiveKind } from '../../src/collectives/schedule.js';
import { type SelectionProfile, selectionProfiles } from '../../src/collectives/selection.js';
import type { Wish } from '../../src/collectives/choice.js';
import { type FlowRecord } from '../../src/formats/single-flows.js';
import { placementOf } from '../support/placements.js';
import { made } from '../support/made-flow-graph.js';

function bytesOf(flows: readonly FlowRecord[]): number {
  return flows.reduce((sum, { flow_size }) => sum + flow_size, 0);
}

describe('a graph of flows', () => {
  it('has the bytes of the closed forms', () => {
    const sizeBytes = 2 ** 18;
    const n = 16;
    const communicator = placementOf(n, 8);
    const bytes = (kind: CollectiveKind, algorithm: Wish['algorithm'], profile: SelectionProfile = 'nccl'): number =>
      bytesOf(made(communicator, profile, { kind, sizeBytes }, { wish: { algorithm, protocol: 'simple' } }).flows);
    for (const profile of selectionProfiles) {
      expect(bytes('allreduce', 'ring', profile)).toBe(2 * (n - 1) * sizeBytes);
      expect(bytes('allgather', 'ring', profile)).toBe((n - 1) * sizeBytes);
      expect(bytes('reducescatter', 'ring', profile)).toBe((n - 1) * sizeBytes);
      expect(bytes('alltoall', 'direct', profile)).toBe((n - 1) * sizeBytes);
    }
    expect(bytes('allreduce', 'tree')).toBe(2 * (n - 1) * sizeBytes);
    expect(bytes('broadcast', 'ring')).toBe((n - 1) * sizeBytes);
    const server = placementOf(8, 8);
    const nvls = made(
      server,
      'nccl',
      { kind: 'allreduce', sizeBytes },
      { wish: { algorithm: 'nvls', protocol: 'simple' } },
    );
    expect(bytesOf(nvls.flows)).toBe(2 * 8 * sizeBytes);
    // LL: 4 B of flags with every 4 B
    const flags = made(
      server,
      'nccl',
      { kind: 'allreduce', sizeBytes },
      { wish: { algorithm: 'ring', protocol: 'll' } },
    );
    for (const { flow_size, wire_size } of flags.flows)
      expect(wire_size).toBe(flow_size + 4 * Math.ceil(flow_size / 4));
  });

  it('numbers its flows from the number that it is given', () => {
    const communicator = placementOf(4, 4);
    const request = { kind: 'allreduce', sizeBytes: 4096 } as const;
    const from0 = made(communicator, 'document', request).flows;
    const from1000 = made(communicator, 'document', request, { firstId: 1000 }).flows;
    expect(from1000[9]).toEqual({
      ...from0[9]!,
      flow_id: 1009,
      prev: from0[9]!.prev.map((id) => id + 1000),
      parallel_deps: from0[9]!.parallel_deps.map((id) => id + 1000),
      child_flow_id: from0[9]!.child_flow_id.map((id) => id + 1000),
    });
  });
});

describe("the document's examples in profile document", () => {
  // 2.3: 2 (N - 1) steps; chunk = size / N / channels; a flow of step k waits for the one of step k - 1 that came to its
  // sender; chunkcount 2 (N - 1); type RING. 4 GPUs, AS_RING_CHANNELS 2: 6 steps x 2 channels x 4 flows.
  it('has the ring of 4 GPUs', () => {
    const { flows } = made(placementOf(4, 4), 'document', { kind: 'allreduce', sizeBytes: 8000 });
    const expected = Array.from({ length: 48 }, (_, id) => {
      // channel c begins with rank c
      const [step, channel, position] = [Math.floor(id / 8), Math.floor(id / 4) % 2, id % 4];
      const idOf = (s: number, p: number): number => s * 8 + channel * 4 + ((p + 4) % 4);
      const rank = (position + channel) % 4;
      return {
        flow_id: id,
        src: rank,
        dest: (rank + 1) % 4,
        flow_size: 1000,
        prev: step === 0 ? [] : [idOf(step - 1, position - 1)],
        child_flow_id: step === 5 ? [] : [idOf(step + 1, position + 1)],
        channel_id: channel,
        chunk_id: step,
        chunk_count: 6,
        conn_type: 'RING',
        is_reduction: step < 3,
      };
    });
    expect(flows).toHaveLength(48);
    flows.forEach((flow, id) => expect(flow).toMatchObject(expected[id]!));
  });

  // 2.4 and SimAI: every GPU sends a chunk to the NVSwitch; when all are there, it goes to every GPU; type NVLS
  it('has NVLS of 8 GPUs, whose NVSwitch is node 8', () => {
    const { flows } = made(placementOf(8, 8), 'document', { kind: 'allreduce', sizeBytes: 4096 });
    expect(flows).toHaveLength(2 * 8 * 4);
    const up = flows.filter(({ dest }) => dest === 8);
    const down = flows.filter(({ src }) => src === 8);
    for (const { flow_id, chunk_id, prev, child_flow_id, flow_size, conn_type, chunk_count } of up) {
      expect([flow_size, conn_type, chunk_count, prev]).toEqual([1024, 'NVLS', 4, []]);
      expect(child_flow_id).toEqual(down.filter((flow) => flow.chunk_id === chunk_id).map((flow) => flow.flow_id));
      for (const child of child_flow_id) expect(flows[child]!.prev).toContain(flow_id);
    }
    for (const { prev, child_flow_id } of down) expect([prev.length, child_flow_id]).toEqual([8, []]);
    expect([...new Set(down.map(({ dest }) => dest))].sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  // "AllToAll for MoE": size / nranks to each other rank, no dependencies, channel 0, chunk = peer of nranks
  it('has the all-to-all of 4 GPUs', () => {
    const { flows } = made(placementOf(4, 2), 'document', { kind: 'alltoall', sizeBytes: 4000 });
    const pairs = flows.map(({ src, dest }) => `${src}-${dest}`).sort();
    expect(pairs).toEqual(['0-1', '0-2', '0-3', '1-0', '1-2', '1-3', '2-0', '2-1', '2-3', '3-0', '3-1', '3-2']);
    for (const flow of flows)
      expect(flow).toMatchObject({
        flow_size: 1000,
        prev: [],
        parallel_deps: [],
        child_flow_id: [],
        channel_id: 0,
        chunk_id: flow.dest,
        chunk_count: 4,
        conn_type: 'RING',
      });
  });

  // "PXN": gather to the proxy (PXN_INIT), one flow over the network that waits for all of them (NET), scatter (PXN_FINAL)
  it('gathers, sends and scatters with PXN, two servers of two GPUs with one NIC', () => {
    const { flows } = made(
      placementOf(4, 2, { nics: [0] }),
      'document',
      { kind: 'alltoall', sizeBytes: 4000 },
      { pxn: true },
    );
    const sent = flows.filter(({ flow_size }) => flow_size > 0);
    const shown = sent.map(({ src, dest, flow_size, conn_type }) => `${conn_type} ${src}-${dest} ${flow_size}`).sort();
    expect(shown).toEqual([
      'NET 0-2 4000',
      'NET 2-0 4000',
      'PXN_FINAL 0-1 2000',
      'PXN_FINAL 2-3 2000',
      'PXN_INIT 1-0 2000',
      'PXN_INIT 3-2 2000',
      'RING 0-1 1000',
      'RING 1-0 1000',
      'RING 2-3 1000',
      'RING 3-2 1000',
    ]);
    const idOf = (type: string, src: number): number =>
      sent.find((flow) => flow.conn_type === type && flow.src === src)!.flow_id;
    expect(flows[idOf('NET', 0)]!.prev).toContain(idOf('PXN_INIT', 1));
    expect(flows[idOf('NET', 0)]!.child_flow_id).toContain(idOf('PXN_FINAL', 2));
  });

  it('names the hops of a ring over proxies', () => {
    const { flows } = made(
      placementOf(4, 2, { nics: [0] }),
      'document',
      { kind: 'allgather', sizeBytes: 4000 },
      { pxn: true, nvls: false },
    );
    const hops = new Set(
      flows
        .filter(({ channel_id }) => channel_id === 0)
        .map(({ src, dest, conn_type }) => `${src}-${dest} ${conn_type}`),
    );
    // ring 0 1 2 3: from 1, which has no NIC, by 0 to 2; from 3 by 2 to 0
    expect([...hops].sort()).toEqual(['0-1 RING', '0-2 NET', '1-0 PXN_INIT', '2-0 NET', '2-3 RING', '3-2 PXN_INIT']);
  });
});
