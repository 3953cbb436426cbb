// Ideal and least time of a flow over several paths, against sums written out by hand.

import { describe, expect, it } from 'vitest';
import { FlowBounds } from '../../src/execution/flow-bounds.js';
import { type Fabric, FabricBuilder, NodeKind } from '../../src/fabric/fabric.js';
import { idealCompletionPs, leastCompletionPs, pathDelay, type PathDelay } from '../../src/routing/base-delay.js';

const us = 1e6;
const payload = 1000;
const header = 50;
/** transmission of a whole packet at 100 Gb/s */
const packetPs = 1050 * 80;

/**
 * Two hosts 0 and 1, each with a 100 Gb/s NIC at each of the switches 2 and 3; cables of 1 us, those at switch 3 of 2
 * us.
 */
function dualNic(): Fabric {
  const builder = new FabricBuilder();
  builder.addNodes(NodeKind.host, 2);
  builder.addNodes(NodeKind.switch, 2);
  for (const [node, latencyPs] of [
    [2, us],
    [3, 2 * us],
  ] as const)
    for (const host of [0, 1]) builder.addLink(host, node, 100e9, latencyPs);
  return builder.build();
}

/** The output ports from host 0 to host 1 over a switch. */
function over(fabric: Fabric, node: number): Int32Array {
  const between = (from: number, to: number): number => {
    for (let port = fabric.portOffset[from]!; port < fabric.portOffset[from + 1]!; port++)
      if (fabric.portNode[fabric.portPeer[port]!] === to) return port;
    throw new Error(`no link from ${from} to ${to}`);
  };
  return Int32Array.of(between(0, node), between(node, 1));
}

function bounds(
  fabric: Fabric,
  parts: readonly (readonly [node: number, bytes: number])[],
): { ideal: number; least: number } {
  const result = new FlowBounds(fabric, payload, header);
  // what a flow before it left behind must not matter
  add(result, fabric, [
    [2, 5000],
    [3, 7000],
  ]);
  add(result, fabric, parts);
  return { ideal: result.idealPs, least: result.leastPs };
}

function add(to: FlowBounds, fabric: Fabric, parts: readonly (readonly [node: number, bytes: number])[]): void {
  to.clear();
  for (const [node, bytes] of parts) {
    const delay: PathDelay = pathDelay(fabric, over(fabric, node), 2, payload, {
      roundTripPs: 0,
      latencyPs: 0,
      bottleneckBps: 0,
    });
    to.add(over(fabric, node), 2, delay, delay.latencyPs, bytes);
  }
  to.finish();
}

describe('the bounds of a flow', () => {
  const fabric = dualNic();

  it('are those of its path if it has one', () => {
    const delay = pathDelay(fabric, over(fabric, 3), 2, payload, { roundTripPs: 0, latencyPs: 0, bottleneckBps: 0 });
    expect(bounds(fabric, [[3, 12_345]])).toEqual({
      ideal: idealCompletionPs(delay, 12_345, payload, header),
      least: leastCompletionPs(delay, delay.latencyPs, 12_345, payload, header),
    });
  });

  it('count all parts on the links that they share', () => {
    // 100 packets and light over 1 us four times; half a picosecond of rounding per packet is allowed for, and counted
    // as a whole one
    expect(
      bounds(fabric, [
        [2, 40_000],
        [2, 60_000],
      ]).least,
    ).toBe(100 * packetPs + 4 * us - 100);
    expect(
      bounds(fabric, [
        [2, 40_000],
        [2, 60_000],
      ]).ideal,
    ).toBe(100 * packetPs + 4 * us + 2 * 80_000);
  });

  it('let parts on other NICs go at the same time: the slower one decides', () => {
    expect(
      bounds(fabric, [
        [2, 50_000],
        [3, 50_000],
      ]).least,
    ).toBe(50 * packetPs + 8 * us - 50);
    expect(
      bounds(fabric, [
        [2, 90_000],
        [3, 10_000],
      ]).least,
    ).toBe(90 * packetPs + 4 * us - 90);
    expect(
      bounds(fabric, [
        [2, 90_000],
        [3, 10_000],
      ]).ideal,
    ).toBe(90 * packetPs + 4 * us + 2 * 80_000);
  });

  it('take the quicker way up to a shared link and the quicker way on from it', () => {
    // two hosts, a shared link between switches 2 and 5; on either side a quick and a slow way
    const builder = new FabricBuilder();
    builder.addNodes(NodeKind.host, 2);
    builder.addNodes(NodeKind.switch, 4);
    for (const [a, b, latencyPs] of [
      [0, 2, us],
      [0, 2, 3 * us],
      [2, 3, us],
      [3, 1, us],
      [3, 1, 5 * us],
    ] as const)
      builder.addLink(a, b, 100e9, latencyPs);
    const built = builder.build();
    const portOf = (node: number, index: number): number => built.portOffset[node]! + index;
    const quickStart = Int32Array.of(portOf(0, 0), portOf(2, 2), portOf(3, 2));
    const quickEnd = Int32Array.of(portOf(0, 1), portOf(2, 2), portOf(3, 1));
    const result = new FlowBounds(built, payload, header);
    result.clear();
    for (const path of [quickStart, quickEnd]) {
      const delay = pathDelay(built, path, 3, payload, { roundTripPs: 0, latencyPs: 0, bottleneckBps: 0 });
      result.add(path, 3, delay, 2 * us, 500_000);
    }
    result.finish();
    // up to the shared link 1 us, on from its start 1 us + 1 us, back 2 us
    expect(result.leastPs).toBe(1000 * packetPs + (1 + 1 + 1 + 2) * us - 1000);
  });
});
