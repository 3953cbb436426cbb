// HPCC and HPCC over PINT: the utilisation they aim at, what the additive increase adds to it, the queue they leave, and
// the error of PINT's two bytes.

import { CompressedTelemetry } from '#weft/backends/packet/congestion/hpcc/compressed-telemetry.js';

import { Alarms } from '#weft/engine/alarms.js';
import { EventWheel } from '#weft/engine/event-wheel.js';
import { Kind } from '#weft/backends/packet/packets.js';
import { Ports } from '#weft/backends/packet/ports.js';
import type { Check } from '../check.js';
import { packetFacts } from '../engine-records.js';
import { type SettingChanges, settingsWith, soundRun } from '../engine-run.js';
import { dumbbell, line } from '../fabrics.js';
import { bounded, compared, type Line, within } from '../line.js';
import { onePort } from '../one-port.js';

const lineBps = 100e9;
const payload = 1000;
/** rocev2: 62 B of headers in buffers, 20 B of gap on the link */
const [bufferBytes, linkBytes] = [payload + 62, payload + 82];

interface Held {
  /** share of the link's time, over 3 ms after the first */
  readonly utilisation: number;
  readonly meanQueuePackets: number;
}

/** Flows of 32 MB from n hosts to n others over one link of 100 Gb/s between two switches. */
function held(n: number, changes: SettingChanges): Held {
  const fabric = dumbbell(n, lineBps, lineBps, 2e6);
  // of the last link, which is the one between the switches
  const port = fabric.linkPorts[2 * (fabric.linkCount - 1)]!;
  const settings = settingsWith({
    packet: { profile: 'rocev2', payload },
    queuePair: { acknowledgementPriority: 0 },
    ecn: { enabled: false },
    ...changes,
  });
  let packets = 0;
  let queueBytes = 0;
  let looks = 0;
  soundRun(
    fabric,
    Array.from({ length: n }, (_, i) => [i, n + i, 32e6] as const),
    {
      settings,
      onArrival: (packet, arrivedBy, network) => {
        if (network.nowPs < 1e9 || network.nowPs >= 4e9) return;
        looks++;
        queueBytes += network.parts.ports.queueBytes(port, 3);
        if (arrivedBy === fabric.portPeer[port] && packetFacts(network.parts, packet).kind === Kind.data) packets++;
      },
    },
  );
  return {
    utilisation: (packets * linkBytes * 8e12) / 3e9 / lineBps,
    meanQueuePackets: queueBytes / looks / bufferBytes,
  };
}

function* utilisation(n: number): Iterable<Line> {
  const hpcc = { targetUtilisation: 0.95, maxStage: 0, additiveIncrease: 50e6, fastReact: true };
  const exactly: Record<string, Held> = {};
  for (const [name, changes] of [
    ['HPCC', { congestion: { algorithm: 'hpcc' }, hpcc: { ...hpcc, multiRate: false } }],
    ['HPCC, multi rate', { congestion: { algorithm: 'hpcc' }, hpcc: { ...hpcc, multiRate: true } }],
    [
      'HPCC over PINT',
      {
        congestion: { algorithm: 'hpcc-pint' },
        hpcc: { ...hpcc, multiRate: false },
        pint: { logBase: 1.05, probability: 1 },
      },
    ],
  ] as const satisfies readonly (readonly [string, SettingChanges])[]) {
    // with one bottleneck the lowest of the rates per link is the bottleneck's: as with a single rate
    if (name === 'HPCC, multi rate' && n > 2) continue;
    const result = held(n, changes);
    exactly[name] = result;
    const isPint = name === 'HPCC over PINT';
    yield compared({
      mechanism: `${name}, ${n} flows: use of the link`,
      oracle: isPint
        ? "HPCC's, within one step of the code (1.05)"
        : 'Li et al., SIGCOMM 2019, section 3.3: eta = 95 %',
      expected: isPint ? 100 * exactly['HPCC']!.utilisation : 95,
      ours: 100 * result.utilisation,
      unit: '%',
      digits: 1,
      tolerance: within(isPint ? 0.05 : 0.02),
    });
    yield bounded({
      mechanism: `${name}, ${n} flows: mean queue`,
      oracle: 'Li et al., section 5: near-zero queues',
      ours: result.meanQueuePackets,
      least: 0,
      most: 2,
      unit: 'packets',
      digits: 2,
      expected: 'nearly empty',
    });
  }
}

/**
 * The paper's rule for the additive increase, W_AI = W_init (1 - eta) / N. Where n equal flows find rest, the increase
 * gives back what the division by U / eta takes: R (1 - eta / U) = B (1 - eta) / N with n R = U B, so
 * U = eta + (1 - eta) n / N. Rest is found while a flow has many packets in a round trip and U stays well below 1.
 */
function* paperRule(senders: number, expectedFlows: number, rateBps = lineBps): Iterable<Line> {
  const [eta, watched] = [0.95, { latencyPs: 3e6, fromPs: 4e9, toPs: 6e9 }];
  const { use } = onePort({ senders, lineBps: rateBps, ...watched, changes: byRule('hpcc', 1000, expectedFlows) });
  yield compared({
    mechanism: `HPCC, increase by the paper's rule for ${expectedFlows} flows, ${senders} at ${rateBps / 1e9} Gb/s: use of the port`,
    oracle: 'fixed point of algorithm 1: eta + (1 - eta) n / N',
    expected: 100 * (eta + ((1 - eta) * senders) / expectedFlows),
    ours: 100 * use,
    unit: '%',
    digits: 2,
    tolerance: within(0.001),
  });
}

/** Eight senders with the increase for eight: what an independent HPCC, at 50 Mb/s, is at least beaten by. */
function* eightSenders(algorithm: 'hpcc' | 'hpcc-pint', name: string): Iterable<Line> {
  const watched = { senders: 8, lineBps, latencyPs: 1e6, fromPs: 10e9, toPs: 30e9 };
  const { use, jain } = onePort({ ...watched, changes: byRule(algorithm, 4096, 8) });
  yield compared({
    mechanism: `${name}, 8 senders, increase by the paper's rule for 8: use of the port`,
    oracle: 'Li et al., section 3.3: eta = 95 %',
    expected: 95,
    ours: 100 * use,
    unit: '%',
    digits: 1,
    tolerance: within(0.02),
  });
  yield bounded({
    mechanism: "the same: Jain's index",
    oracle: 'an independent HPCC with 50 Mb/s: 0.88',
    ours: jain,
    least: 0.88,
    most: 1,
    unit: '',
    digits: 3,
  });
}

function byRule(algorithm: 'hpcc' | 'hpcc-pint', packetBytes: number, expectedFlows: number): SettingChanges {
  return {
    packet: { profile: 'rocev2', payload: packetBytes },
    congestion: { algorithm },
    hpcc: { targetUtilisation: 0.95, maxStage: 0, additiveIncrease: 'auto', expectedFlows, multiRate: false },
    pint: { logBase: 1.05, probability: 1 },
    ecn: { enabled: false },
  };
}

/** The largest ratio between a utilisation and what its code says, over five decades. */
function* encodingError(logBase: number): Iterable<Line> {
  const wheel = new EventWheel();
  const telemetry = new CompressedTelemetry(
    wheel.records,
    new Ports({ fabric: line([{ rateBps: lineBps, latencyPs: 1e6 }]), wheel, alarms: new Alarms(wheel) }),
    logBase,
    1e6,
  );
  // the codes' values as the paper has them: a geometric series, here from 1/1024 on
  const values = [1 / 1024];
  while (values[values.length - 1]! < 1024) values.push(values[values.length - 1]! * logBase);
  let worst = 1;
  for (let value = 0.001; value < 100; value *= 1.0037) {
    const ratio = values[telemetry.encode(value) - 1]! / value;
    worst = Math.max(worst, ratio, 1 / ratio);
  }
  yield bounded({
    mechanism: `PINT, base ${logBase}: largest ratio of a utilisation and its code`,
    oracle: 'Ben Basat et al., SIGCOMM 2020, section 4.3: square root of the base',
    ours: worst,
    least: 1,
    most: Math.sqrt(logBase) * (1 + 1e-9),
    unit: '',
    digits: 5,
    expected: `at most ${Math.sqrt(logBase).toFixed(5)}`,
  });
}

export const hpcc: Check = {
  name: 'hpcc',
  title: 'HPCC and HPCC over PINT',
  about:
    'n flows of 32 MB over one link of 100 Gb/s between two switches, 2 us cables (a round trip of 12 us and more), rocev2 packets of 1,000 B, an additive increase of 50 Mb/s; the link is watched from 1 to 4 ms. By the rule of the paper: endless flows into one host of a star, 3 us cables and packets of 1,000 B, from 4 to 6 ms; eight senders over 1 us cables with packets of 4,096 B, from 10 to 30 ms.',
  *run() {
    for (const n of [2, 8, 16]) yield* utilisation(n);
    for (const [senders, expectedFlows] of [
      [1, 8],
      [2, 8],
      [3, 8],
      [2, 4],
    ] as const)
      yield* paperRule(senders, expectedFlows);
    yield* paperRule(2, 8, 400e9);
    yield* eightSenders('hpcc', 'HPCC');
    yield* eightSenders('hpcc-pint', 'HPCC over PINT');
    for (const logBase of [1.01, 1.05, 1.5]) yield* encodingError(logBase);
  },
};
