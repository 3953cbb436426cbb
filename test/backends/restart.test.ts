// Back to zero: what sender and receiver do after a loss when they go back to the start of the chunk or of the message,
// and the livelock of Guo et al., SIGCOMM 2016, section 4.1.

import { describe, expect, it } from 'vitest';
import { FabricBuilder, NodeKind, type Fabric } from '../../src/fabric/fabric.js';
import { broken, engineRun, settingsWith, type EngineRun, type SettingChanges } from '../support/engine-run.js';
import { loseArrivals } from '../../validation/losses.js';
import { PacketWord } from '../../src/backends/packet/packets.js';
import { Receiver } from '../support/receiver.js';

const us = 1e6;

/** Packets of 1,000 B arrive one after the other. @returns the answer to each, or nothing */
function answersOf(receiver: Receiver, sequences: readonly number[]): string[] {
  return sequences.map((sequence) => receiver.receive(sequence).join());
}

describe('the receiver', () => {
  it('asks for the whole message after a gap, and takes it anew', () => {
    const receiver = new Receiver({ goBackTo: 'message-start' }, 6);
    expect(answersOf(receiver, [0, 1, 3, 4])).toEqual(['ack 1', 'ack 2', 'nack 0', '']);
    // the next loss is another one, although the same packet is asked for: it is reported at once
    expect(answersOf(receiver, [0, 1, 2, 4, 5])).toEqual(['ack 1', 'ack 2', 'ack 3', 'nack 0', '']);
    expect(answersOf(receiver, [0, 1, 2, 3, 4, 5])).toEqual(['ack 1', 'ack 2', 'ack 3', 'ack 4', 'ack 5', 'ack 6']);
    // every byte counts once
    expect(receiver.transport.counters.payloadBytesDelivered).toBe(6000);
  });

  it('asks for the chunk, in whole packets', () => {
    // 2,500 B are three packets: chunks begin at 0, 3 and 6
    const receiver = new Receiver({ goBackTo: 'chunk-start', chunk: 2500 }, 100);
    expect(answersOf(receiver, [0, 1, 2, 3, 4, 6])).toEqual(['ack 1', 'ack 2', 'ack 3', 'ack 4', 'ack 5', 'nack 3']);
    expect(answersOf(receiver, [3, 4, 5, 7])).toEqual(['ack 4', 'ack 5', 'ack 6', 'nack 6']);
    expect(receiver.transport.counters.payloadBytesDelivered).toBe(6000);
  });

  it('goes back with a sender that goes back by itself, except after the end', () => {
    const receiver = new Receiver({ goBackTo: 'message-start' }, 4);
    expect(answersOf(receiver, [0, 1, 2, 0, 1, 2])).toEqual(['ack 1', 'ack 2', 'ack 3', 'ack 1', 'ack 2', 'ack 3']);
    expect(answersOf(receiver, [3, 0, 1])).toEqual(['ack 4', 'ack 4', 'ack 4']);
    expect(receiver.transport.counters.payloadBytesDelivered).toBe(4000);
    const chunked = new Receiver({ goBackTo: 'chunk-start', chunk: 2000 }, 100);
    // 2 begins the chunk of the expected packet 3; 0 and 1 are of a chunk that is complete
    expect(answersOf(chunked, [0, 1, 2, 0, 1, 2, 3])).toEqual([
      'ack 1',
      'ack 2',
      'ack 3',
      'ack 3',
      'ack 3',
      'ack 3',
      'ack 4',
    ]);
  });

  it('counts packets that wait for an ACK like the others', () => {
    const receiver = new Receiver({ goBackTo: 'message-start', acknowledgementInterval: 3 }, 6);
    expect(answersOf(receiver, [0, 1, 3, 0, 1, 2, 3, 4, 5])).toEqual([
      '',
      '',
      'nack 0',
      '',
      '',
      'ack 3',
      '',
      '',
      'ack 6',
    ]);
    expect(receiver.transport.counters.payloadBytesDelivered).toBe(6000);
  });
});

/** Two hosts, 0 and 1, with one switch between them. */
function throughOneSwitch(rateBps: number): Fabric {
  const builder = new FabricBuilder();
  builder.addNodes(NodeKind.host, 2);
  builder.addNode(NodeKind.switch);
  builder.addLink(0, 2, rateBps, 500_000);
  builder.addLink(1, 2, rateBps, 500_000);
  return builder.build();
}

/** A run in which the switch drops arrivals from host 0: those for whose number, from 0, `isLost` says so. */
function dropping(
  isLost: (arrival: number) => boolean,
  sizeBytes: number,
  queuePair: SettingChanges['queuePair'],
  rateBps = 40e9,
  mostEvents = Infinity,
): EngineRun {
  const fabric = throughOneSwitch(rateBps);
  const settings = settingsWith({
    packet: { payload: 1024 },
    ecn: { enabled: false },
    queuePair: { nackInterval: 50 * us, ...queuePair },
  });
  return engineRun(fabric, [[0, 1, sizeBytes]], {
    settings,
    mostEvents,
    prepare: (network) => {
      const fromSender = fabric.portPeer[fabric.portOffset[0]!]!;
      let arrivals = 0;
      loseArrivals(network, (_packet, port) => port === fromSender && isLost(arrivals++));
    },
  });
}

/** The paper's switch: it drops every packet whose IP identification, a counter at the sender, ends in 0xff. */
const oneIn256 = (arrival: number): boolean => (arrival & 0xff) === 0xff;

const message = 4 * 1024 * 1024;

describe('the livelock of Guo et al.: a message of 4 MB, one packet in 256 dropped', () => {
  it('makes no progress with go-back-0, at full link rate, and is ended', () => {
    const run = dropping(oneIn256, message, { goBackTo: 'message-start' }, 10e9);
    expect(run.state).toBe('blocked');
    const { dataPacketsSent, payloadBytesDelivered, timeouts } = run.network.counters;
    // 255 packets in a row are the most that ever arrive
    expect(payloadBytesDelivered).toBe(255 * 1024);
    // the link was busy all the time
    const linkPs = (dataPacketsSent * (1024 + 62 + 20) * 8e12) / 10e9;
    expect(linkPs / run.network.nowPs).toBeGreaterThan(0.95);
    expect(timeouts).toBe(0);
    expect(broken(run)).toEqual([
      expect.stringMatching(/0 of 1 flows finished; packets circulate, .*; unfinished: 0$/),
    ]);
  });

  it('goes on with go-back-N at nearly full goodput', () => {
    const run = dropping(oneIn256, message, {});
    expect(broken(run)).toEqual([]);
    const { payloadBytesDelivered, packetsLost, retransmittedBytes } = run.network.counters;
    expect(payloadBytesDelivered).toBe(message);
    expect(packetsLost).toBeGreaterThanOrEqual(16);
    // each loss costs what was sent until the NACK came: four cables of 500 ns, two data packets and two NACKs are 2.5
    // us, 12 packets
    const packetPs = (1024 + 62 + 20) * 200;
    const nackPs = 4 * 500_000 + 2 * packetPs + 2 * (66 + 20) * 200;
    const mostAgainPackets = Math.ceil(nackPs / packetPs) + 2;
    expect(retransmittedBytes / 1024).toBeLessThanOrEqual(packetsLost * mostAgainPackets);
    const goodput = (4096 * packetPs) / run.flows[0]!.finishPs;
    expect(goodput).toBeGreaterThan(256 / (256 + mostAgainPackets + 1));
    expect(goodput).toBeLessThan(1);
  });

  it('goes on with chunks that are shorter than the distance of two losses, more slowly', () => {
    const chunked = dropping(oneIn256, message, { goBackTo: 'chunk-start', chunk: 64 * 1024 });
    expect(broken(chunked)).toEqual([]);
    expect(chunked.network.counters.payloadBytesDelivered).toBe(message);
    expect(chunked.flows[0]!.finishPs).toBeGreaterThan(dropping(oneIn256, message, {}).flows[0]!.finishPs);
    // a chunk of 256 packets never gets through
    expect(dropping(oneIn256, message, { goBackTo: 'chunk-start', chunk: 256 * 1024 }, 10e9).state).toBe('blocked');
  });
});

describe('a run that goes back to the start', () => {
  it('sends all that was sent again', () => {
    // the sixth of ten packets is lost: all ten are on their way before the NACK is back, and all go again
    const run = dropping((arrival) => arrival === 5, 10 * 1024, { goBackTo: 'message-start' });
    expect(broken(run)).toEqual([]);
    expect(run.network.counters).toMatchObject({
      dataPacketsSent: 20,
      retransmittedBytes: 10 * 1024,
      payloadBytesDelivered: 10 * 1024,
      timeouts: 0,
    });
    // 0 to 4 acknowledged, a NACK, then all ten
    expect(run.network.counters.acknowledgementsSent).toBe(5 + 1 + 10);
    const byChunk = dropping((arrival) => arrival === 5, 10 * 1024, { goBackTo: 'chunk-start', chunk: 4 * 1024 });
    expect(byChunk.network.counters).toMatchObject({ dataPacketsSent: 10 + 6, retransmittedBytes: 6 * 1024 });
  });

  it('starts the message anew after a timeout', () => {
    const run = dropping((arrival) => arrival === 9, 10 * 1024, {
      goBackTo: 'message-start',
      retransmissionTimeout: 100 * us,
    });
    expect(broken(run)).toEqual([]);
    expect(run.network.counters).toMatchObject({ dataPacketsSent: 20, timeouts: 1, payloadBytesDelivered: 10 * 1024 });
  });

  it('gives up after its retries if every attempt ends in a timeout, however far each came', () => {
    // the last packet is lost every time, so no NACK ever comes
    const run = dropping((arrival) => arrival % 10 === 9, 10 * 1024, {
      goBackTo: 'message-start',
      retransmissionTimeout: 100 * us,
      retries: 3,
    });
    expect(run.state).toBe('blocked');
    expect(run.network.counters).toMatchObject({ timeouts: 3, dataPacketsSent: 40 });
    expect(broken(run)).toEqual([expect.stringContaining('0 of 1 flows finished')]);
    // also where an attempt is so slow that the looks see it on its way
    const slow = dropping(
      (arrival) => arrival % 10 === 9,
      10 * 1024,
      { goBackTo: 'message-start', retransmissionTimeout: 100 * us, retries: 3 },
      1e9,
      100_000,
    );
    expect([slow.state, slow.network.counters.timeouts]).toEqual(['blocked', 3]);
  });

  it('begins anew with every flow', () => {
    const run = engineRun(
      throughOneSwitch(40e9),
      [
        [0, 1, 10 * 1024],
        [0, 1, 10 * 1024, 100 * us],
      ],
      { settings: settingsWith({ packet: { payload: 1024 }, queuePair: { goBackTo: 'message-start' } }) },
    );
    expect(broken(run)).toEqual([]);
    // one queue pair after the other, with the same number
    expect(run.network.parts.pairs.count).toBe(1);
    expect(run.network.counters.payloadBytesDelivered).toBe(2 * 10 * 1024);
  });

  it('lets a flow that has just begun go on while another circles', () => {
    // flow 0 circles; the look that would end the run, after 200 ms, comes 1 us after flow 1 has begun
    const builder = new FabricBuilder();
    builder.addNodes(NodeKind.host, 4);
    builder.addLink(0, 1, 10e9, 500_000);
    builder.addLink(2, 3, 10e9, 500_000);
    const fabric = builder.build();
    const run = engineRun(
      fabric,
      [
        [0, 1, 1024 * 1024],
        [2, 3, 1024 * 1024, 200e9 - us],
      ],
      {
        settings: settingsWith({
          packet: { payload: 1024 },
          ecn: { enabled: false },
          queuePair: { goBackTo: 'message-start' },
        }),
        prepare: (network) => {
          let arrivals = 0;
          loseArrivals(network, (_packet, port) => port === fabric.portOffset[1] && arrivals++ % 64 === 63);
        },
      },
    );
    expect(run.state).toBe('blocked');
    expect(run.flows.map(({ flow }) => flow)).toEqual([1]);
    expect(run.network.nowPs).toBe(400e9);
  });

  it('is ended also where it circles slowly', () => {
    // a long cable: 100 packets per round trip of 10 ms, so that 10,000 packets without progress take a second
    const builder = new FabricBuilder();
    builder.addNodes(NodeKind.host, 2);
    builder.addLink(0, 1, 100e6, 5e9);
    const fabric = builder.build();
    const settings = settingsWith({
      packet: { payload: 1024 },
      ecn: { enabled: false },
      queuePair: { goBackTo: 'message-start', nackInterval: 50 * us },
      dcqcn: { minimumRate: 1e6 },
    });
    const run = engineRun(fabric, [[0, 1, 1024 * 1024]], {
      settings,
      prepare: (network) => {
        let arrivals = 0;
        loseArrivals(network, (_packet, port) => port === fabric.portOffset[1] && arrivals++ % 64 === 63);
      },
    });
    expect(run.state).toBe('blocked');
    expect(broken(run)).toEqual([expect.stringContaining('packets circulate')]);
  });
});

it('counts the timeouts of each flow for itself, also where a flow takes the number of one that has finished', () => {
  const fabric = throughOneSwitch(40e9);
  // of each flow, the one packet is lost once: every flow needs its one retry
  const run = engineRun(
    fabric,
    [
      [0, 1, 500],
      [0, 1, 500, 10_000 * us],
    ],
    {
      settings: settingsWith({
        ecn: { enabled: false },
        queuePair: { goBackTo: 'message-start', retransmissionTimeout: 100 * us, retries: 1 },
      }),
      prepare: (network) => {
        const fromSender = fabric.portPeer[fabric.portOffset[0]!]!;
        let arrivals = 0;
        loseArrivals(network, (_packet, port) => port === fromSender && arrivals++ % 2 === 0);
      },
    },
  );
  expect(run.network.parts.pairs.count).toBe(1);
  expect(run.network.counters.timeouts).toBe(2);
  expect(broken(run)).toEqual([]);
});

it('a sender that goes back without end and never further gives up, and its work is bounded', () => {
  // the second packet is lost every time it is sent, so the receiver never gets further
  const fabric = throughOneSwitch(40e9);
  const run = engineRun(fabric, [[0, 1, 10 * 1024]], {
    settings: settingsWith({
      packet: { payload: 1024 },
      ecn: { enabled: false },
      queuePair: { goBackTo: 'message-start', nackInterval: 0 },
    }),
    prepare: (network) => {
      const fromSender = fabric.portPeer[fabric.portOffset[0]!]!;
      const { records } = network.parts;
      loseArrivals(
        network,
        (packet, port) => port === fromSender && records.words[(packet << 3) + PacketWord.sequence] === 1,
      );
    },
  });
  expect(run.state).toBe('blocked');
  expect(run.network.blockedReason()).toMatch(/sent a message 1000 times without getting further.*: 1;/);
  // the message of ten packets a thousand times, and the last attempt
  expect(run.network.counters.dataPacketsSent).toBeGreaterThan(10 * 1000);
  expect(run.network.counters.dataPacketsSent).toBeLessThanOrEqual(10 * 1002);
});
