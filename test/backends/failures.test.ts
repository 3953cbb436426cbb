// Links that fail, come back and are degraded while packets are on them: what is lost by hand, when the rest arrives,
// and that whole planes may go.

import { describe, expect, it } from 'vitest';
import { PacketWord } from '../../src/backends/packet/packets.js';
import { type Fabric, FabricBuilder, NodeKind } from '../../src/fabric/fabric.js';
import { generateFabric } from '../../src/fabric/generators/catalogue.js';
import { broken, engineRun, settingsWith, type SettingChanges, type Transfer } from '../support/engine-run.js';
import { failuresOf, type LinkChange } from '../support/link-changes.js';

const ns = 1000;
const us = 1e6;
const ms = 1e9;

const settings = (changes: SettingChanges = {}) =>
  settingsWith({ packet: { profile: 'simai', payload: 1000 }, ...changes });

/** Host 0, switch 2, host 1: links 0 and 1, 100 Gb/s and 1 us each. */
function line(): Fabric {
  const builder = new FabricBuilder();
  builder.addNodes(NodeKind.host, 2);
  builder.addNode(NodeKind.switch);
  builder.addLink(0, 2, 100e9, us);
  builder.addLink(2, 1, 100e9, us);
  return builder.build();
}

/** Hosts 0 and 1 on leaves 2 and 3, spines 4 and 5; links: 0-2, 1-3, 2-4, 2-5, 3-4, 3-5. */
function diamond(): Fabric {
  const builder = new FabricBuilder();
  builder.addNodes(NodeKind.host, 2);
  builder.addNodes(NodeKind.switch, 4);
  for (const [a, b] of [
    [0, 2],
    [1, 3],
    [2, 4],
    [2, 5],
    [3, 4],
    [3, 5],
  ] as const)
    builder.addLink(a, b, 100e9, us);
  return builder.build();
}

/** All links of some nodes. */
function linksOf(fabric: Fabric, isMeant: (node: number) => boolean): number[] {
  const links = new Set<number>();
  for (let port = 0; port < fabric.portCount; port++)
    if (isMeant(fabric.portNode[port]!)) links.add(fabric.portLink[port]!);
  return [...links];
}

/** The second link of the line goes down and comes back. */
const repaired = (downPs: number, upPs: number): LinkChange[] => [
  [downPs, 1, 'down'],
  [upPs, 1, 'up'],
];

/** The link from leaf 2 to a spine of the diamond. */
const usedLink = (spine: number): number => (spine === 4 ? 2 : 3);

describe('a packet of 1052 B, 84.16 ns on the wire: on the second link from 1084.16 ns to 2168.32 ns', () => {
  it.each([
    ['down and up before it is sent', repaired(500 * ns, 1000 * ns), 0],
    ['down until after its first bit', repaired(500 * ns, 1090 * ns), 1],
    ['a flap while it is on the wire', repaired(1500 * ns, 1600 * ns), 1],
    ['down just before its last bit arrives', repaired(2168 * ns, 2300 * ns), 1],
    ['while its acknowledgement, 4.8 ns long, comes back', repaired(2169 * ns, 2169.1 * ns), 1],
    ['down after the acknowledgement has passed', repaired(3174 * ns, 3174.1 * ns), 0],
    [
      'the other link, after it has left that',
      [
        [1090 * ns, 0, 'down'],
        [1100 * ns, 0, 'up'],
      ],
      0,
    ],
  ] as const)('%s', (_name, changes, lost) => {
    // an hour of convergence: routing never hears of it
    const run = engineRun(line(), [[0, 1, 1000]], {
      settings: settings({ queuePair: { retransmissionTimeout: 1 * ms } }),
      failures: failuresOf(changes as readonly LinkChange[], 3.6e15),
    });
    expect(broken(run)).toEqual([]);
    expect(run.network.counters).toMatchObject({ packetsLost: lost, timeouts: lost, packetsDropped: 0 });
    // a lost ACK has its packet arrive twice
    const isAckLost = _name.includes('acknowledgement, 4.8');
    expect(run.network.counters.duplicatePackets).toBe(isAckLost ? lost : 0);
    // what the flow waited for timeouts is part of its time, and all of its delay but a look
    const { timeoutWaitPs, longestTimeoutWaitPs } = run.network.counters;
    expect([timeoutWaitPs, longestTimeoutWaitPs]).toEqual([lost * 1 * ms, lost * 1 * ms]);
    // sent again after a timeout of 1 ms to 1.25 ms
    const firstPs = 2 * (1 * us + 84.16 * ns) + 2 * (1 * us + 4.8 * ns);
    const { finishPs } = run.flows[0]!;
    if (lost === 0) expect(finishPs).toBe(firstPs);
    else expect(finishPs - firstPs).toBeGreaterThanOrEqual(1 * ms);
    expect(finishPs - firstPs).toBeLessThanOrEqual(lost * 1.25 * ms);
  });
});

describe('the way on', () => {
  const transfers: Transfer[] = [[0, 1, 4e6]];
  const run = (changes: readonly LinkChange[], convergencePs: number, extra: SettingChanges = {}) =>
    engineRun(diamond(), transfers, {
      settings: settings({ queuePair: { retransmissionTimeout: 1 * ms }, ...extra }),
      failures: failuresOf(changes, convergencePs),
    });
  const spineOf = (result: ReturnType<typeof run>): number => result.hops.find(({ hop }) => hop === 1)!.node;
  const untouched = run([], 0);

  it('without changes is the way of routes that never change', () => {
    expect(untouched.flows).toEqual(
      engineRun(diamond(), transfers, { settings: settings({ queuePair: { retransmissionTimeout: 1 * ms } }) }).flows,
    );
  });

  it('leads over the other spine once routing knows, and the sender has noticed', () => {
    const cutPs = 100 * us;
    const result = run([[cutPs, usedLink(spineOf(untouched)), 'down']], 300 * us);
    expect(broken(result)).toEqual([]);
    const delayPs = result.flows[0]!.finishPs - untouched.flows[0]!.finishPs;
    // one timeout: everything was lost from the cut on, and the next attempt comes after convergence
    expect(result.network.counters.timeouts).toBe(1);
    expect(delayPs).toBeGreaterThanOrEqual(0.9 * ms);
    expect(delayPs).toBeLessThanOrEqual(1.3 * ms);
    expect(result.network.counters.packetsLost).toBeGreaterThan(0);
  });

  it('avoids from the start what is down at time 0', () => {
    const result = run([[0, usedLink(spineOf(untouched)), 'down']], 1e12);
    expect(result.network.counters).toMatchObject({ packetsLost: 0, timeouts: 0 });
    expect(spineOf(result)).toBe(9 - spineOf(untouched));
  });

  it('costs nothing where the failed link was not used', () => {
    const result = run([[100 * us, usedLink(9 - spineOf(untouched)), 'down']], 10 * us);
    expect(result.flows).toEqual(untouched.flows);
    expect(result.network.counters.packetsLost).toBe(0);
  });

  it('ends with an unfinished flow, not a hang, when nothing is left', () => {
    const result = run(
      [
        [100 * us, 2, 'down'],
        [100 * us, 3, 'down'],
      ],
      10 * us,
      { queuePair: { retransmissionTimeout: 1 * ms, retries: 3 } },
    );
    expect(result.state).toBe('blocked');
    expect(result.flows).toEqual([]);
    expect(result.network.counters.timeouts).toBe(3);
    expect(broken(result)).toEqual([expect.stringMatching(/^all flows finished: 0 of 1/)]);
  });

  it('opens again with a repair, even for a flow that starts while nothing leads there', () => {
    const changes: LinkChange[] = [
      [0, 2, 'down'],
      [0, 3, 'down'],
      [5 * ms, 2, 'up'],
    ];
    const result = run(changes, 1 * ms);
    expect(broken(result)).toEqual([]);
    expect(result.flows[0]!.finishPs).toBeGreaterThan(5 * ms);
    expect(result.flows[0]!.finishPs).toBeLessThan(9 * ms);
  });

  it('survives flapping', () => {
    const link = usedLink(spineOf(untouched));
    const changes = Array.from({ length: 10 }, (_, i): LinkChange[] => [
      [(i * 100 + 20) * us, link, 'down'],
      [(i * 100 + 50) * us, link, 'up'],
    ]).flat();
    const result = run(changes, 200 * us, { queuePair: { retransmissionTimeout: 200 * us, retries: 100 } });
    expect(broken(result)).toEqual([]);
    expect(result.network.counters.packetsLost).toBeGreaterThan(0);
  });
});

describe.each([
  ['dual-plane', 'plane'],
  ['dual-tor', 'leaf'],
] as const)('a %s fabric', (_name, part) => {
  // 16 GPUs in two servers; every GPU has a NIC on either of two leaves
  const fabric = generateFabric('alibaba-hpn', {
    gpus: 16,
    gpusPerServer: 1,
    nvswitchesPerServer: 0,
    dualPlane: part === 'plane',
    aswSwitches: 2,
    nicsPerAsw: 16,
    pswSwitches: 4,
    aswPerPsw: part === 'plane' ? 1 : 2,
    bandwidth: '100Gbps',
    aswPswBandwidth: '400Gbps',
  });
  const leaves = [16, 17];
  const spines = part === 'plane' ? [20, 21] : [];
  const gone = new Set([leaves[1]!, ...spines]);
  const transfers: Transfer[] = Array.from({ length: 16 }, (_, i) => [i, (i + 5) % 16, 1e6] as const);

  it(`carries everything after a ${part} has gone, and nothing more through it`, () => {
    const cutPs = 30 * us;
    const convergencePs = 200 * us;
    let late = 0;
    const used = new Set<number>();
    const run = engineRun(fabric, transfers, {
      settings: settings({ queuePair: { retransmissionTimeout: 1 * ms } }),
      failures: failuresOf(
        linksOf(fabric, (node) => gone.has(node)).map((link): LinkChange => [cutPs, link, 'down']),
        convergencePs,
      ),
      onArrival: (packet, port, network) => {
        const node = fabric.portNode[port]!;
        if (network.nowPs < cutPs) used.add(node);
        else if (
          gone.has(node) ||
          gone.has(fabric.portNode[network.parts.records.words[(packet << 3) + PacketWord.port]!]!)
        )
          late++;
      },
    });
    expect(broken(run)).toEqual([]);
    expect(run.flows).toHaveLength(16);
    expect(used.has(leaves[1]!)).toBe(true);
    expect(late).toBe(0);
    expect(run.network.counters.packetsLost).toBeGreaterThan(0);
  });
});

it('moves queue pairs that wait for their turn to the other NIC: nothing is lost once routing has converged', () => {
  // one host with two NICs keeps both busy with 24 queue pairs; the leaf of one NIC goes
  const builder = new FabricBuilder();
  builder.addNodes(NodeKind.host, 3);
  builder.addNodes(NodeKind.switch, 2);
  for (let host = 0; host < 3; host++) for (const leaf of [3, 4]) builder.addLink(host, leaf, 100e9, us);
  const fabric = builder.build();
  const gone = linksOf(fabric, (node) => node === 4).map((link): LinkChange => [50 * us, link, 'down']);
  let lostByThen = -1;
  const run = engineRun(
    fabric,
    Array.from({ length: 24 }, (_, i): Transfer => [0, 1 + (i % 2), 500e3]),
    {
      settings: settings({
        congestion: { algorithm: 'none' },
        queuePair: { window: 'unlimited', retransmissionTimeout: 1 * ms },
      }),
      failures: failuresOf(gone, 20 * us),
      onArrival: (_packet, _port, network) => {
        // what was on the links at convergence is gone 3 us later
        if (lostByThen < 0 && network.nowPs > 73 * us) lostByThen = network.counters.packetsLost;
      },
    },
  );
  expect(broken(run)).toEqual([]);
  expect(lostByThen).toBeGreaterThan(0);
  expect(run.network.counters.packetsLost).toBe(lostByThen);
});

describe('degraded links', () => {
  it('carry at their rate, and at the old one again when repaired', () => {
    const run = engineRun(line(), [[0, 1, 10e6]], {
      settings: settings({ congestion: { algorithm: 'none' } }),
      failures: failuresOf(
        [
          [100 * us, 0, 'rate', 25e9],
          [500 * us, 0, 'rate', 100e9],
        ],
        0,
      ),
    });
    // bits at 100 Gb/s: 100 us, then 400 us at a quarter, the rest at 100 Gb/s
    const wireBits = 10e6 * 1.052 * 8;
    const expectedPs = 500 * us + ((wireBits - 100e-6 * 100e9 - 400e-6 * 25e9) / 100e9) * 1e12 + 4 * us;
    expect(broken(run)).toEqual([]);
    expect(Math.abs(run.flows[0]!.finishPs - expectedPs)).toBeLessThan(0.6 * us);
  });

  it('lose packets at their error rate', () => {
    const seed = Number(process.env['WEFT_SEED'] ?? Date.now() % 1e6);
    const run = engineRun(line(), [[0, 1, 10e6]], {
      seed,
      settings: settings({ queuePair: { retransmissionTimeout: 100 * us, window: 'pair-bdp', retries: 1000 } }),
      failures: failuresOf([[0, 0, 'errorRate', 0.01]], 0),
    });
    expect(broken(run), `seed ${seed}`).toEqual([]);
    const { packetsLost, dataPacketsSent, acknowledgementsSent } = run.network.counters;
    // both directions of link 0: each data packet and nearly each acknowledgement once
    const expected = 0.01 * (dataPacketsSent + acknowledgementsSent);
    expect(Math.abs(packetsLost - expected), `seed ${seed}`).toBeLessThan(6 * Math.sqrt(expected));
  });
});

it('lets go of a port that was paused over a link that goes down', () => {
  // two senders into one host fill the switch's small buffer: both are paused; then the link of one goes down and comes
  // back
  const builder = new FabricBuilder();
  builder.addNodes(NodeKind.host, 3);
  builder.addNode(NodeKind.switch);
  for (let host = 0; host < 3; host++) builder.addLink(host, 3, 100e9, us);
  const fabric = builder.build();
  const changes = settings({
    congestion: { algorithm: 'none' },
    ecn: { enabled: false },
    switch: { buffer: 300_000 },
    queuePair: { window: 'unlimited', retransmissionTimeout: 0, nackInterval: 5 * us },
  });
  // cuts of both senders' links at odd moments: some of them find a paused sender
  const cuts = Array.from({ length: 12 }, (_, i): LinkChange[] =>
    [0, 1].flatMap((link): LinkChange[] => [
      [(60 + 7.3 * i) * us, link, 'down'],
      [(60.1 + 7.3 * i) * us, link, 'up'],
    ]),
  ).flat();
  let cutsWhilePaused = 0;
  let isPaused = false;
  let next = 0;
  const run = engineRun(
    fabric,
    [
      [0, 2, 2e6],
      [1, 2, 2e6],
    ],
    {
      settings: changes,
      failures: failuresOf(cuts, 0),
      onArrival: (_packet, _port, { nowPs, parts: { ports } }) => {
        if (next < 12 && nowPs > (60 + 7.3 * next) * us) {
          next++;
          if (isPaused) cutsWhilePaused++;
        }
        isPaused = ports.pausedQueues(0) !== 0 || ports.pausedQueues(1) !== 0;
      },
    },
  );
  expect(cutsWhilePaused).toBeGreaterThan(3);
  expect(broken(run)).toEqual([]);
});
