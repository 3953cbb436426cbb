// The choice of queue at a port: queue 0 before all others, round robin over 1 to 7, paused queues left out.

import { beforeEach, describe, expect, it } from 'vitest';
import { Alarms } from '../../src/engine/alarms.js';
import { EventWheel } from '../../src/engine/event-wheel.js';
import { bytesShift, Kind, PacketPool, PacketWord } from '../../src/backends/packet/packets.js';
import { Ports } from '../../src/backends/packet/ports.js';
import { FabricBuilder, NodeKind } from '../../src/fabric/fabric.js';
import { writePacket } from '../support/engine-records.js';

describe('a port', () => {
  let ports: Ports;
  let pool: PacketPool;
  let wheel: EventWheel;

  beforeEach(() => {
    const builder = new FabricBuilder();
    builder.addNodes(NodeKind.host, 2);
    builder.addLink(0, 1, 100e9, 1000);
    wheel = new EventWheel();
    ports = new Ports({ fabric: builder.build(), wheel, alarms: new Alarms(wheel) });
    pool = new PacketPool(wheel.records);
  });

  function append(queue: number, wireBytes: number): number {
    const packet = pool.allocate();
    writePacket(wheel.records, packet, queue, wireBytes);
    ports.append(0, packet);
    return packet;
  }

  /** Takes packets until none may go. @returns their queues in order */
  function drain(): number[] {
    const queues: number[] = [];
    for (let eligible = ports.sendable(0); eligible !== 0; eligible = ports.sendable(0)) {
      const queue = ports.chooseQueue(0, eligible);
      ports.take(0, queue);
      queues.push(queue);
    }
    return queues;
  }

  it('serves queue 0 first, then the others in turn', () => {
    for (const queue of [3, 3, 3, 0, 7, 7, 1, 0]) append(queue, 100);
    expect(drain()).toEqual([0, 0, 1, 3, 7, 3, 7, 3]);
  });

  it('goes on after the queue served last when packets come in between', () => {
    for (const queue of [2, 2, 5, 5]) append(queue, 100);
    expect(ports.chooseQueue(0, ports.sendable(0))).toBe(2);
    ports.take(0, 2);
    append(4, 100);
    append(1, 100);
    expect(drain()).toEqual([4, 5, 1, 2, 5]);
  });

  it('leaves paused queues out, but never queue 0', () => {
    for (const queue of [0, 3, 4]) append(queue, 100);
    for (const queue of [0, 3]) ports.setPaused(0, queue, true);
    expect([ports.mayTransmit(0, 3), ports.mayTransmit(0, 4), ports.mayTransmit(0, 0)]).toEqual([false, true, true]);
    expect(drain()).toEqual([0, 4]);
    ports.setPaused(0, 3, false);
    expect(drain()).toEqual([3]);
  });

  it('keeps each queue in order and counts its bytes', () => {
    const packets = [append(3, 100), append(4, 7), append(3, 250), append(3, 1)];
    expect([ports.queueBytes(0, 3), ports.queueBytes(0, 4), ports.queueBytes(1, 3)]).toEqual([351, 7, 0]);
    expect([ports.take(0, 3), ports.queueBytes(0, 3), ports.take(0, 3), ports.take(0, 3), ports.take(0, 4)]).toEqual([
      packets[0],
      251,
      packets[2],
      packets[3],
      packets[1],
    ]);
    expect([ports.queueBytes(0, 3), ports.queueBytes(0, 4), ports.sendable(0)]).toEqual([0, 0, 0]);
  });

  it('puts control frames before acknowledgements in queue 0, one behind the other, and finds those that wait', () => {
    const frame = (queue: number): number => {
      const packet = pool.allocate();
      wheel.records.words[(packet << 3) + PacketWord.head] = Kind.pause | (64 << bytesShift);
      wheel.records.words[(packet << 3) + PacketWord.pair] = -1;
      wheel.records.words[(packet << 3) + PacketWord.place] = queue;
      ports.sendControl(0, packet);
      return packet;
    };
    // a data packet on the wire, then two acknowledgements, then frames
    const data = pool.allocate();
    writePacket(wheel.records, data, 3, 1000);
    ports.transmit(0, data);
    const acknowledgements = [append(0, 66), append(0, 66)];
    const frames = [frame(3), frame(5)];
    expect([3, 5, 4].map((queue) => ports.waitingControl(0, queue, -1))).toEqual([...frames, -1]);
    expect(ports.queueBytes(0, 0)).toBe(2 * 66 + 2 * 64);
    expect([0, 1, 2, 3].map(() => ports.take(0, 0))).toEqual([...frames, ...acknowledgements]);
    expect([ports.queueBytes(0, 0), ports.sendable(0), ports.waitingControl(0, 3, -1)]).toEqual([0, 0, -1]);
    // into an empty queue, and something behind it
    const first = frame(4);
    const last = append(0, 66);
    expect([ports.take(0, 0), ports.take(0, 0)]).toEqual([first, last]);
  });

  it('holds packets of the greatest size', () => {
    append(3, 65_535 + 1024);
    expect(ports.queueBytes(0, 3)).toBe(66_559);
  });
});
