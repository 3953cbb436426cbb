// Hosts that receive at a fraction of their rate: closed forms on packets and streams, and PFC that stays lossless.

import { describe, expect, it } from 'vitest';
import { HalvingDoubling } from '../../src/collectives/halving-doubling.js';
import { type Fabric, FabricBuilder, NodeKind } from '../../src/fabric/fabric.js';
import { withReceiveSpeed } from '../../src/fabric/receive-speed.js';
import { collective } from '../../validation/collectives.js';
import { star } from '../../validation/fabrics.js';
import { broken, engineRun, type EngineOptions, settingsWith } from '../support/engine-run.js';
import { fluidRun } from '../support/fluid-run.js';
import { failuresOf } from '../support/link-changes.js';

const us = 1e6;
const settings = settingsWith({
  packet: { profile: 'simai', payload: 1000 },
  congestion: { algorithm: 'none' },
  ecn: { enabled: false },
  queuePair: { window: 'unlimited' },
});
const asFluid = { payloadBytes: 1000, overheadBytes: 52, acknowledgementBytes: 60 };
/** link time at 100 Gb/s of a data packet and of an ACK */
const packetPs = 84_160;
const acknowledgementPs = 4800;

function slowed(fabric: Fabric, speedOf: (host: number) => number): Fabric {
  return withReceiveSpeed(
    fabric,
    Float64Array.from({ length: fabric.nodeCount }, (_, node) =>
      fabric.nodeKind[node] === NodeKind.host ? speedOf(node) : 1,
    ),
  );
}

function finishPs(fabric: Fabric, source: number, destination: number, options: Partial<EngineOptions> = {}): number {
  return engineRun(fabric, [[source, destination, 100_000]], { settings, ...options }).flows[0]!.finishPs;
}

describe('a flow alone', () => {
  const fabric = slowed(star(2, us), (host) => (host === 1 ? 0.5 : 1));

  it('to the slow host waits at its switch: one packet at full rate, all of them at half', () => {
    const expectedPs = packetPs + 100 * 2 * packetPs + 4 * us + 2 * acknowledgementPs;
    expect(finishPs(fabric, 0, 1)).toBe(expectedPs);
    expect(fluidRun(fabric, [[0, 1, 100_000]], asFluid).flows[0]!.finishPs).toBe(expectedPs);
  });

  it('from the slow host is as quick as ever, but for its last ACK', () => {
    const expectedPs = 101 * packetPs + 4 * us + acknowledgementPs + 2 * acknowledgementPs;
    expect(finishPs(fabric, 1, 0)).toBe(expectedPs);
    expect(fluidRun(fabric, [[1, 0, 100_000]], asFluid).flows[0]!.finishPs).toBe(expectedPs);
  });

  it('over a link that is degraded besides gets the share of what is left', () => {
    // host 1's link falls to 50 Gb/s before the flow starts: a quarter of its rate towards the host
    const failures = failuresOf([[0, 1, 'rate', 50e9]], 0);
    const expectedPs = packetPs + 100 * 4 * packetPs + 4 * us + 3 * acknowledgementPs;
    expect(finishPs(fabric, 0, 1, { failures })).toBe(expectedPs);
  });
});

it('one slow GPU is slow from its NVSwitch, too', () => {
  const builder = new FabricBuilder(2);
  builder.addNodes(NodeKind.host, 2);
  const nvswitch = builder.addNode(NodeKind.nvswitch);
  for (const host of [0, 1]) builder.addLink(host, nvswitch, 100e9, us);
  const fabric = slowed(builder.build(), (host) => (host === 1 ? 0.25 : 1));
  expect(finishPs(fabric, 0, 1)).toBe(packetPs + 100 * 4 * packetPs + 4 * us + 2 * acknowledgementPs);
});

it.each([0.5, 0.1])('drops nothing where hosts that receive at %s pause and are paused', (speed) => {
  // the partners of a slow host are paused, and it is paused itself: its pauses take longer to reach it
  const fabric = slowed(star(8, 100_000), (host) => (host % 3 === 1 ? speed : 1));
  const run = engineRun(
    fabric,
    collective(fabric, ({ rankCount }) => new HalvingDoubling('allreduce', rankCount, 4e6)),
    {
      settings: settingsWith({
        congestion: { algorithm: 'none' },
        ecn: { enabled: false },
        queuePair: { window: 'unlimited' },
        switch: { buffer: 600_000 },
      }),
    },
  );
  expect(broken(run)).toEqual([]);
  expect(run.network.counters.pauseFrames).toBeGreaterThan(100);
});

describe('speeds that cannot be meant', () => {
  it.each([
    ['of nobody', [1, 1]],
    ['of none', [0, 1, 1]],
    ['of more than all', [1.5, 1, 1]],
    ['of a switch', [1, 1, 0.5]],
  ])('%s', (_, speeds) => {
    expect(() => withReceiveSpeed(star(2, us), Float64Array.from(speeds))).toThrow();
  });
});
