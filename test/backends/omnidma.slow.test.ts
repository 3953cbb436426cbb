// OmniDMA in whole runs: each fault of the peer (docs/models/omnidma.md) on purpose, with the figure that its behaviour
// would give; marks and windows; what is left of receivers.

import { describe, expect, it } from 'vitest';
import { mechanisms } from '../../src/backends/packet/mechanisms.js';
import { Kind, kindMask, PacketWord } from '../../src/backends/packet/packets.js';
import type { PacketParts } from '../../src/backends/packet/parts.js';
import type { Mechanism } from '../../src/backends/packet/mechanism.js';
import { OmniDma } from '../../src/backends/packet/transport/omnidma/omnidma.js';
import type { LossModel } from '../../src/engine/link-hazards.js';
import {
  adamapEventText,
  hitRateText,
  memoryUsageText,
  rnicDmaOperationText,
  rnicDmaStatisticsText,
} from '../../src/formats/omnidma-monitors.js';
import {
  AdamapCacheColumn,
  adamapCacheTable,
  AdamapEventColumn,
  adamapEventTable,
  MemoryUsageColumn,
  memoryUsageTable,
  RnicDmaOperationColumn,
  rnicDmaOperationTable,
  RnicDmaStatisticsColumn,
  rnicDmaStatisticsTable,
} from '../../src/records/rnic-records.js';
import type { Batch, TableSchema } from '../../src/records/schema.js';
import { runWith, type SeamRun } from '../seams/run.js';

const { data, ack, nack } = Kind;

/** A packet on the link that it leaves its host by. */
interface Seen {
  readonly kind: number;
  readonly sequence: number;
  /** how many of this kind and number came before */
  readonly before: number;
}

/** Loses what a rule says on the first link of its way, and counts the OmniNACKs. */
function losing(rule: (seen: Seen) => boolean, told: number[]): Mechanism<PacketParts, LossModel> {
  const make = ({ records, fabric: { portNode, portPeer, hosts } }: PacketParts): LossModel => {
    const counts = new Map<string, number>();
    return {
      always: true,
      loses: (packet, port) => {
        if (!hosts.includes(portNode[portPeer[port]!]!)) return false;
        const at = packet << 3;
        const [kind, sequence] = [
          records.words[at + PacketWord.head]! & kindMask,
          records.words[at + PacketWord.sequence]!,
        ];
        const key = `${kind} ${sequence}`;
        const before = counts.get(key) ?? 0;
        counts.set(key, before + 1);
        if (kind === nack) told.push(sequence);
        return rule({ kind, sequence, before });
      },
    };
  };
  return { description: 'by a rule', make };
}

interface FaultRun extends SeamRun {
  readonly us: number;
  /** first missing packets of the OmniNACKs */
  readonly told: readonly number[];
  readonly transport: OmniDma;
}

/** A flow of 1,000-byte packets over 10 us and 1 us at 100 Gb/s: a round trip of 22.2 us, 84.48 ns a packet. */
async function run(packets: number, rule: (seen: Seen) => boolean, more = ''): Promise<FaultRun> {
  const told: number[] = [];
  let transport: OmniDma | null = null;
  const { omnidma } = mechanisms.transports;
  const kept = {
    ...omnidma,
    make: (parts: Parameters<typeof omnidma.make>[0]): OmniDma => (transport = omnidma.make(parts)),
  };
  const made = await runWith(
    { transports: { omnidma: kept }, lossModels: { rule: losing(rule, told) } },
    `
fabric: { generate: wan-dumbbell }
packet: { payload: 1000B, header: 56B, acknowledgement: 108B, gap: 0B }
congestion: { algorithm: none }
transport: { algorithm: omnidma }
loss: { model: rule }
traffic: { transfers: [ { source: 0, destination: 1, size: ${packets}kB } ] }
${more}`,
  );
  expect(made.broken).toEqual([]);
  expect([made.summary.outcome, made.summary.counters.payloadBytesDelivered]).toEqual(['finished', packets * 1000]);
  return { ...made, us: made.summary.fct.meanNs / 1000, told, transport: transport! };
}

const nothing = (): boolean => false;
const once =
  (...sequences: readonly number[]) =>
  ({ kind, sequence, before }: Seen): boolean =>
    kind === data && before === 0 && sequences.includes(sequence);
const count = ({ summary }: SeamRun, name: string): number => summary.counters[name]!;

/** bytes of an OmniNACK: an ACK, 22 of fields, 16 bits */
const nackBytes = 132;
const packetUs = 0.084_48;
/** to the receiver, and an OmniNACK back, over both links: DMA of one map that the RNIC holds takes no time */
const roundTripUs = 2 * packetUs + 22 + (2 * nackBytes * 8) / 100e3;

describe('a lost packet', () => {
  it('costs one packet of time in the middle of a long flow', async () => {
    const [clean, lossy] = [await run(2000, nothing), await run(2000, once(100))];
    expect(lossy.us - clean.us).toBeCloseTo(packetUs, 5);
    expect([count(lossy, 'retransmittedPackets'), count(lossy, 'duplicatePackets')]).toEqual([1, 0]);
  });

  it('that is the first is sent again (the peer never notices, and says that the flow is complete)', async () => {
    const lossy = await run(2000, once(0));
    expect([count(lossy, 'retransmittedPackets'), lossy.told]).toEqual([1, [0]]);
  });

  it('near the end, in the open map, is told with the last packet (the peer: never)', async () => {
    const [clean, lossy] = [await run(500, nothing), await run(500, once(495))];
    expect(lossy.told).toEqual([495]);
    // the last packet is there; the OmniNACK goes back, the answer comes, and its ACK takes the place of the last one's
    expect(lossy.us - clean.us).toBeCloseTo(roundTripUs, 4);
  });

  it('that is the last costs a round trip and its margin (the peer: three of them and 200 us)', async () => {
    const [clean, lossy] = [await run(500, nothing), await run(500, once(499))];
    expect([count(lossy, 'retransmittedPackets'), count(lossy, 'timeouts')]).toEqual([1, 1]);
    // the wait counts from the start of the last packet to the repetition's
    const extraUs = lossy.us - clean.us;
    expect(extraUs).toBeGreaterThan(22);
    expect(extraUs).toBeLessThan((22.2 * 9) / 8 + 3);
  });

  it('before a lost tail does not send all that came between again (the peer: 1,898 duplicates)', async () => {
    const lossy = await run(2000, once(101, 1997, 1998, 1999));
    expect([count(lossy, 'retransmittedPackets'), count(lossy, 'duplicatePackets')]).toEqual([4, 0]);
  });
});

describe('answers that are lost', () => {
  it('an OmniNACK: the answer to the next one tells that it was', async () => {
    let lost = 0;
    const lossy = await run(3000, (seen) =>
      seen.kind === nack ? seen.sequence === 100 && lost++ === 0 : once(100, 200)(seen),
    );
    expect(lossy.told).toEqual([100, 100, 100]);
    expect([count(lossy, 'retransmittedPackets'), count(lossy, 'timeouts')]).toEqual([2, 0]);
  });

  it('every OmniNACK three times: the timers repeat it', async () => {
    const seen = new Map<number, number>();
    const lossy = await run(300, (packet) => {
      if (packet.kind !== nack) return once(50, 290)(packet);
      seen.set(packet.sequence, (seen.get(packet.sequence) ?? 0) + 1);
      return seen.get(packet.sequence)! <= 3;
    });
    expect(count(lossy, 'packetsLost')).toBeGreaterThan(4);
  });

  it('a retransmission: new data tell that it was, a round trip after it', async () => {
    const lossy = await run(2000, ({ kind, sequence, before }) => kind === data && sequence === 100 && before < 3);
    const clean = await run(2000, nothing);
    expect(lossy.told).toEqual([100, 100, 100]);
    expect(lossy.us - clean.us).toBeCloseTo(3 * packetUs, 5);
  });

  it('the last ACK: the probe is answered, and nothing else', async () => {
    const lossy = await run(300, ({ kind, sequence, before }) => kind === ack && sequence === 300 && before === 0);
    expect([lossy.told, count(lossy, 'duplicatePackets'), count(lossy, 'retransmittedPackets')]).toEqual([[], 1, 1]);
  });
});

describe('what comes late', () => {
  it('after the end is answered, and revives nothing (the peer: OmniNACKs to a sender that has gone)', async () => {
    // probes every 5 us of a 22 us round trip: most of them arrive when everything is there
    const late = await run(20, nothing, 'queuePair: { retransmissionTimeout: 5us, retries: 100 }');
    expect(count(late, 'duplicatePackets')).toBeGreaterThan(0);
    expect([late.told, late.transport.receiver.pool.live, late.transport.sender.pool.live]).toEqual([[], 0, 0]);
    expect(count(late, 'acknowledgementsSent')).toBe(count(late, 'dataPacketsDelivered'));
  });
});

/** Three senders to one receiver, every fiftieth packet lost once. */
const incast = (control: string): Promise<SeamRun> =>
  runWith(
    {
      lossModels: {
        rule: losing(({ kind, sequence, before }) => kind === data && before === 0 && sequence % 50 === 3, []),
      },
    },
    `
fabric: { generate: dumbbell, leftHosts: 4, rightHosts: 4 }
congestion: { algorithm: ${control} }
transport: { algorithm: omnidma }
loss: { model: rule }
pfc: { enabled: false }
traffic: { transfers: [ { source: 0, destination: 4, size: 4MB }, { source: 1, destination: 4, size: 4MB }, { source: 2, destination: 4, size: 4MB } ] }`,
  );

describe('under it', () => {
  it('marks come back, also while packets are missing: DCQCN slows the senders down', async () => {
    const [free, slowed] = [await incast('none'), await incast('dcqcn')];
    expect([free.broken, slowed.broken]).toEqual([[], []]);
    expect(count(slowed, 'notifications')).toBeGreaterThan(0);
    // whoever slows down leaves less in the buffer
    expect(count(slowed, 'ecnMarks')).toBeLessThan(count(free, 'ecnMarks') / 2);
    expect(count(slowed, 'peakPacketsInFlight')).toBeLessThan(count(free, 'peakPacketsInFlight'));
  });

  it('a window holds new packets back, and none that is sent again', async () => {
    // 22.2 us at 100 Gb/s are 277 packets
    const windowed = await run(2000, once(100), 'omnidma: { window: true }\nqueuePair: { window: max-bdp }');
    expect(count(windowed, 'peakPacketsInFlight')).toBeLessThan(300);
    expect(count(windowed, 'retransmittedPackets')).toBe(1);
    const free = await run(2000, once(100));
    expect(free.us).toBeLessThan(windowed.us);
  });
});

describe("the RNIC's DMA", () => {
  it('delays OmniNACKs and ACKs, never data: the tail comes later by what maps take', async () => {
    // one loss near the end; list and table are not held by the RNIC, so the map is written before its OmniNACK leaves
    const [none, slow] = [
      await run(500, once(495), 'rnic: { dma: off }'),
      await run(500, once(495), 'rnic: { dma: single, listCache: 0, dmaLatency: 3us, dmaBandwidth: 64Gbps }'),
    ];
    // written once; the answer reads it before its ACK leaves: 3 us + 34 B x 8 / 64 Gb/s each
    expect(slow.us - none.us).toBeCloseTo(2 * (3 + (34 * 8) / 64e3), 5);
  });
});

describe('records', () => {
  const probes =
    'probes: { rnicDmaOps: true, rnicDmaStats: true, memoryUsage: true, adamapCache: true, adamapEvents: true }';

  it('of one loss near the end, by hand', async () => {
    // the map is written, and read for its answer; 34 B take 4.25 ns at 64 Gb/s, after 200 ns
    const { sink } = await run(500, once(495), `rnic: { dma: single, listCache: 0 }\n${probes}`);
    const column = (table: TableSchema, index: number): number[] => [...sink.column(table, index)];
    const { operation, bytes, wait, service, backlog, depth } = RnicDmaOperationColumn;
    expect(column(rnicDmaOperationTable, operation)).toEqual([1, 4]);
    expect(column(rnicDmaOperationTable, bytes)).toEqual([34, 34]);
    expect(column(rnicDmaOperationTable, wait)).toEqual([0, 0]);
    for (const index of [service, backlog]) expect(column(rnicDmaOperationTable, index)).toEqual([204_250, 204_250]);
    expect(column(rnicDmaOperationTable, depth)).toEqual([1, 1]);
    expect(column(rnicDmaStatisticsTable, RnicDmaStatisticsColumn.completed).at(-1)).toBe(2);
    expect(column(rnicDmaStatisticsTable, RnicDmaStatisticsColumn.reads).at(-1)).toBe(1);
    expect(column(memoryUsageTable, MemoryUsageColumn.list)).toEqual([1, 0]);
    expect(column(memoryUsageTable, MemoryUsageColumn.table)).toEqual([0, 0]);
    // a round trip, seen every 10 us
    const [from, to] = column(memoryUsageTable, MemoryUsageColumn.time);
    expect([10e6, 20e6, 30e6]).toContain(to! - from!);
    expect([AdamapCacheColumn.listLooks, AdamapCacheColumn.listHits].map((at) => column(adamapCacheTable, at))).toEqual(
      [[1], [0]],
    );
    expect(column(adamapEventTable, AdamapEventColumn.event)).toEqual([1, 5, 8, 3]);
  });

  it('change nothing', async () => {
    const [without, with_] = [await run(500, once(3, 400)), await run(500, once(3, 400), probes)];
    expect(with_.us).toBe(without.us);
    expect(with_.summary.counters).toEqual(without.summary.counters);
  });

  it('have the columns of the peer as text', async () => {
    const { sink } = await run(500, once(495), `rnic: { dma: single, listCache: 0 }\n${probes}`);
    const text = (table: TableSchema, form: (batch: Batch) => string): string[] => {
      const columns = table.columns.map((_, index) => sink.column(table, index));
      return form({ schema: table, rows: sink.rowCount(table), columns })
        .trimEnd()
        .split('\n');
    };
    // the last packet is there after 500 packets, another link's time for it, and 11 us: 42.24 + 0.08448 + 11 us
    expect(text(rnicDmaOperationTable, rnicDmaOperationText)[0]).toBe('53324,1,0,1,LL_APPEND_WRITE,34,0,204,204,1');
    expect(text(rnicDmaStatisticsTable, rnicDmaStatisticsText)).toContain('60000,1,0,0,1,1,34,34,0,1,0,0,1');
    expect(text(memoryUsageTable, memoryUsageText)).toEqual(['60000,1,1,0', '80000,1,0,0']);
    expect(text(adamapCacheTable, hitRateText)).toEqual(['0, 1, 0, 1, 0, 0, 0']);
    // packet 494 is before the hole; 496 to 499 are there
    expect(text(adamapEventTable, adamapEventText)[0]).toBe(
      '[Event 0] 53324: host 1 flowid 0 seq=495 | closed Adamap. id 0 startSeq 494 reprLength 5 bitmap 01111',
    );
  });
});
