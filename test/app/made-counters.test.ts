// Counters as a monitor would read them: how far noise, missing readings and late ones carry them from what traffic made.

import { describe, expect, it } from 'vitest';
import { asRead, countersOf, expectedResidual } from '../../src/app/reconstruct/made-counters.js';
import { mixedTraffic } from '../../src/app/reconstruct/counter-mix.js';
import { activeHosts } from '../../src/app/reconstruct/host-volumes.js';
import { oneLane } from '../../src/app/reconstruct/lane-strategies.js';
import { generatedFabric, routedFabric } from '../../src/app/routes/fabric-input.js';
import { NodeKind } from '../../src/fabric/fabric.js';
import { TrafficBuilder, UniformTraffic } from '../../src/flows/traffic/matrix.js';
import { PairRows } from '../../src/reconstruction/pair-rows.js';
import { routeDmodK } from '../../src/routing/d-mod-k.js';
import { seed } from '../support/seed.js';

const source = routedFabric(generatedFabric('leaf-spine', { leaves: 8, spines: 4, hostsPerLeaf: 8 })!);
const { fabric, tree } = source;
const { portNode, portPeer, portCount, nodeKind } = fabric;
const rows = new PairRows(fabric, routeDmodK(tree), oneLane);
const lanes = 3;
/** every lane of every port counted 1000 */
const exact = new Float64Array(portCount * lanes).fill(1000);

const isHost = (port: number): boolean => nodeKind[portNode[port]!] === NodeKind.host;

describe(`readings (WEFT_SEED=${seed})`, () => {
  it('are exact unless something is asked for', () => {
    const { counters, received } = asRead(exact, source, {}, seed);
    expect(counters).toEqual(exact);
    expect(received).toEqual(new Float64Array(portCount).fill(lanes * 1000));
  });

  it('have noise of the mean and deviation that is said, and the residual that follows', () => {
    const { counters } = asRead(exact, source, { noise: 0.05 }, seed);
    const errors = counters.map((own) => own / 1000 - 1);
    const mean = errors.reduce((sum, own) => sum + own, 0) / errors.length;
    const deviation = Math.sqrt(errors.reduce((sum, own) => sum + own * own, 0) / errors.length);
    // five standard errors of mean and deviation
    expect(Math.abs(mean)).toBeLessThan((5 * 0.05) / Math.sqrt(errors.length));
    expect(Math.abs(deviation - 0.05)).toBeLessThan((5 * 0.05) / Math.sqrt(2 * errors.length));
    expect(expectedResidual({ noise: 0.05 })).toBeCloseTo(0.05, 12);
  });

  it('come early or late by node: all that a node counted is more or less by one factor', () => {
    const { counters, received } = asRead(exact, source, { skew: 0.1 }, seed);
    const ofNode = new Map<number, number>();
    counters.forEach((own, row) => {
      const node = portNode[Math.floor(row / lanes)]!;
      ofNode.set(node, ofNode.get(node) ?? own);
      expect(own).toBe(ofNode.get(node));
      expect(Math.abs(own / 1000 - 1)).toBeLessThanOrEqual(0.1);
    });
    expect(new Set(ofNode.values()).size).toBeGreaterThan(fabric.nodeCount / 2);
    // what arrives is read at the other end, at its time
    for (let port = 0; port < portCount; port++)
      expect(received[port]! / lanes).toBeCloseTo(ofNode.get(portNode[portPeer[port]!]!)!, 9);
    // a uniform number within 0.1 of 0 has the variance 0.01 / 3
    expect(expectedResidual({ skew: 0.1, noise: 0.1 })).toBeCloseTo(Math.sqrt(0.01 / 3 + 0.01), 12);
  });

  it('are missing by port, of the share that is said', () => {
    const { counters } = asRead(exact, source, { missing: 0.25 }, seed);
    let missing = 0;
    for (let port = 0; port < portCount; port++) {
      const own = [...counters.subarray(port * lanes, (port + 1) * lanes)].filter((count) => Number.isNaN(count));
      expect([0, lanes]).toContain(own.length);
      missing += own.length / lanes;
    }
    expect(Math.abs(missing / portCount - 0.25)).toBeLessThan(5 * Math.sqrt((0.25 * 0.75) / portCount));
  });

  it.each(['switches', 'hosts'] as const)('are those of %s alone, with what these received', (ports) => {
    const { counters, received } = asRead(exact, source, { ports }, seed);
    for (let port = 0; port < portCount; port++) {
      expect(Number.isNaN(counters[port * lanes]!)).toBe(isHost(port) !== (ports === 'hosts'));
      expect(Number.isNaN(received[port]!)).toBe(isHost(portPeer[port]!) !== (ports === 'hosts'));
    }
  });
});

it('knows who sent nothing from switches alone', () => {
  const sent = new TrafficBuilder(fabric.hosts.length, 'bytes');
  sent.add(3, 20, 5);
  sent.add(20, 41, 7);
  const made = countersOf(sent.build(), source, rows);
  const counted = asRead(made.counters, source, { ports: 'switches' }, seed);
  expect([...activeHosts(source, counted)]).toEqual([3, 20, 41]);
});

/** What a pair counts of one message of 9,000 bytes. */
function perPair(mix: 'bytes' | 'packets' | 'mixed'): number {
  const sent = mixedTraffic(new UniformTraffic(fabric.hosts.length, 'bytes', 9000), { mix, mtuBytes: 4000 });
  const { counters } = countersOf(sent, source, rows);
  return counters[fabric.portOffset[fabric.hosts[0]!]!]! / (fabric.hosts.length - 1);
}

it('counts a message as full packets and one more', () => {
  // 4000 + 4000 + 1000: three packets; MTU / 2 x 3 + 9000 / 2
  expect([perPair('bytes'), perPair('packets'), perPair('mixed')]).toEqual([9000, 3, 10_500]);
});
