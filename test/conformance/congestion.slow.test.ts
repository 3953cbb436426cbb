// What every congestion control must do, whatever its signal: fill one bottleneck, share it, stay within its bounds,
// make room for a newcomer, never starve anybody, and do it the same way every time. The bounds are loose on purpose:
// they hold for all of them.

import { describe, expect, it } from 'vitest';
import { PacketWord } from '../../src/backends/packet/packets.js';
import { mechanisms } from '../../src/backends/packet/mechanisms.js';
import type { PacketSettings } from '../../src/backends/packet/settings.js';
import { type Fabric, FabricBuilder, NodeKind } from '../../src/fabric/fabric.js';
import { jainIndex } from '../../validation/one-port.js';
import { failuresOf } from '../support/link-changes.js';
import { type EngineOptions, type EngineRun, engineRun, settingsWith, type Transfer } from '../support/engine-run.js';

const lineBps = 100e9;
const payloadBytes = 4096;
// headers of 62 B, preamble and gap of 20 B
const wireShare = (payloadBytes + 82) / payloadBytes;
const algorithms = Object.keys(mechanisms.congestionControls) as PacketSettings['congestion']['algorithm'][];

/** Host 0 and `senders` others on one switch: 100 Gb/s, 1 us. */
function star(senders: number): Fabric {
  const builder = new FabricBuilder();
  builder.addNodes(NodeKind.host, senders + 1);
  const node = builder.addNode(NodeKind.switch);
  for (let host = 0; host <= senders; host++) builder.addLink(host, node, lineBps, 1e6);
  return builder.build();
}

function settingsOf(algorithm: PacketSettings['congestion']['algorithm']): PacketSettings {
  return settingsWith({
    congestion: { algorithm },
    packet: { payload: payloadBytes },
    queuePair: { acknowledgementPriority: 0 },
    ecnThresholds: [{ rateBps: lineBps, minimumBytes: 50e3, maximumBytes: 200e3, probability: 0.2 }],
  });
}

function share(
  algorithm: PacketSettings['congestion']['algorithm'],
  transfers: readonly Transfer[],
  options: EngineOptions = {},
): EngineRun {
  return engineRun(star(transfers.length), transfers, { settings: settingsOf(algorithm), ...options });
}

const megabytes = (count: number, size: number): Transfer[] =>
  Array.from({ length: count }, (_, i) => [i + 1, 0, size * 1e6] as const);

/**
 * Share of the bottleneck's time that the payload with its headers and gaps took, from the first start to the last
 * finish.
 */
function utilisation(run: EngineRun): number {
  const bytes = run.flows.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  return (bytes * wireShare * 8e12) / Math.max(...run.flows.map(({ finishPs }) => finishPs)) / lineBps;
}

/** Jain's index of the flows' throughputs. */
function jain(run: EngineRun): number {
  return jainIndex(run.flows.map(({ sizeBytes, startPs, finishPs }) => sizeBytes / (finishPs - startPs)));
}

describe.each(algorithms)('%s', (algorithm) => {
  it('gives a flow alone nine tenths of the link at least', () => {
    const run = share(algorithm, megabytes(1, 16));
    expect(run.state).toBe('finished');
    expect(utilisation(run)).toBeGreaterThan(0.9);
    expect(utilisation(run)).toBeLessThanOrEqual(1);
  });

  it.each([4, 16])('shares one link fairly between %i flows, and keeps it busy', (count) => {
    const run = share(algorithm, megabytes(count, 16));
    console.log(
      `${algorithm}, ${count} flows: utilisation ${utilisation(run).toFixed(3)}, Jain's index ${jain(run).toFixed(4)}`,
    );
    expect(run.state).toBe('finished');
    expect(utilisation(run)).toBeGreaterThan(0.85);
    expect(utilisation(run)).toBeLessThanOrEqual(1);
    expect(jain(run)).toBeGreaterThan(0.8);
  });

  it('never exceeds the line rate, and never falls below its minimum', () => {
    let lowest = Infinity;
    let highest = 0;
    share(algorithm, megabytes(16, 2), {
      onArrival: (packet, _port, { parts: { pairs, records } }) => {
        const rateBps = pairs.rateBps[records.words[(packet << 3) + PacketWord.pair]!]!;
        lowest = Math.min(lowest, rateBps);
        highest = Math.max(highest, rateBps);
      },
    });
    expect(highest).toBeLessThanOrEqual(lineBps);
    expect(lowest).toBeGreaterThanOrEqual(100e6);
  });

  it('makes room for a newcomer, and gives the link back', () => {
    const alone = share(algorithm, [[1, 0, 4e6]]).flows[0]!;
    const run = share(algorithm, [
      [1, 0, 32e6],
      [2, 0, 4e6, 500e6],
    ]);
    const newcomer = run.flows.find(({ flow }) => flow === 1)!;
    expect(newcomer.finishPs - newcomer.startPs).toBeLessThan(4 * (alone.finishPs - alone.startPs));
    expect(utilisation(run)).toBeGreaterThan(0.85);
  });

  it('reacts to a halved link: keeps it busy, and takes the rest back when it is whole again', () => {
    const halvedPs = 1e9;
    const wholePs = 5e9;
    // the receiver's link, which the sender learns of only through its signal
    const run = share(algorithm, megabytes(4, 25), {
      failures: failuresOf(
        [
          [halvedPs, 0, 'rate', lineBps / 2],
          [wholePs, 0, 'rate', lineBps],
        ],
        0,
      ),
    });
    expect(run.verdicts.filter(({ ok }) => !ok)).toEqual([]);
    const wireBits = 4 * 25e6 * wireShare * 8;
    const endPs = Math.max(...run.flows.map(({ finishPs }) => finishPs));
    // all bits, had the link been full at every moment
    const leastPs =
      wholePs +
      ((wireBits - lineBps * (halvedPs / 1e12) - (lineBps / 2) * ((wholePs - halvedPs) / 1e12)) / lineBps) * 1e12;
    expect(endPs).toBeGreaterThanOrEqual(leastPs);
    expect(endPs).toBeLessThan(leastPs * 1.15);
    expect(jain(run)).toBeGreaterThan(0.8);
  });

  it('starves nobody: a late small flow among many large ones finishes in time', () => {
    const run = share(algorithm, [...megabytes(8, 8), [9, 0, 400e3, 300e6]]);
    const small = run.flows.find(({ flow }) => flow === 8)!;
    // a ninth of the link would take 0.3 ms; ten times that is starving
    expect(small.finishPs - small.startPs).toBeLessThan(3e9);
    expect(run.verdicts.filter(({ ok }) => !ok)).toEqual([]);
  });

  it('does the same twice', () => {
    expect(share(algorithm, megabytes(8, 1)).flows).toEqual(share(algorithm, megabytes(8, 1)).flows);
  });
});
