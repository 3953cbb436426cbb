// The shared buffer: thresholds by hand, and any sequence of packets against SimAI's three functions written down
// naively.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { headroomBytes, setApartBytes } from '../../src/backends/packet/switch/headroom.js';
import { BufferVerdict, SharedBuffer } from '../../src/backends/packet/switch/shared-buffer.js';
import { FabricBuilder, NodeKind, type Fabric } from '../../src/fabric/fabric.js';
import type { PacketSettings } from '../../src/backends/packet/settings.js';
import { settingsWith } from '../support/engine-run.js';
import { rounds } from '../support/rounds.js';
import { seed } from '../support/seed.js';

/** A switch, node 0, with ports 0 .. n - 1 to n hosts. */
function star(hosts: number, rateBps = 100e9, latencyPs = 500_000): Fabric {
  const builder = new FabricBuilder();
  const centre = builder.addNode(NodeKind.switch);
  for (let i = 0; i < hosts; i++) builder.addLink(centre, builder.addNode(NodeKind.host), rateBps, latencyPs);
  return builder.build();
}

const queue3 = (port: number): number => port * 8 + 3;

/** Headroom as SimAI has it. */
const delays = (headroomDelays: number): PacketSettings =>
  settingsWith({ pfc: { headroom: 'delays', headroomDelays } });

/** Headroom by cable, for packets of 52 B of headers and a response time of 614.4 ns. */
const cable = (acknowledgementPriority: number, payload = 1000): PacketSettings =>
  settingsWith({
    packet: { payload, header: 52, acknowledgement: 60, pauseFrame: 64, gap: 20 },
    queuePair: { acknowledgementPriority },
    pfc: { headroom: 'cable', responseTime: 614_400, reserve: 100 },
  });

describe('thresholds by hand', () => {
  it("sets headroom of three latencies apart for each port: SimAI's 18,750 B at 100 Gb/s and 500 ns", () => {
    expect(headroomBytes(star(1), 0, delays(3))).toBe(18_750);
    expect(headroomBytes(star(1, 400e9, 1_000_000), 0, delays(2))).toBe(100_000);
    // 10 Gb/s x 1,001 ps x 1.5 / 8 = 1.877 B, rounded down
    expect(headroomBytes(star(1, 10e9, 1001), 0, delays(1.5))).toBe(1);
  });

  it('sets headroom by cable apart: two cable delays, the response time, pause frames, three packets', () => {
    // 2 x 6,250 + 7,680 + (64 + 20) + 20 + 3 x 1,052
    expect(headroomBytes(star(1), 0, cable(3))).toBe(23_440);
    expect(setApartBytes(star(1), 0, cable(3))).toBe(23_540);
    expect(headroomBytes(star(1), 0, cable(0))).toBe(23_440);
    // acknowledgements with a priority of their own can be paused, too: one more frame may be ahead, and each has
    // headroom and reserve
    expect(headroomBytes(star(1), 0, cable(2))).toBe(23_524);
    expect(setApartBytes(star(1), 0, cable(2))).toBe(2 * 23_624);
    // 2 m of cable at 400 Gb/s: 2 x 500 + 30,720 + 84 + 20 + 3 x 9,052
    expect(headroomBytes(star(1, 400e9, 10_000), 0, cable(3, 9000))).toBe(58_980);
  });

  it('admits into reserve, pool and headroom in turn, and refuses what fits nowhere', () => {
    // Two ports: 2 x (18,750 + 4,096) = 45,692 set apart; the buffer of 65,692 leaves a pool of 20,000; shift 1: the
    // threshold is half of what is free.
    const buffer = new SharedBuffer(
      star(2),
      settingsWith({ switch: { buffer: 65_692 }, pfc: { headroom: 'delays', thresholdShift: 1 } }),
    );
    const [index, other] = [queue3(0), queue3(1)];
    expect([buffer.poolBytes[0], buffer.threshold(0)]).toEqual([20_000, 10_000]);
    expect(buffer.admit(0, 0, index, 4096)).toBe(BufferVerdict.roomy);
    expect([buffer.poolBytesOf(index), buffer.poolUsed[0], buffer.threshold(0)]).toEqual([0, 0, 10_000]);
    // 6,000 over the reserve; threshold (20,000 - 6,000) / 2 = 7,000
    expect(buffer.admit(0, 0, index, 6000)).toBe(BufferVerdict.roomy);
    expect([buffer.poolBytesOf(index), buffer.poolUsed[0], buffer.threshold(0)]).toEqual([6000, 6000, 7000]);
    // 7,000 over is not above the threshold of 7,000; then it is: (20,000 - 7,000) / 2 = 6,500
    expect(buffer.admit(0, 0, index, 1000)).toBe(BufferVerdict.crowded);
    expect([buffer.poolBytesOf(index), buffer.poolUsed[0], buffer.threshold(0), buffer.headroomBytesOf(index)]).toEqual(
      [7000, 7000, 6500, 0],
    );
    // everything more goes into headroom
    expect(buffer.admit(0, 0, index, 18_000)).toBe(BufferVerdict.crowded);
    expect([buffer.poolBytesOf(index), buffer.poolUsed[0], buffer.headroomBytesOf(index)]).toEqual([
      7000, 7000, 18_000,
    ]);
    expect(buffer.admit(0, 0, index, 751)).toBe(BufferVerdict.refused);
    expect(buffer.admit(0, 0, index, 750)).toBe(BufferVerdict.crowded);
    // the other port shares the pool but not the reserve: 6,500 over its own reserve is just the threshold
    expect(buffer.admit(0, 1, other, 4096 + 6500)).toBe(BufferVerdict.crowded);
    expect(buffer.poolUsed[0]).toBe(13_500);
    // out: headroom first, then the pool, then the reserve
    buffer.vacate(0, index, 18_000);
    expect([buffer.headroomBytesOf(index), buffer.poolBytesOf(index)]).toEqual([750, 7000]);
    buffer.vacate(0, index, 1000);
    expect([buffer.headroomBytesOf(index), buffer.poolBytesOf(index), buffer.poolUsed[0]]).toEqual([0, 6750, 13_250]);
    buffer.vacate(0, index, 8000);
    expect([buffer.poolBytesOf(index), buffer.bytesOf(index), buffer.poolUsed[0]]).toEqual([0, 2846, 6500]);
  });

  it('holds a static threshold whatever the others have, as long as the pool lasts', () => {
    // 3 x (18,750 + 1,000) set apart; a pool of 12,000 B, of which each queue may have 5,000
    const buffer = new SharedBuffer(
      star(3),
      settingsWith({
        switch: { buffer: 3 * 19_750 + 12_000 },
        pfc: { threshold: 'static', staticThreshold: 5000, reserve: 1000, headroom: 'delays' },
      }),
    );
    const [a, b, c] = [queue3(0), queue3(1), queue3(2)];
    expect([buffer.poolBytes[0], buffer.threshold(0)]).toEqual([12_000, 5000]);
    // 1,000 of reserve and 4,999 of the pool: below the threshold; one more byte reaches it, and every other is
    // headroom
    expect(buffer.admit(0, 0, a, 5999)).toBe(BufferVerdict.roomy);
    expect(buffer.admit(0, 0, a, 1)).toBe(BufferVerdict.crowded);
    expect([buffer.poolBytesOf(a), buffer.headroomBytesOf(a)]).toEqual([5000, 0]);
    expect(buffer.admit(0, 0, a, 1)).toBe(BufferVerdict.crowded);
    expect([buffer.poolBytesOf(a), buffer.headroomBytesOf(a)]).toEqual([5000, 1]);
    expect(buffer.admit(0, 0, a, 18_750)).toBe(BufferVerdict.refused);
    // the others have the same threshold, however much is taken
    expect(buffer.admit(0, 1, b, 5999)).toBe(BufferVerdict.roomy);
    expect([buffer.threshold(0), buffer.poolUsed[0]]).toEqual([5000, 9999]);
    // 2,001 B are left in the pool: the third gets its reserve and those, then headroom, far below its threshold
    expect(buffer.admit(0, 2, c, 3001)).toBe(BufferVerdict.roomy);
    expect(buffer.poolUsed[0]).toBe(12_000);
    expect(buffer.admit(0, 2, c, 1)).toBe(BufferVerdict.crowded);
    expect([buffer.poolBytesOf(c), buffer.headroomBytesOf(c), buffer.poolUsed[0]]).toEqual([2001, 1, 12_000]);
  });

  it('sets nothing apart without PFC, and drops by what the queue of the output port holds', () => {
    const buffer = new SharedBuffer(
      star(4),
      settingsWith({ pfc: { enabled: false, reserve: 1000 }, switch: { buffer: 50_000 } }),
    );
    expect([buffer.poolBytes[0], buffer.headroomLimit[0]]).toEqual([50_000, 0]);
    const [index, other] = [queue3(0), queue3(1)];
    // alpha is 1: a queue may hold as much as is free
    expect(buffer.takes(0, 0, 20_000)).toBe(true);
    expect(buffer.admit(0, 0, index, 20_000)).toBe(BufferVerdict.roomy);
    expect([buffer.takes(0, 20_000, 10_000), buffer.takes(0, 20_000, 10_001)]).toEqual([true, false]);
    expect(buffer.admit(0, 1, other, 10_000)).toBe(BufferVerdict.roomy);
    // 20,000 are free; an empty queue takes any packet for which there is room, whoever sent it
    expect([buffer.takes(0, 10_000, 10_000), buffer.takes(0, 10_000, 10_001), buffer.takes(0, 0, 30_000)]).toEqual([
      true,
      false,
      true,
    ]);
    expect(buffer.admit(0, 0, index, 20_001)).toBe(BufferVerdict.refused);
    expect(buffer.admit(0, 0, index, 20_000)).toBe(BufferVerdict.roomy);
    buffer.vacate(0, index, 40_000);
    expect([buffer.poolUsed[0], buffer.bytesOf(index)]).toEqual([10_000, 0]);
  });
});

/** SimAI's CheckIngressAdmission, UpdateIngressAdmission and RemoveFromIngressAdmission (behaviour.md, section 6). */
class NaiveBuffer {
  readonly ingress = new Map<number, number>();
  readonly headroom = new Map<number, number>();
  shared = 0;

  constructor(
    private readonly pool: number,
    private readonly limit: number,
    private readonly reserve: number,
    private readonly divisor: number,
    /** 0: dynamic */
    private readonly fixed = 0,
  ) {}

  sharedOf(queue: number): number {
    return Math.max(0, (this.ingress.get(queue) ?? 0) - this.reserve);
  }

  get threshold(): number {
    return this.fixed > 0 ? this.fixed : (this.pool - this.shared) / this.divisor;
  }

  admit(queue: number, bytes: number): boolean {
    const after = (this.ingress.get(queue) ?? 0) + bytes;
    const headroom = this.headroom.get(queue) ?? 0;
    const more = Math.max(0, Math.min(bytes, after - this.reserve));
    if (after > this.reserve && (after - this.reserve > this.threshold || this.shared + more > this.pool)) {
      if (headroom + bytes > this.limit) return false;
      this.headroom.set(queue, headroom + bytes);
      return true;
    }
    this.ingress.set(queue, after);
    this.shared += more;
    return true;
  }

  remove(queue: number, bytes: number): void {
    const fromHeadroom = Math.min(this.headroom.get(queue) ?? 0, bytes);
    const fromShared = Math.min(bytes - fromHeadroom, this.sharedOf(queue));
    this.headroom.set(queue, (this.headroom.get(queue) ?? 0) - fromHeadroom);
    this.ingress.set(queue, (this.ingress.get(queue) ?? 0) - (bytes - fromHeadroom));
    this.shared -= fromShared;
  }

  /** the condition for a pause after an admission */
  crowded(queue: number): boolean {
    return (this.headroom.get(queue) ?? 0) > 0 || this.sharedOf(queue) >= this.threshold;
  }
}

it(`does for any packets what SimAI's buffer does (WEFT_SEED=${seed})`, () => {
  const step = fc.record({
    port: fc.nat(2),
    queue: fc.integer({ min: 1, max: 7 }),
    bytes: fc.integer({ min: 1, max: 3000 }),
    leaves: fc.nat(2),
  });
  fc.assert(
    fc.property(
      fc.nat(60_000),
      fc.nat(3000),
      fc.nat(5),
      fc.nat(5),
      fc.option(fc.integer({ min: 1, max: 30_000 }), { nil: 0 }),
      fc.array(step, { maxLength: 150 }),
      (spare, reserve, thresholdShift, headroomDelays, fixed, steps) => {
        const fabric = star(3);
        const limit = 6250 * headroomDelays;
        const buffer = new SharedBuffer(
          fabric,
          settingsWith({
            switch: { buffer: 3 * (limit + reserve) + spare },
            pfc: {
              reserve,
              thresholdShift,
              headroom: 'delays',
              headroomDelays,
              ...(fixed > 0 ? { threshold: 'static', staticThreshold: fixed } : {}),
            },
          }),
        );
        const naive = new NaiveBuffer(spare, limit, reserve, 2 ** thresholdShift, fixed);
        const inside: { index: number; bytes: number }[] = [];
        for (const { port, queue, bytes, leaves } of steps) {
          const index = port * 8 + queue;
          const admitted = naive.admit(index, bytes);
          const wanted = !admitted
            ? BufferVerdict.refused
            : naive.crowded(index)
              ? BufferVerdict.crowded
              : BufferVerdict.roomy;
          expect(buffer.admit(0, port, index, bytes)).toBe(wanted);
          if (admitted) inside.push({ index, bytes });
          // packets leave in any order, as they do from different output queues
          for (let n = 0; n < leaves && inside.length > 0; n++) {
            const [packet] = inside.splice((bytes * 7 + n) % inside.length, 1);
            naive.remove(packet!.index, packet!.bytes);
            buffer.vacate(0, packet!.index, packet!.bytes);
          }
          expect([
            buffer.poolUsed[0],
            buffer.threshold(0),
            buffer.poolBytesOf(index),
            buffer.headroomBytesOf(index),
          ]).toEqual([naive.shared, naive.threshold, naive.sharedOf(index), naive.headroom.get(index) ?? 0]);
        }
        for (const { index, bytes } of inside) buffer.vacate(0, index, bytes);
        expect([...buffer.ingress, ...buffer.poolUsed].filter((value) => value !== 0)).toEqual([]);
      },
    ),
    { seed, numRuns: rounds(200) },
  );
});
