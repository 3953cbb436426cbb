// Programs over a network without links: times by hand.

import { describe, expect, it } from 'vitest';
import { findProgram } from '../../src/programs/families/catalogue.js';
import { RankOperationKind, type RankProgram } from '../../src/programs/rank-program.js';
import {
  bareMachine,
  busy,
  placed,
  receives,
  runIdeally,
  sends,
  startsReceive,
  startsSend,
  waits,
  written,
} from '../support/ideal-messages.js';
import { groupDefaults } from '../support/setting-defaults.js';

const latencyPs = 1_000_000;
const psPerByte = 80;
/** of a transfer over that network */
const takes = (bytes: number): number => latencyPs + bytes * psPerByte;

describe('messages', () => {
  it('that are eager let their sender go on at once, and wait for a late receiver', () => {
    const { reports, sent } = runIdeally(
      [placed(written([sends(1, 1000), busy(7)], [busy(5 * takes(1000)), receives(0, 1000)]))],
      latencyPs,
      psPerByte,
    );
    expect(sent).toEqual([[0, 0, 1, 1000, 0]]);
    expect(reports[0]).toMatchObject({
      isFinished: true,
      isConserved: true,
      totalPs: 5 * takes(1000),
      waitPs: { maximum: 0 },
      handshakes: 0,
    });
  });

  it('above the limit ask, are answered when a receive is there, and then go: three transfers', () => {
    const bytes = 64_001;
    const late = 10_000_000;
    const { reports, sent } = runIdeally(
      [placed(written([sends(1, bytes)], [busy(late), receives(0, bytes)]))],
      latencyPs,
      psPerByte,
    );
    expect(sent).toEqual([
      [0, 0, 1, 16, 0],
      [1, 1, 0, 16, late],
      [2, 0, 1, bytes, late + takes(16)],
    ]);
    expect(reports[0]).toMatchObject({ totalPs: late + takes(16) + takes(bytes), handshakes: 2, messages: 1 });
  });

  it('of exactly the limit are eager', () => {
    const { reports } = runIdeally([placed(written([sends(1, 64_000)], [receives(0, 64_000)]))], latencyPs, psPerByte);
    expect(reports[0]!.handshakes).toBe(0);
  });

  it('in a ring of blocking sends go round one after the other: n messages in a row', () => {
    const ranks = 7;
    const ring = written(
      ...Array.from({ length: ranks }, (_, rank) =>
        rank === 0
          ? [sends(1, 100), receives(ranks - 1, 100)]
          : [receives(rank - 1, 100), sends((rank + 1) % ranks, 100)],
      ),
    );
    expect(runIdeally([placed(ring)], latencyPs, psPerByte).reports[0]!.totalPs).toBe(ranks * takes(100));
  });

  it('cost their sender and their receiver software time, one message after the other', () => {
    const machine = bareMachine({ sendOverhead: 300, receiveOverhead: 500 });
    const { reports, sent } = runIdeally(
      [
        placed(
          written(
            [startsSend(2, 8), startsSend(2, 8), waits],
            [startsSend(2, 8), waits],
            [startsReceive(0, 8), startsReceive(0, 8), startsReceive(1, 8), waits],
          ),
          { machine },
        ),
      ],
      latencyPs,
      psPerByte,
    );
    expect(sent.map(([, source, , , startPs]) => [source, startPs])).toEqual([
      [0, 300],
      [1, 300],
      [0, 600],
    ]);
    // two messages come together at 300 + takes; the third 300 later waits for both
    expect(reports[0]!.totalPs).toBe(300 + takes(8) + 3 * 500);
    // of which 300 passed while the third was on its way
    expect(reports[0]!.overheadPs.maximum).toBe(3 * 500 - 300);
  });

  it('that are computed beside need no wait', () => {
    const { reports } = runIdeally(
      [placed(written([startsReceive(1, 8), busy(2 * takes(8)), waits], [startsSend(0, 8), waits]))],
      latencyPs,
      psPerByte,
    );
    expect(reports[0]).toMatchObject({ totalPs: 2 * takes(8), waitPs: { maximum: 0 } });
  });

  it('within a node take no transfer: latency and bytes at the rate of memory', () => {
    const machine = bareMachine({ memoryLatency: 1000, memoryRate: 8e12 });
    const { reports, sent } = runIdeally(
      [
        placed(written([sends(1, 500), sends(1, 70_000)], [receives(0, 500), busy(4000), receives(0, 70_000)]), {
          machine,
          hosts: Int32Array.of(3, 3),
        }),
      ],
      latencyPs,
      psPerByte,
    );
    expect(sent).toEqual([]);
    // 500 bytes arrive at 1500; the long one begins when its receive is there
    expect(reports[0]).toMatchObject({
      totalPs: 1500 + 4000 + 1000 + 70_000,
      messages: 0,
      messagesInNodes: 2,
      bytesInNodes: 70_500,
      isConserved: true,
    });
  });

  it('of the same ends and tag meet in order, of other tags apart', () => {
    const { reports } = runIdeally(
      [placed(written([sends(1, 1, 5), sends(1, 1, 6)], [receives(0, 1, 6), receives(0, 1, 5)]))],
      latencyPs,
      psPerByte,
    );
    expect(reports[0]!.isFinished).toBe(true);
  });

  it('that nobody receives, and receives that nothing comes for, are named', () => {
    const { reports } = runIdeally([placed(written([sends(1, 1, 5)], [receives(0, 1, 6)]))], latencyPs, psPerByte);
    expect(reports[0]!.isFinished).toBe(false);
    expect(reports[0]!.waiting).toContain('rank 1 waits for a message of rank 0 (tag 6)');
    expect(reports[0]!.waiting).toContain('a message of rank 0 (tag 5) waits for a receive of rank 1');
  });

  it('leave a NIC as many at a time as its queue holds', () => {
    const machine = bareMachine({ sendQueue: 2 });
    const program = written(
      [...Array.from({ length: 5 }, () => startsSend(1, 100)), waits],
      [...Array.from({ length: 5 }, () => startsReceive(0, 100)), waits],
    );
    const { sent, reports } = runIdeally([placed(program, { machine })], latencyPs, psPerByte);
    expect(sent.map(([, , , , startPs]) => startPs)).toEqual([0, 0, takes(100), takes(100), 2 * takes(100)]);
    expect(reports[0]!.isFinished).toBe(true);
  });
});

/** A program that is one collective of all ranks. */
function collective(kind: number, ranks: number, sizeBytes = 0): RankProgram {
  return {
    ranks,
    phases: ['all'],
    operations: () => 1,
    read: (_, __, into) => into.collective(kind, 0, 1, ranks, sizeBytes),
  };
}

describe('collectives', () => {
  it.each([1, 2, 3, 4, 7, 8, 31])('barrier of %i: up and down a binary tree', (ranks) => {
    const { reports } = runIdeally([placed(collective(RankOperationKind.barrier, ranks))], latencyPs, psPerByte);
    // 2i + 1 and 2i + 2 are one level below i: the deepest of n is floor(log2 n) levels down
    expect(reports[0]!.totalPs).toBe(2 * Math.floor(Math.log2(ranks)) * takes(8));
    expect(reports[0]!.messages).toBe(2 * (ranks - 1));
    expect(reports[0]!.isConserved).toBe(true);
  });

  it('allreduce carries its bytes both ways', () => {
    const { reports } = runIdeally([placed(collective(RankOperationKind.allreduce, 8, 4096))], latencyPs, psPerByte);
    expect(reports[0]!.totalPs).toBe(2 * 3 * takes(4096));
    expect(reports[0]!.payloadBytes).toBe(14 * 4096);
  });

  it.each([2, 3, 5, 8])('alltoall of %i: everyone sends to everyone, an exchange after the other', (ranks) => {
    const { reports, sent } = runIdeally(
      [placed(collective(RankOperationKind.alltoall, ranks, 100))],
      latencyPs,
      psPerByte,
    );
    expect(reports[0]!.totalPs).toBe((ranks - 1) * takes(100));
    expect(new Set(sent.map(([, source, destination]) => `${source} ${destination}`)).size).toBe(ranks * (ranks - 1));
    expect(sent.length).toBe(ranks * (ranks - 1));
  });
});

describe('bisection', () => {
  const family = findProgram('bisection')!;

  it.each(['shift', 'shuffle'])('%s: five messages one after the other, each way', (pairing) => {
    const values = { ...groupDefaults(family.settings), pairing };
    const { reports, sent } = runIdeally([placed(family.make(values, 16, 3))], latencyPs, psPerByte);
    const bytes = 2 ** 21;
    expect(reports[0]).toMatchObject({
      totalPs: 5 * (2 * takes(16) + takes(bytes)),
      messages: 80,
      payloadBytes: 80 * bytes,
    });
    const partners = new Map(sent.map(([, source, destination]) => [source, destination]));
    for (const [source, destination] of partners) {
      expect(partners.get(destination)).toBe(source);
      expect(source < 8).toBe(destination >= 8);
      if (pairing === 'shift') expect(Math.abs(source - destination)).toBe(8);
    }
  });
});
