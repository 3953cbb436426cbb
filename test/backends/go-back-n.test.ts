// The receiver of go-back-N on its own: what it answers to packets in order, again, and out of order.

import { beforeEach, describe, expect, it } from 'vitest';
import { EventRecords } from '../../src/backends/packet/event-records.js';
import { Kind, PacketPool } from '../../src/backends/packet/packets.js';
import { QueuePairs } from '../../src/backends/packet/queue-pairs.js';
import { GoBackN } from '../../src/backends/packet/transport/go-back-n.js';
import { packetFacts, writePacket } from '../support/engine-records.js';
import { settingsWith } from '../support/engine-run.js';

const us = 1_000_000;

describe('the receiver', () => {
  let clock: { nowPs: number };
  let records: EventRecords;
  let packets: PacketPool;
  let pairs: QueuePairs;
  let pair: number;
  let transport: GoBackN;
  let answers: string[];

  beforeEach(() => {
    clock = { nowPs: 0 };
    records = new EventRecords();
    packets = new PacketPool(records);
    pairs = new QueuePairs(() => {});
    pair = pairs.allocate();
    answers = [];
    const congestion = { start: () => {}, acknowledged: () => {}, decreaseDue: () => {}, increaseDue: () => {}, reserve: () => {} };
    const host = {
      reply: (packet: number) => {
        const { kind, sequence, wireBytes } = packetFacts({ records }, packet);
        expect(wireBytes).toBe(60);
        answers.push(`${kind === Kind.ack ? 'ack' : 'nack'} ${sequence}`);
      },
      canSendAgain: () => {},
      finished: () => {},
      lookAt: () => {},
    };
    transport = new GoBackN(settingsWith({ packet: { profile: 'simai', payload: 1000, header: 52 } }), pairs, packets, records, congestion, host, clock);
  });

  /** A packet of the flow arrives. @returns the answer, or nothing */
  function receive(sequence: number, atPs = clock.nowPs): string | undefined {
    clock.nowPs = atPs;
    const packet = packets.allocate();
    pairs.reference(pair);
    writePacket(records, packet, 3, 1052, sequence);
    const before = answers.length;
    transport.receiveData(packet, pair);
    return answers[before];
  }

  it('acknowledges each packet in order with the next one expected', () => {
    expect([0, 1, 2].map((sequence) => receive(sequence))).toEqual(['ack 1', 'ack 2', 'ack 3']);
    expect(transport.counters).toMatchObject({ payloadBytesDelivered: 3000, dataPacketsDelivered: 3, acknowledgementsSent: 3 });
  });

  it('acknowledges a duplicate again and delivers it once', () => {
    expect([0, 1, 0, 1, 2].map((sequence) => receive(sequence))).toEqual(['ack 1', 'ack 2', 'ack 2', 'ack 2', 'ack 3']);
    expect(transport.counters.payloadBytesDelivered).toBe(3000);
  });

  it('reports a gap once per interval of 500 us, and drops what comes after it', () => {
    expect([receive(0), receive(2), receive(3), receive(4, 499 * us), receive(5, 500 * us), receive(6, 501 * us), receive(7, 1000 * us)]).toEqual(['ack 1', 'nack 1', undefined, undefined, 'nack 1', undefined, 'nack 1']);
    expect(transport.counters.payloadBytesDelivered).toBe(1000);
    // what was dropped is no longer a packet; what was answered is on its way
    expect(packets.live).toBe(answers.length);
  });

  it('reports another gap at once', () => {
    expect([receive(1), receive(0), receive(1), receive(3), receive(4)]).toEqual(['nack 0', 'ack 1', 'ack 2', 'nack 2', undefined]);
  });
});
