// Single congestion controls against what their papers say they do: fixed points, signs, targets.

import { describe, expect, it } from 'vitest';
import { CompressedTelemetry } from '../../src/backends/packet/compressed-telemetry.js';
import { Dctcp } from '../../src/backends/packet/congestion/dctcp.js';
import { Timely } from '../../src/backends/packet/congestion/timely.js';
import { EventRecords, Word } from '../../src/backends/packet/event-records.js';
import { EventWheel } from '../../src/backends/packet/event-wheel.js';
import { Ports } from '../../src/backends/packet/ports.js';
import { PairWord, QueuePairs } from '../../src/backends/packet/queue-pairs.js';
import type { PacketSettings } from '../../src/backends/packet/settings.js';
import type { Telemetry } from '../../src/backends/packet/telemetry.js';
import { FabricBuilder, NodeKind } from '../../src/fabric/fabric.js';
import { engineRun, settingsWith, type Transfer } from '../support/engine-run.js';

const lineBps = 100e9;

/** One queue pair, one acknowledgement record, and the rates that were set. */
function bench() {
  const pairs = new QueuePairs(() => {});
  const records = new EventRecords();
  const pair = pairs.allocate();
  const packet = records.allocate();
  pairs.lineRateBps[pair] = lineBps;
  pairs.rateBps[pair] = lineBps;
  const rates: number[] = [];
  const control = {
    setRate: (_: number, rateBps: number): void => {
      pairs.rateBps[pair] = rateBps;
      rates.push(rateBps);
    },
    scheduleDecrease: (): void => {},
    scheduleIncrease: (): void => {},
  };
  /** the acknowledgement of packet `sequence` while `inFlight` more are under way */
  const set = (sequence: number, inFlight: number): void => {
    records.words[(packet << 3) + Word.sequence] = sequence;
    pairs.words[(pair << 4) + PairWord.nextPacket] = sequence + inFlight;
  };
  return { pairs, records, pair, packet, rates, control, set };
}

describe('DCTCP', () => {
  it.each([2, 4, 5])('reaches the share of marks: one in %i', (period) => {
    const { pairs, records, pair, packet, control, set } = bench();
    const dctcp = new Dctcp(settingsWith({ dctcp: { gain: 0.0625 } }), pairs, records, control);
    dctcp.reserve(64);
    dctcp.start(pair);
    for (let sequence = 1; sequence <= 20_000; sequence++) {
      set(sequence, 20);
      dctcp.acknowledged(pair, sequence % period === 0 ? 64 : 0, packet);
    }
    expect(dctcp.alphaOf(pair)).toBeGreaterThan((1 / period) * 0.95);
    expect(dctcp.alphaOf(pair)).toBeLessThan((1 / period) * 1.05);
  });

  it('halves once in a window of marks, and adds once in a window without', () => {
    const { pairs, records, pair, packet, rates, control, set } = bench();
    const dctcp = new Dctcp(settingsWith(), pairs, records, control);
    dctcp.reserve(64);
    dctcp.start(pair);
    for (let sequence = 1; sequence <= 10; sequence++) {
      set(sequence, 10);
      dctcp.acknowledged(pair, 64, packet);
    }
    // alpha is 1 and stays 1 while every packet is marked
    expect(rates).toEqual([50e9]);
    for (let sequence = 12; sequence <= 40; sequence++) {
      set(sequence, 10);
      dctcp.acknowledged(pair, 0, packet);
    }
    expect(rates.slice(1)).toEqual([51e9, 52e9, 53e9].slice(0, rates.length - 1));
    expect(rates.length).toBeGreaterThanOrEqual(3);
  });
});

/** TIMELY's rate after a first round trip and a second one, from 10 Gb/s. */
function timelyRate(previousUs: number, nowUs: number): number {
  const { pairs, records, pair, packet, rates, control, set } = bench();
  const clock = { nowPs: 0 };
  const timely = new Timely(settingsWith(), pairs, records, { sentPs: new Float64Array(64) } as unknown as Telemetry, control, clock);
  timely.reserve(64);
  timely.start(pair);
  pairs.rateBps[pair] = 10e9;
  set(1, 0);
  clock.nowPs = previousUs * 1e6;
  timely.acknowledged(pair, 0, packet);
  expect(rates).toEqual([]);
  set(2, 0);
  clock.nowPs = nowUs * 1e6;
  timely.acknowledged(pair, 0, packet);
  return rates[0]!;
}

describe('TIMELY', () => {
  it('raises below the low threshold even while the delay grows', () => expect(timelyRate(20, 49)).toBe(10e9 + 50e6));
  it('raises while the delay falls', () => expect(timelyRate(200, 150)).toBe(10e9 + 50e6));
  it('lowers by the gradient while the delay grows: 10 us more, smoothed by 0.875, of 20 us', () => expect(timelyRate(100, 110)).toBe(Math.floor(10e9 * (1 - 0.8 * ((0.875 * 10) / 20)))));
  it('lowers towards the high threshold above it, even while the delay falls', () => expect(timelyRate(1200, 1000)).toBe(Math.floor(10e9 * (1 - 0.8 * (1 - 500 / 1000)))));
});

/** Two flows of 32 MB into one link of 100 Gb/s. @returns utilisation over the middle of the run and the mean queue in bytes */
function twoFlows(multiRate: boolean, algorithm: 'hpcc' | 'hpcc-pint' = 'hpcc', payload = 4096): LinkUse {
  return sharedUtilisation([[1, 0, 32e6], [2, 0, 32e6]], settingsWith({ congestion: { algorithm }, hpcc: { multiRate }, packet: { payload }, queuePair: { acknowledgementPriority: 0 } }));
}

interface LinkUse {
  readonly utilisation: number;
  readonly meanQueueBytes: number;
}

/** Runs transfers among three hosts on one switch. @returns use of the link to host 0 from 1 to 4 ms, with all gaps, and the mean queue before it */
function sharedUtilisation(transfers: readonly Transfer[], settings: PacketSettings): LinkUse {
  const builder = new FabricBuilder();
  builder.addNodes(NodeKind.host, 3);
  const node = builder.addNode(NodeKind.switch);
  for (let host = 0; host < 3; host++) builder.addLink(host, node, lineBps, 1e6);
  const fabric = builder.build();
  const port = fabric.portOffset[node]!;
  let linkBytes = 0;
  let queueBytes = 0;
  let looks = 0;
  engineRun(fabric, transfers, {
    settings,
    onArrival: (packet, arrivedBy, network) => {
      if (network.nowPs < 1e9 || network.nowPs >= 4e9) return;
      looks++;
      queueBytes += network.ports.queueBytes(port, 3);
      const head = network.records.words[(packet << 3) + Word.head]!;
      if (fabric.portNode[arrivedBy] === 0) linkBytes += (head >> 7) + settings.packet.gap;
    },
  });
  return { utilisation: (linkBytes * 8e12) / 3e9 / lineBps, meanQueueBytes: queueBytes / looks };
}

describe('HPCC', () => {
  it.each([false, true])('keeps the link at 95 % with a nearly empty queue (multi rate %s)', (multiRate) => {
    const { utilisation, meanQueueBytes } = twoFlows(multiRate);
    expect(utilisation).toBeGreaterThan(0.93);
    expect(utilisation).toBeLessThan(0.97);
    // less than two packets
    expect(meanQueueBytes).toBeLessThan(2 * 4158);
  });

  it.each(['hpcc', 'hpcc-pint'] as const)('counts preamble and gap as use of the link, where they are a seventeenth of it (%s)', (algorithm) => {
    const { utilisation } = twoFlows(false, algorithm, 256);
    expect(utilisation).toBeGreaterThan(0.92);
    expect(utilisation).toBeLessThan(0.98);
  });

  it('counts those of acknowledgements, too, where they share the link with data', () => {
    // two flows against each other: every link carries one's data (338 B with gap) and the other's acknowledgements (86 B)
    const utilisation = sharedUtilisation([[0, 1, 32e6], [1, 0, 32e6]], settingsWith({ congestion: { algorithm: 'hpcc' }, packet: { payload: 256 }, queuePair: { acknowledgementPriority: 0 } })).utilisation;
    expect(utilisation).toBeGreaterThan(0.92);
    expect(utilisation).toBeLessThan(0.98);
  });
});

describe('HPCC over PINT', () => {
  it.each([1.01, 1.05, 1.5])('encodes every utilisation within the square root of the base %d', (logBase) => {
    const builder = new FabricBuilder();
    builder.addNodes(NodeKind.host, 2);
    builder.addLink(0, 1, lineBps, 1e6);
    const wheel = new EventWheel();
    const telemetry = new CompressedTelemetry(wheel.records, new Ports(builder.build(), wheel, wheel.records), logBase, 1e6);
    const values = valuesOf(logBase);
    for (let utilisation = 0.001; utilisation < 100; utilisation *= 1.0037) {
      const code = telemetry.encode(utilisation);
      const error = values[code - 1]! / utilisation;
      expect(Math.max(error, 1 / error)).toBeLessThanOrEqual(Math.sqrt(logBase) * (1 + 1e-9));
    }
  });

  it('counts acknowledgements as load, and not as an empty queue', () => {
    const ports = { count: 1, nowPs: 0, rateBps: Float64Array.of(lineBps) };
    const [baseRttPs, queueBytes] = [10e6, 62_500];
    const telemetry = new CompressedTelemetry(new EventRecords(), ports as unknown as Ports, 1.001, baseRttPs);
    // every 100 ns a data packet of 1,000 B and, 40 ns later, an acknowledgement of 60 B
    for (let i = 0; i < 2000; i++) {
      ports.nowPs = i * 100_000 + 1;
      telemetry.departed(0);
      telemetry.stamp(0, 0, 1000, queueBytes);
      ports.nowPs += 40_000;
      telemetry.passed(0, 60);
    }
    const expected = (queueBytes * 8e12) / lineBps / baseRttPs + (1060 * 8e12) / lineBps / 100_000;
    expect(telemetry.utilisationOf(0) / expected).toBeGreaterThan(0.999);
    expect(telemetry.utilisationOf(0) / expected).toBeLessThan(1.001);
  });

  it('holds the link where HPCC does, within its encoding error', () => {
    const exact = twoFlows(false);
    const encoded = twoFlows(false, 'hpcc-pint');
    expect(encoded.utilisation / exact.utilisation).toBeGreaterThan(1 / 1.05);
    expect(encoded.utilisation / exact.utilisation).toBeLessThan(1.05);
    expect(encoded.meanQueueBytes).toBeLessThan(2 * 4158);
  });
});

/** The values of the codes as the paper has them: a geometric series from 1/1024 on. */
function valuesOf(logBase: number): number[] {
  const values = [1 / 1024];
  while (values[values.length - 1]! < 1024) values.push(values[values.length - 1]! * logBase);
  return values;
}

describe('no congestion control', () => {
  it.each([2, 4, 8])('queues what %i windows hold beyond the round trip', (count) => {
    const builder = new FabricBuilder();
    builder.addNodes(NodeKind.host, count + 1);
    const node = builder.addNode(NodeKind.switch);
    for (let host = 0; host <= count; host++) builder.addLink(host, node, lineBps, 1e6);
    const fabric = builder.build();
    const port = fabric.portOffset[node]!;
    const settings = settingsWith({ congestion: { algorithm: 'none' }, ecn: { enabled: false }, packet: { payload: 4096 }, queuePair: { acknowledgementPriority: 0 } });
    let peak = 0;
    engineRun(fabric, Array.from({ length: count }, (_, i) => [i + 1, 0, 8e6] as const), {
      settings,
      onArrival: (_packet, _port, network) => { if (network.nowPs > 500e6) peak = Math.max(peak, network.ports.queueBytes(port, 3)); },
    });
    // window: ceil(bandwidth x base round trip / payload) packets, base round trip 4 us and two payloads
    const windowPackets = Math.ceil(Math.floor((4e6 + 2 * 4096 * 80) * lineBps / 8e12) / 4096);
    // the loop itself: 4 us of cable, three packets and the acknowledgement's two links of serialisation hold the rest
    const loopPackets = (4e6 + 2 * 4178 * 80 + 2 * 86 * 80) / (4178 * 80);
    expect(Math.abs(peak / 4158 - (count * windowPackets - loopPackets))).toBeLessThanOrEqual(1.5);
  });
});
