// The receiver of go-back-N on its own: what it answers to packets in order, again, and out of order.

import { beforeEach, describe, expect, it } from 'vitest';
import { Receiver } from '../support/receiver.js';

const us = 1_000_000;

describe('the receiver', () => {
  let receiver: Receiver;
  beforeEach(() => {
    receiver = new Receiver({}, 100);
  });

  /** Packets of the flow arrive. @returns the answer to each, or nothing */
  function answers(...packets: readonly (number | readonly [sequence: number, atPs: number])[]): string[] {
    return packets.map((packet) =>
      (typeof packet === 'number' ? receiver.receive(packet) : receiver.receive(...packet)).join(),
    );
  }

  it('acknowledges each packet in order with the next one expected', () => {
    expect(answers(0, 1, 2)).toEqual(['ack 1', 'ack 2', 'ack 3']);
    expect(receiver.transport.counters).toMatchObject({
      payloadBytesDelivered: 3000,
      dataPacketsDelivered: 3,
      acknowledgementsSent: 3,
    });
    for (const answer of receiver.answers) expect(answer).toMatchObject({ wireBytes: 60, queue: 3, marked: false });
  });

  it('acknowledges a duplicate again and delivers it once', () => {
    expect(answers(0, 1, 0, 1, 2)).toEqual(['ack 1', 'ack 2', 'ack 2', 'ack 2', 'ack 3']);
    expect(receiver.transport.counters.payloadBytesDelivered).toBe(3000);
  });

  it('reports a gap once per interval of 500 us, and drops what comes after it', () => {
    expect(answers(0, 2, 3, [4, 499 * us], [5, 500 * us], [6, 501 * us], [7, 1000 * us])).toEqual([
      'ack 1',
      'nack 1',
      '',
      '',
      'nack 1',
      '',
      'nack 1',
    ]);
    expect(receiver.transport.counters.payloadBytesDelivered).toBe(1000);
    // what was dropped is no longer a packet; what was answered is on its way
    expect(receiver.packets.live).toBe(receiver.answers.length);
  });

  it('reports another gap at once', () => {
    expect(answers(1, 0, 1, 3, 4)).toEqual(['nack 0', 'ack 1', 'ack 2', 'nack 2', '']);
  });
});
