// Policies of the central controller where no path is free, by hand: four flows of a leaf over links of 400 Gb/s, and
// bytes on two spines.

import { describe, expect, it } from 'vitest';
import { CentralController, type PlacedFlow } from '../../src/controller/central-controller.js';
import { generateFabric } from '../../src/library/fabrics.js';
import { EqualCostRoutes } from '../../src/routing/equal-cost.js';
import { PathTracer } from '../../src/routing/path.js';

const fallback = 10_000;

function flowOf(flow: number, source: number, destination: number, sizeBytes: number): PlacedFlow {
  return { flow, source, destination, sizeBytes, destinationPort: 100, pinned: null };
}

function leafSpine(spines: number, spineRate: string): PathTracer {
  const fabric = generateFabric('leaf-spine', { leaves: 2, spines, hostsPerLeaf: 8, hostRate: '100Gbps', spineRate });
  return new PathTracer(new EqualCostRoutes(fabric, 'descending-node-id'));
}

/** The spine that a flow's path crosses. */
function spineOf(tracer: PathTracer, source: number, destination: number, port: number): number {
  const path = new Int32Array(tracer.maxLength);
  tracer.trace(source, destination, port, 100, path);
  const { portNode, portPeer } = tracer.fabric;
  return portNode[portPeer[path[1]!]!]!;
}

describe('bandwidth-aware', () => {
  it('lets as many flows on a link as their rates fit, and counts the fifth as without room', () => {
    const controller = new CentralController(leafSpine(1, '400Gbps'), 'bandwidth-aware');
    const ports = [0, 1, 2, 3, 4].map((host) => controller.assignSourcePort(flowOf(host, host, 8 + host, 1), fallback));
    expect([controller.assigned, controller.unassigned]).toEqual([4, 1]);
    expect(ports.slice(0, 4)).toEqual([1, 1, 1, 1]);
    controller.release(2);
    controller.assignSourcePort(flowOf(9, 5, 13, 1), fallback);
    // the fifth is on the link too: 400 Gb/s are taken
    expect([controller.assigned, controller.unassigned]).toEqual([4, 2]);
    controller.release(4);
    controller.release(0);
    controller.assignSourcePort(flowOf(10, 6, 14, 1), fallback);
    expect([controller.assigned, controller.unassigned]).toEqual([5, 2]);
  });

  it('gives flows of one pair different ports, also on one path', () => {
    const controller = new CentralController(leafSpine(1, '400Gbps'), 'bandwidth-aware');
    const ports = [0, 1, 2].map((flow) => controller.assignSourcePort(flowOf(flow, 0, 8, 1), fallback));
    controller.release(1);
    ports.push(controller.assignSourcePort(flowOf(3, 0, 8, 1), fallback));
    expect(ports).toEqual([1, 2, 3, 2]);
    // one that had port 3, which another has now, gets the next free one
    expect(controller.keepSourcePort(flowOf(4, 0, 8, 1), 3)).toBe(4);
  });

  it('shares the link with the smallest share taken where none has room', () => {
    const tracer = leafSpine(2, '100Gbps');
    const controller = new CentralController(tracer, 'bandwidth-aware');
    const spines = [0, 1, 2, 3].map((host) =>
      spineOf(tracer, host, 8 + host, controller.assignSourcePort(flowOf(host, host, 8 + host, 1), fallback)),
    );
    // two each, whatever the hash says
    expect(new Set(spines.slice(0, 2)).size).toBe(2);
    expect(new Set(spines.slice(2)).size).toBe(2);
  });
});

describe('least-loaded', () => {
  it('puts a flow where the fewest bytes are under way, and forgets those that are gone', () => {
    const tracer = leafSpine(2, '100Gbps');
    const controller = new CentralController(tracer, 'least-loaded');
    const place = (flow: number, sizeBytes: number): number =>
      spineOf(tracer, flow, 8 + flow, controller.assignSourcePort(flowOf(flow, flow, 8 + flow, sizeBytes), fallback));
    const [large, small] = [place(0, 1000), place(1, 300)];
    expect(small).not.toBe(large);
    // 300 < 1000, 800 < 1000, 1300 > 1000
    expect([place(2, 500), place(3, 500), place(4, 1)]).toEqual([small, small, large]);
    controller.release(1);
    // 1001 > 1000: by hand, 500 + 500 are left on the one, 1000 + 1 on the other
    expect(place(5, 7)).toBe(small);
    expect([controller.assigned, controller.unassigned]).toEqual([2, 4]);
  });

  it('does as first-fit while paths are free', () => {
    const tracer = leafSpine(8, '100Gbps');
    const [least, first] = [new CentralController(tracer, 'least-loaded'), new CentralController(tracer)];
    for (let host = 0; host < 8; host++)
      expect(least.assignSourcePort(flowOf(host, host, 8 + host, 5), fallback)).toBe(
        first.assignSourcePort(flowOf(host, host, 8 + host, 5), fallback),
      );
  });
});
