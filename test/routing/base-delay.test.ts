// Base delays and the fabric's largest bandwidth-delay product, which is every queue pair's window: by hand and over
// all pairs of hosts.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FabricBuilder, NodeKind, type Fabric } from '../../src/fabric/fabric.js';
import { generateFabric } from '../../src/fabric/generators/catalogue.js';
import { largestBdpBytes } from '../../src/routing/base-delay.js';
import { EqualCostRoutes } from '../../src/routing/equal-cost.js';
import { PathTracer } from '../../src/routing/path.js';
import { buildFabric, fabricRecipe } from '../support/random-fabric.js';
import { rounds } from '../support/rounds.js';
import { seed } from '../support/seed.js';

function tracerOf(fabric: Fabric): PathTracer {
  return new PathTracer(new EqualCostRoutes(fabric, 'descending-node-id'));
}

/** Every ordered pair, one by one: (2 x latency + one serialisation of a payload per link there) x slowest link. */
function bruteForce(fabric: Fabric, payloadBytes: number): number {
  const tracer = tracerOf(fabric);
  const out = new Int32Array(tracer.maxLength);
  let largest = 0;
  for (const source of fabric.hosts) {
    for (const destination of fabric.hosts) {
      if (source === destination) continue;
      const links = Array.from(
        out.subarray(0, tracer.trace(source, destination, 0, 0, out)),
        (port) => fabric.portLink[port]!,
      );
      if (links.length === 0) continue;
      const roundTripPs = links.reduce(
        (sum, link) =>
          sum + 2 * fabric.linkLatencyPs[link]! + Math.round((payloadBytes * 8e12) / fabric.linkRateBps[link]!),
        0,
      );
      largest = Math.max(
        largest,
        Math.floor((roundTripPs * Math.min(...links.map((link) => fabric.linkRateBps[link]!))) / 8e12),
      );
    }
  }
  return largest;
}

describe('the largest bandwidth-delay product', () => {
  it("of the server pair is SimAI's window", () => {
    // behaviour.md, section 15 (i): 6,880 ns at 100 Gb/s
    const fabric = generateFabric('dcn+', {
      gpus: 16,
      gpusPerServer: 8,
      nicsPerAsw: 8,
      pswSwitches: 8,
      bandwidth: '100Gbps',
      aswPswBandwidth: '100Gbps',
      nvlinkBandwidth: '2400Gbps',
    });
    expect(largestBdpBytes(tracerOf(fabric), 9000)).toBe(86_000);
  });

  it.each<[string, Record<string, unknown>]>([
    ['spectrum-x', { gpus: 32, nicsPerAsw: 2 }],
    ['alibabahpn', { gpus: 32, nicsPerAsw: 4 }],
    ['dcn+', { gpus: 32, nicsPerAsw: 8 }],
    ['fat-tree', { k: 4 }],
    // two servers on one leaf, with an NVLink that needs a smaller window than the leaf
    [
      'dcn+',
      { gpus: 16, gpusPerServer: 8, nicsPerAsw: 16, pswSwitches: 1, nvlinkBandwidth: '400Gbps', bandwidth: '100Gbps' },
    ],
    ['leaf-spine', { hostLatency: '3us' }],
    ['dumbbell', { bottleneckRate: '10Gbps', hostLatency: '7us' }],
  ])('of %s is that of all pairs', (name, parameters) => {
    const fabric = generateFabric(name, parameters);
    expect(largestBdpBytes(tracerOf(fabric), 4096)).toBe(bruteForce(fabric, 4096));
  });

  it(`of any fabric whose links between switches are alike is that of all pairs (WEFT_SEED=${seed})`, () => {
    const recipes = fabricRecipe({ ratesBps: [100e9], latenciesPs: [500_000] });
    const nic = fc.record({
      rate: fc.constantFrom(25e9, 100e9, 400e9),
      latency: fc.constantFrom(1000, 500_000, 3_000_000),
    });
    fc.assert(
      fc.property(recipes, nic, (recipe, other) => {
        // one host in three has other NICs, all alike
        const fabric = buildFabric({
          ...recipe,
          hosts: recipe.hosts.map((nics, i) => (i % 3 === 0 ? [{ to: nics[0]!.to, errorRate: 0, ...other }] : nics)),
        });
        expect(largestBdpBytes(tracerOf(fabric), 9000)).toBe(bruteForce(fabric, 9000));
      }),
      { seed, numRuns: rounds(100) },
    );
  });

  it('sees servers that are joined by NVSwitches alone', () => {
    // two servers of four, each on an NVSwitch of its own, the two on a third with long cables
    const builder = new FabricBuilder(4);
    builder.addNodes(NodeKind.host, 8);
    builder.addNodes(NodeKind.nvswitch, 3);
    for (let host = 0; host < 8; host++) builder.addLink(host, host < 4 ? 8 : 9, 400e9, 25_000);
    builder.addLink(8, 10, 400e9, 1_000_000);
    builder.addLink(9, 10, 400e9, 1_000_000);
    const fabric = builder.build();
    // between servers: 2 x 2.05 us + 4 x 180 ns at 400 Gb/s
    expect(bruteForce(fabric, 9000)).toBe(241_000);
    expect(largestBdpBytes(tracerOf(fabric), 9000)).toBe(241_000);
  });
});
