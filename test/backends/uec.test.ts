// The UEC transport: trimming on an incast, receivers' credits, what a sender knows of its packets, and how much memory
// that takes.

import { describe, expect, it } from 'vitest';
import { Kind, kindMask, PacketWord, bytesShift, queueShift } from '../../src/backends/packet/packets.js';
import { Sent, SentPackets } from '../../src/backends/packet/transport/uec/sent-packets.js';
import { uecSettings } from '../../src/backends/packet/transport/uec/uec-settings.js';
import { settingDefaults } from '../../src/base/settings.js';
import { broken, engineRun, settingsWith, type EngineRun, type Transfer } from '../support/engine-run.js';
import { runWith, type SeamRun } from '../seams/run.js';
import { star } from '../../validation/fabrics.js';

const us = 1e6;
const payload = 4000;
/** link time of a full packet: 4,000 + 62 + 20 B at 100 Gb/s */
const packetPs = (4082 * 8e12) / 100e9;

interface Seen {
  /** data packets in queue 0, and the bytes of each */
  trimmed: number;
  readonly trimmedBytes: Set<number>;
  nacks: number;
  credits: number;
}

/** So many senders with so many packets each into host 0 of a star, without PFC. */
function incast(
  senders: number,
  packets: number,
  own: Partial<Record<keyof typeof uecSettings, string | number>> = {},
  device: { readonly buffer?: number; readonly trimming?: boolean } = {},
): { readonly run: EngineRun; readonly seen: Seen } {
  const seen: Seen = { trimmed: 0, trimmedBytes: new Set(), nacks: 0, credits: 0 };
  const transfers = Array.from({ length: senders }, (_, i): Transfer => [i + 1, 0, packets * payload]);
  const run = engineRun(star(senders + 1, us), transfers, {
    settings: settingsWith({
      packet: { payload },
      transport: { algorithm: 'uec' },
      pfc: { enabled: false },
      switch: { buffer: 200_000, trimming: true, ...device },
      own: { uec: { ...settingDefaults(uecSettings), ...own } },
    }),
    onArrival: (packet, port, { parts: { fabric, records } }) => {
      const head = records.words[(packet << 3) + PacketWord.head]!;
      const kind = head & kindMask;
      const isAtHost = fabric.hosts.includes(fabric.portNode[port]!);
      if (!isAtHost) return;
      if (kind === Kind.data && ((head >> queueShift) & 7) === 0) {
        seen.trimmed++;
        seen.trimmedBytes.add(head >> bytesShift);
      }
      if (kind === Kind.nack) seen.nacks++;
      if (kind === Kind.notification) seen.credits++;
    },
  });
  return { run, seen };
}

describe('trimming on an incast', () => {
  it.each(['nscc', 'rccc', 'both'])(
    '%s: every header is answered, every payload sent once more, no timeout',
    (control) => {
      const { run, seen } = incast(16, 200, { control });
      expect(broken(run)).toEqual([]);
      const { counters } = run.network;
      expect(counters.packetsTrimmed).toBeGreaterThan(100);
      expect(seen).toMatchObject({ trimmed: counters.packetsTrimmed, nacks: counters.packetsTrimmed });
      expect([...seen.trimmedBytes]).toEqual([64]);
      expect([counters.timeouts, counters.packetsDropped, counters.duplicatePackets]).toEqual([0, 0, 0]);
      expect(counters.dataPacketsSent).toBe(16 * 200 + counters.packetsTrimmed);
      expect(counters.retransmittedPackets).toBe(counters.packetsTrimmed);
      expect(counters.retransmittedBytes).toBe(counters.packetsTrimmed * payload);
      expect(counters.payloadBytesDelivered).toBe(16 * 200 * payload);
    },
  );

  it('keeps the link of the receiver busy', () => {
    const bound = 16 * 200 * packetPs;
    for (const control of ['nscc', 'rccc']) {
      const finishPs = Math.max(...incast(16, 200, { control }).run.flows.map((flow) => flow.finishPs));
      expect(finishPs).toBeGreaterThan(bound);
      expect(finishPs).toBeLessThan(1.03 * bound);
    }
  });

  it('drops whole packets without it, which takes longer', () => {
    const dropping = incast(16, 20, {}, { trimming: false });
    expect(broken(dropping.run)).toEqual([]);
    expect(dropping.seen.trimmed).toBe(0);
    expect(dropping.run.network.counters.packetsDropped).toBeGreaterThan(0);
    const last = ({ run }: typeof dropping): number => Math.max(...run.flows.map((flow) => flow.finishPs));
    expect(last(dropping)).toBeGreaterThan(last(incast(16, 20)));
  });

  it('trims nothing for a transport that does not read it', () => {
    const run = engineRun(
      star(5, us),
      [1, 2, 3, 4].map((host): Transfer => [host, 0, 400_000]),
      {
        settings: settingsWith({ pfc: { enabled: false }, switch: { buffer: 50_000, trimming: true } }),
      },
    );
    expect(broken(run)).toEqual([]);
    expect(run.network.counters.packetsTrimmed).toBe(0);
    expect(run.network.counters.packetsDropped).toBeGreaterThan(0);
  });
});

describe('credits', () => {
  it('come as fast as the link takes packets, and share it alike', () => {
    const { run, seen } = incast(8, 400, { control: 'rccc' }, { buffer: 4_000_000 });
    expect(broken(run)).toEqual([]);
    expect(run.network.counters.packetsTrimmed).toBe(0);
    // all but the first credit of each: the product of 100 Gb/s and 4.66 us is 14 packets of 4,062 B
    expect(seen.credits).toBe(8 * (400 - 14));
    const ends = run.flows.map((flow) => flow.finishPs);
    expect(Math.max(...ends) - Math.min(...ends)).toBeLessThan(0.01 * 8 * 400 * packetPs);
  });

  it('keep the queue at what was sent without them', () => {
    // 32 senders with 14 packets each at once: 1.8 MB; a window of 1.5 products would be 2.7 MB
    const first = incast(32, 100, { control: 'rccc' }, { buffer: 8_000_000, trimming: false });
    const window = incast(32, 100, { control: 'none' }, { buffer: 8_000_000, trimming: false });
    const peak = ({ run }: typeof first): number => run.network.counters.peakPacketsInFlight;
    expect(peak(first)).toBeLessThan(32 * 16);
    expect(peak(window)).toBeGreaterThan(32 * 18);
  });
});

describe('what a sender knows of its packets', () => {
  it('lists those under way by the time of their last transmission', () => {
    const sent = new SentPackets(100);
    expect(sent.range).toBe(128);
    const block = sent.open();
    for (let i = 0; i < 4; i++) expect(sent.send(block, i, 1000, i * 10)).toBe(i);
    expect([sent.oldest(block), sent.inFlight(block)]).toEqual([0, 4000]);
    sent.lose(block, 0, 1000);
    sent.lose(block, 2, 1000);
    expect([sent.oldest(block), sent.inFlight(block), sent.lost(block), sent.firstLost(block)]).toEqual([
      1, 2000, 2, 0,
    ]);
    expect(sent.send(block, 0, 1000, 50)).toBe(4);
    expect(sent.acknowledge(block, 1, 1000)).toBe(true);
    expect([sent.oldest(block), sent.sentAtPs(block, 0), sent.transmissionOf(block, 0)]).toEqual([3, 50, 4]);
    // a lost one has come after all
    expect(sent.acknowledge(block, 2, 1000)).toBe(true);
    expect(sent.acknowledge(block, 2, 1000)).toBe(false);
    expect([sent.lost(block), sent.firstLost(block), sent.inFlight(block)]).toEqual([0, -1, 2000]);
    expect(sent.noteAcknowledged(block, 4)).toBe(4);
    expect(sent.noteAcknowledged(block, 3)).toBe(4);
  });

  it('gives the place of what has been passed to another', () => {
    const sent = new SentPackets(64);
    const block = sent.open();
    for (let i = 0; i < 64; i++) sent.send(block, i, 1, 0);
    expect(() => sent.send(block, 64, 1, 0)).toThrow(/under way/);
    sent.acknowledge(block, 0, 1);
    sent.pass(block, 0);
    expect(sent.stateOf(block, 64)).toBe(Sent.unsent);
    sent.send(block, 64, 1, 0);
    expect(sent.oldest(block)).toBe(1);
  });

  it('uses blocks again, so that memory follows flows at once', () => {
    const sent = new SentPackets(64);
    const blocks = [sent.open(), sent.open(), sent.open()];
    sent.send(blocks[1]!, 5, 1000, 0);
    sent.close(blocks[1]!);
    const again = sent.open();
    expect([again, sent.live, sent.inFlight(again), sent.oldest(again)]).toEqual([blocks[1], 3, 0, -1]);
  });
});

it('gives back all that senders kept when their flows have ended', () => {
  const { run } = incast(8, 50);
  const transport = run.network.parts.transport as unknown as { readonly sent: SentPackets };
  expect(transport.sent.live).toBe(0);
});

/** A flow of 400 packets that nothing is in the way of. @param interval bytes for an ACK */
const alone = (interval: number, more: Parameters<typeof incast>[2] = {}) =>
  incast(1, 400, { acknowledgementInterval: interval, ...more }, { buffer: 4_000_000 });

describe('an answer for several packets', () => {
  it('comes for every fourth of 4,062 B with 16 KiB, and when the sender may send no more', () => {
    const each = alone(0);
    const fourth = alone(16_384);
    expect([broken(each.run), broken(fourth.run)]).toEqual([[], []]);
    expect(each.run.network.counters.acknowledgementsSent).toBe(400);
    const { acknowledgementsSent, dataPacketsSent, duplicatePackets, timeouts } = fourth.run.network.counters;
    expect([dataPacketsSent, duplicatePackets, timeouts]).toEqual([400, 0, 0]);
    // 5 x 4,062 B are the first above 16 KiB: the first packet, one for five of the others, and those asked for
    expect(acknowledgementsSent).toBeGreaterThanOrEqual(1 + Math.floor(399 / 5));
    expect(acknowledgementsSent).toBeLessThan(0.5 * 400);
    // the sender's link is never idle: a window of 1.5 products covers what waits for an answer
    const [end, other] = [each, fourth].map(({ run }) => run.flows[0]!.finishPs) as [number, number];
    expect(other).toBe(end);
  });

  it.each(['nscc', 'rccc', 'both', 'none'])('%s: nobody waits for an answer that does not come', (control) => {
    for (const maximumWindow of [0.01, 0.2, 1.5]) {
      const { run } = alone(1_000_000, { control, maximumWindow });
      expect(broken(run)).toEqual([]);
      expect([run.network.counters.timeouts, run.network.counters.dataPacketsSent]).toEqual([0, 400]);
    }
  });
});

/** Two flows over four spines, one of 10 Gb/s: without a mark to leave it, a fourth of the packets comes a queue later. */
function unlikePaths(threshold: string | number): Promise<SeamRun> {
  return runWith(
    {},
    `
fabric: { generate: leaf-spine, leaves: 2, spines: 4, hostsPerLeaf: 2, hostRate: 100Gbps, spineRate: 100Gbps }
routing: { balancing: entropy }
transport: { algorithm: uec }
uec: { control: rccc, reorderThreshold: ${threshold} }
pfc: { enabled: false }
switch: { buffer: 8MB }
failures: { events: [ { at: 0us, rate: 10Gbps, link: "leaf[0]-spine[1]" } ] }
traffic: { transfers: [ { source: 0, destination: 2, size: 4MB }, { source: 1, destination: 3, size: 4MB } ] }
`,
  );
}

const duplicates = ({ summary }: SeamRun): number => summary.counters['duplicatePackets']!;

it('waits longer for packets that came after all: paths of which one is ten times as slow', async () => {
  // the window's packets alone, as it was: 1.5 products of 100 Gb/s and 8 us
  const [count, time] = [await unlikePaths(38), await unlikePaths('auto')];
  expect([count.broken, time.broken]).toEqual([[], []]);
  expect(duplicates(count)).toBeGreaterThan(100);
  expect(duplicates(time)).toBeLessThan(duplicates(count) / 3);
  expect(time.summary.simulatedPs).toBeLessThan(count.summary.simulatedPs);
});
