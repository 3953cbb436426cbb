// Transfers that begin or end in an NVSwitch, against closed forms: S is the transmission of a full packet, a that of
// an acknowledgement, L the latency of a link, n packets. Headers and gaps are 0 and links 100 Gb/s, so that S and L
// are round numbers.

import { describe, expect, it } from 'vitest';
import { simulate } from '../../src/app/simulate.js';
import { Kind, PacketWord } from '../../src/backends/packet/packets.js';
import type { PacketNetwork } from '../../src/backends/packet/packet-network.js';
import { queuesPerPort } from '../../src/backends/packet/ports.js';
import { mechanisms } from '../../src/backends/packet/mechanisms.js';
import type { PacketSettings } from '../../src/backends/packet/settings.js';
import { type Fabric, FabricBuilder, NodeKind } from '../../src/fabric/fabric.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { headerKey, murmur3 } from '../../validation/murmur3.js';
import { memoryHost } from '../memory-host.js';
import { packetFacts } from '../support/engine-records.js';
import { broken, engineRun, settingsWith, type SettingChanges, type Transfer } from '../support/engine-run.js';
import { failuresOf } from '../support/link-changes.js';

const rateBps = 100e9;
const payload = 1000;
const fullPs = 80_000;
const ackPs = 60 * 80;

/** Hosts 0..count - 1 on one NVSwitch, which is node `count`. */
function server(
  count: number,
  latencyPs: number,
  options: { kind?: NodeKind; links?: number; errorRate?: number } = {},
): Fabric {
  const { kind = NodeKind.nvswitch, links = 1, errorRate = 0 } = options;
  const builder = new FabricBuilder(count);
  builder.addNodes(NodeKind.host, count);
  const nvswitch = builder.addNode(kind);
  for (let host = 0; host < count; host++)
    for (let i = 0; i < links; i++) builder.addLink(host, nvswitch, rateBps, latencyPs, errorRate);
  return builder.build();
}

function settingsFor(changes: SettingChanges = {}): PacketSettings {
  return settingsWith({
    ...changes,
    packet: { payload, header: 0, acknowledgement: 60, gap: 0, ...changes.packet },
    queuePair: { window: 'unlimited', ...changes.queuePair },
  });
}

const hosts = (count: number): number[] => Array.from({ length: count }, (_, host) => host);

describe('a transfer over one link', () => {
  const latencyPs = 25_000;
  const alonePs = (packets: number, lastBytes = payload): number =>
    (packets - 1) * fullPs + lastBytes * 80 + 2 * latencyPs + ackPs;

  it.each(Object.keys(mechanisms.congestionControls) as PacketSettings['congestion']['algorithm'][])(
    'up and down takes its bytes, the link there and the acknowledgement back: %s',
    (algorithm) => {
      for (const [source, destination] of [
        [0, 2],
        [2, 0],
      ] as const) {
        const run = engineRun(server(2, latencyPs), [[source, destination, 49 * payload + 123]], {
          settings: settingsFor({ congestion: { algorithm } }),
        });
        expect(run.flows.map(({ finishPs }) => finishPs)).toEqual([alonePs(50, 123)]);
        // no switch stands between its ends
        expect([run.hops.length, run.collisions.count().links, broken(run), run.network.counters.packetHops]).toEqual([
          0,
          0,
          [],
          100,
        ]);
      }
    },
  );

  it('of all GPUs at once, up and then down, takes as long as that of one: every link carries its own alone', () => {
    const count = 8;
    const upPs = alonePs(200);
    const transfers = [
      ...hosts(count).map((host): Transfer => [host, count, 200 * payload]),
      ...hosts(count).map((host): Transfer => [count, host, 200 * payload, upPs]),
    ];
    const run = engineRun(server(count, latencyPs), transfers, { settings: settingsFor() });
    expect(run.flows.map(({ startPs, finishPs }) => finishPs - startPs)).toEqual(transfers.map(() => upPs));
    expect(broken(run)).toEqual([]);
  });

  it('up and down at the same time shares each direction with acknowledgements only', () => {
    const transfers = hosts(8).flatMap((host): Transfer[] => [
      [host, 8, 200 * payload],
      [8, host, 200 * payload],
    ]);
    const run = engineRun(server(8, latencyPs), transfers, { settings: settingsFor() });
    expect(broken(run)).toEqual([]);
    for (const { finishPs } of run.flows) {
      expect(finishPs).toBeGreaterThanOrEqual(alonePs(200));
      // both packets of an exchange may wait for one that is being sent
      expect(finishPs).toBeLessThanOrEqual(alonePs(200) + 200 * ackPs + fullPs);
    }
  });

  it('over one of several links, as the hash of the sender says', () => {
    const fabric = server(2, latencyPs, { links: 4 });
    const used: number[] = [];
    const sourcePorts = hosts(16).map((i) => 20_000 + 77 * i);
    const transfers = sourcePorts.map((_, i): Transfer => (i % 2 === 0 ? [0, 2, payload] : [2, 0, payload]));
    const run = engineRun(fabric, transfers, {
      settings: settingsFor(),
      sourcePorts,
      onArrival: (packet, port, network) => {
        const { kind, pair } = packetFacts(network.parts, packet);
        if (kind === Kind.data) used[pair] = fabric.portPeer[port]!;
      },
    });
    expect(run.state).toBe('finished');
    for (const [i, [source, destination]] of transfers.entries()) {
      const hash = murmur3(
        headerKey(0x0b000001 + source * 256, 0x0b000001 + destination * 256, sourcePorts[i]!, 100),
        0x8badf00d,
      );
      expect(used[i]).toBe(fabric.portOffset[source]! + (hash % 4));
    }
  });
});

describe('an NVSwitch port', () => {
  it('takes turns between what it forwards and its own data, packet by packet', () => {
    // Own data start at 0. The first forwarded packet arrives at S + L = 2.5 S and goes when the third own packet is
    // through; then they alternate: own packet k (from 1) ends at (2 k - 3) S, for k > 3. The last three forwarded
    // packets follow without a break.
    const n = 100;
    const latencyPs = 1.5 * fullPs;
    const run = engineRun(
      server(2, latencyPs),
      [
        [2, 1, n * payload],
        [0, 1, n * payload],
      ],
      { settings: settingsFor() },
    );
    expect(run.flows.map(({ flow, finishPs }) => [flow, finishPs])).toEqual([
      [0, (2 * n - 3) * fullPs + 2 * latencyPs + ackPs],
      [1, 2 * n * fullPs + latencyPs + 2 * (ackPs + latencyPs)],
    ]);
    expect(run.hops.map(({ flow, node }) => [flow, node])).toEqual([[1, 2]]);
    expect(broken(run)).toEqual([]);
  });

  it("without anything of its own to send does what a switch's port does", () => {
    const transfers = hosts(40).map((i): Transfer => [
      i % 5,
      (i * 3 + 1 + (i % 5)) % 6 === i % 5 ? 5 : (i * 3 + 1 + (i % 5)) % 6,
      1 + ((i * 7919) % 50_000),
      i * 10_000,
    ]);
    const settings = settingsFor({ ecn: { enabled: false }, pfc: { enabled: false } });
    const [nvswitch, plain] = [NodeKind.nvswitch, NodeKind.switch].map((kind) =>
      engineRun(server(6, 25_000, { kind }), transfers, { settings }),
    );
    expect(nvswitch!.flows).toEqual(plain!.flows);
    expect(nvswitch!.network.counters).toEqual(plain!.network.counters);
    expect(nvswitch!.flows.length).toBe(40);
  });

  it('keeps the shared buffer for what it forwards: at every moment the counters are the packets that wait', () => {
    const fabric = server(4, 25_000);
    let forwarded = 0;
    let own = 0;
    let both = 0;
    const check = (network: PacketNetwork): void => {
      const held = new Float64Array(fabric.portCount * queuesPerPort);
      let [forwardedNow, ownNow] = [0, 0];
      for (let port = fabric.portOffset[4]!; port < fabric.portOffset[5]!; port++) {
        for (let queue = 0; queue < queuesPerPort; queue++) {
          network.parts.ports.forEachQueued(port, queue, (packet) => {
            const { pair, wireBytes } = packetFacts(network.parts, packet);
            if (network.parts.pairs.source[pair] === 4 || network.parts.pairs.destination[pair] === 4) ownNow++;
            else {
              forwardedNow++;
              held[network.parts.records.words[(packet << 3) + PacketWord.port]! * queuesPerPort + queue]! += wireBytes;
            }
          });
        }
      }
      const { buffer } = network.parts;
      for (const [index, bytes] of held.entries()) {
        const [counted, headroom] = [buffer.bytesOf(index), buffer.headroomBytesOf(index)];
        if (counted + headroom !== bytes)
          throw new Error(`ingress queue ${index} holds ${bytes} B, counted ${counted} + ${headroom}`);
      }
      forwarded += forwardedNow;
      own += ownNow;
      if (forwardedNow > 0 && ownNow > 0) both++;
    };
    // three GPUs and the NVSwitch itself send to GPU 0; GPU 0 sends up, so that acknowledgements wait among the
    // forwarded packets
    const transfers: Transfer[] = [
      [1, 0, 60_000],
      [2, 0, 60_000],
      [3, 0, 60_000],
      [4, 0, 60_000],
      [0, 4, 90_000],
      [1, 4, 60_000],
      [4, 1, 60_000],
    ];
    const run = engineRun(fabric, transfers, {
      settings: settingsFor({ ecn: { enabled: false } }),
      onArrival: (_packet, _port, network) => check(network),
    });
    expect([run.state, broken(run)]).toEqual(['finished', []]);
    expect(Math.min(forwarded, own, both)).toBeGreaterThan(10);
  });

  it('drops nothing, whatever waits and however small its buffer; a switch in its place does', () => {
    // NVLink gives credits: what has none waits
    for (const pfc of [
      { enabled: true },
      { enabled: false },
      { enabled: false, threshold: 'static', staticThreshold: 1 },
    ] as const) {
      const settings = settingsFor({
        switch: { buffer: 20_000 },
        pfc: { ...pfc, reserve: 0 },
        congestion: { algorithm: 'none' },
      });
      const transfers = hosts(7).map((host): Transfer => [host + 1, 0, 300 * payload]);
      const run = engineRun(server(8, 25_000), transfers, { settings });
      expect([run.state, broken(run), run.network.counters.packetsDropped]).toEqual(['finished', [], 0]);
      if (!pfc.enabled)
        expect(
          engineRun(server(8, 25_000, { kind: NodeKind.switch }), transfers, { settings }).network.counters
            .packetsDropped,
        ).toBeGreaterThan(0);
    }
  });

  it('needs no shared buffer for its own transfers', () => {
    const transfers = hosts(4).flatMap((host): Transfer[] => [
      [host, 4, 100 * payload],
      [4, host, 100 * payload],
      [4, host, 10 * payload],
    ]);
    const run = engineRun(server(4, 25_000), transfers, {
      settings: settingsFor({ switch: { buffer: 0 }, pfc: { enabled: false, reserve: 0 } }),
    });
    expect([run.state, broken(run), run.network.counters.packetsDropped]).toEqual(['finished', [], 0]);
    expect([...run.network.parts.buffer.ingress].every((bytes) => bytes === 0)).toBe(true);
  });

  it('neither marks nor pauses, whatever waits; a switch in its place does both', () => {
    const forwarded = hosts(7).map((host): Transfer => [host + 1, 0, 300 * payload]);
    const settings = settingsFor({
      congestion: { algorithm: 'none' },
      ecnThresholds: [{ rateBps, minimumBytes: 0, maximumBytes: 1, probability: 1 }],
      pfc: { reserve: 0 },
      switch: { buffer: 400_000 },
    });
    const countersOf = (kind: NodeKind, transfers: readonly Transfer[]): number[] => {
      const { ecnMarks, pauseFrames } = engineRun(server(8, 25_000, { kind }), transfers, { settings }).network
        .counters;
      return [ecnMarks, pauseFrames];
    };
    expect(countersOf(NodeKind.nvswitch, [...forwarded, [8, 0, 300 * payload], [0, 8, 300 * payload]])).toEqual([0, 0]);
    expect(Math.min(...countersOf(NodeKind.switch, forwarded))).toBeGreaterThan(0);
  });

  it('lets queue 0 go before its own data and before what it forwards', () => {
    // GPU 0 sends single packets up while its NVLink down is full: each acknowledgement waits for the packet on the
    // wire at most, and each packet for an acknowledgement that GPU 0 is sending
    const latencyPs = 25_000;
    const singles = hosts(40).map((i): Transfer => [0, 2, payload, (20 + i) * 1.1 * fullPs]);
    const run = engineRun(server(2, latencyPs), [[2, 0, 200 * payload], [1, 0, 200 * payload], ...singles], {
      settings: settingsFor({ queuePair: { acknowledgementPriority: 0 } }),
    });
    expect(broken(run)).toEqual([]);
    const up = run.flows.filter(({ source }) => source === 0);
    expect(up.length).toBe(40);
    for (const { startPs, finishPs } of up)
      expect(finishPs - startPs).toBeLessThanOrEqual(fullPs + 2 * latencyPs + ackPs + fullPs + ackPs);
  });
});

describe("an NVSwitch's own queue pairs", () => {
  it('keep to their window', () => {
    // 2 L = 9 S: the path's BDP is 10 packets, its round trip 10 S and an acknowledgement
    const latencyPs = 4.5 * fullPs;
    const roundTripPs = fullPs + 2 * latencyPs + ackPs;
    const n = 95;
    for (const [source, destination] of [
      [2, 0],
      [0, 2],
    ] as const) {
      const run = engineRun(server(2, latencyPs), [[source, destination, n * payload]], {
        settings: settingsFor({ queuePair: { window: 'pair-bdp' } }),
      });
      expect(run.flows[0]!.finishPs).toBe(
        Math.floor((n - 1) / 10) * roundTripPs + ((n - 1) % 10) * fullPs + roundTripPs,
      );
    }
  });

  it('keep to their rate', () => {
    // The first packet arrives at 3.5 S, and the rate is halved: packet 4 goes at 4 S as was due, from there on one
    // every 2 S.
    const latencyPs = 2.5 * fullPs;
    const n = 50;
    const run = engineRun(server(2, latencyPs), [[2, 0, n * payload]], {
      settings: settingsFor(),
      onArrival: (packet, _, network) => {
        const { kind, sequence, pair } = packetFacts(network.parts, packet);
        if (kind === Kind.data && sequence === 0) network.parts.rates.setRate(pair, rateBps / 2);
      },
    });
    expect(run.flows[0]!.finishPs).toBe((4 + 2 * (n - 5)) * fullPs + fullPs + 2 * latencyPs + ackPs);
  });

  it('take turns at their port', () => {
    // the short one, started at the same time, has every second packet
    const latencyPs = 25_000;
    const run = engineRun(
      server(2, latencyPs),
      [
        [2, 0, 100 * payload],
        [2, 0, 20 * payload],
      ],
      { settings: settingsFor() },
    );
    const finish = new Map(run.flows.map(({ flow, finishPs }) => [flow, finishPs]));
    expect(finish.get(0)).toBe(120 * fullPs + 2 * latencyPs + ackPs);
    expect(finish.get(1)).toBe(40 * fullPs + 2 * latencyPs + ackPs);
  });

  it('send lost packets again', () => {
    const transfers = hosts(4).flatMap((host): Transfer[] => [
      [host, 4, 200 * payload],
      [4, host, 200 * payload],
    ]);
    const run = engineRun(server(4, 25_000, { errorRate: 0.02 }), transfers, { settings: settingsFor() });
    expect([run.state, broken(run)]).toEqual(['finished', []]);
    expect(run.network.counters.retransmittedBytes).toBeGreaterThan(0);
  });

  it('need no path from the central controller', () => {
    const transfers: Transfer[] = [
      [0, 4, 50_000],
      [4, 0, 50_000],
      [1, 2, 50_000],
    ];
    const run = engineRun(server(4, 25_000), transfers, { settings: settingsFor(), controlled: true });
    expect([run.state, broken(run)]).toEqual(['finished', []]);
    expect(run.flows.map(({ sourcePort }) => sourcePort)).toEqual([10_000, 10_000, 10_000]);
  });
});

describe('when an NVLink fails', () => {
  const [us, ms] = [1e6, 1e9];
  const settings = settingsFor({ queuePair: { retransmissionTimeout: ms, retries: 3 } });
  // the link of GPU 1 fails: not the first port of the NVSwitch
  const upAndDown: readonly Transfer[] = [
    [1, 2, 500 * payload],
    [2, 1, 500 * payload],
    [0, 2, 500 * payload],
    [2, 0, 500 * payload],
  ];

  it('and nothing does, hop-by-hop routing takes the very same packets', () => {
    const transfers: Transfer[] = [...upAndDown, [0, 1, 500 * payload]];
    const [fixed, changing] = [undefined, failuresOf([], 0)].map((failures) =>
      engineRun(server(2, 25_000), transfers, { settings, ...(failures === undefined ? {} : { failures }) }),
    );
    expect(changing!.flows).toEqual(fixed!.flows);
    expect(changing!.hops).toEqual(fixed!.hops);
    expect(broken(changing!)).toEqual([]);
  });

  it.each([0, 3])(
    'its transfers up and down wait for the repair, those of other GPUs go on; routing learns of it after %d us',
    (convergenceUs) => {
      const run = engineRun(server(2, 25_000), upAndDown, {
        settings,
        failures: failuresOf(
          [
            [10 * us, 1, 'down'],
            [2 * ms, 1, 'up'],
          ],
          convergenceUs * us,
        ),
      });
      expect([run.state, broken(run)]).toEqual(['finished', []]);
      const undisturbed = engineRun(server(2, 25_000), upAndDown, { settings });
      const finish = (result: typeof run, flow: number): number =>
        result.flows.find((row) => row.flow === flow)!.finishPs;
      for (const flow of [0, 1]) expect(finish(run, flow)).toBeGreaterThan(2 * ms);
      for (const flow of [2, 3]) expect(finish(run, flow)).toBe(finish(undisturbed, flow));
    },
  );

  it.each([0, 3])(
    'for good, they are named as unfinished, and no other GPU gets their packets (%d us)',
    (convergenceUs) => {
      const run = engineRun(server(2, 25_000), upAndDown, {
        settings,
        failures: failuresOf([[10 * us, 1, 'down']], convergenceUs * us),
      });
      expect(run.state).toBe('blocked');
      expect(broken(run)).toEqual([expect.stringContaining('unfinished: 0, 1')]);
      expect(run.flows.map(({ flow }) => flow).sort()).toEqual([2, 3]);
    },
  );

  it('GPUs of a server turn to their NICs, and back after the repair', () => {
    // hosts 0 and 1, NVSwitch 2, leaf 3; links: 0-2, 1-2, 0-3, 1-3
    const builder = new FabricBuilder(2);
    builder.addNodes(NodeKind.host, 2);
    builder.addNode(NodeKind.nvswitch);
    builder.addNode(NodeKind.switch);
    for (const [a, b] of [
      [0, 2],
      [1, 2],
      [0, 3],
      [1, 3],
    ] as const)
      builder.addLink(a, b, rateBps, 25_000);
    const arrivals: [number, number][] = [];
    const fabric = builder.build();
    const run = engineRun(fabric, [[0, 1, 2000 * payload]], {
      settings,
      failures: failuresOf(
        [
          [40 * us, 1, 'down'],
          [100 * us, 1, 'up'],
        ],
        0,
      ),
      onArrival: (_, port, network) => {
        const from = fabric.portNode[fabric.portPeer[port]!]!;
        if (from >= 2) arrivals.push([network.nowPs, from]);
      },
    });
    expect([run.state, broken(run)]).toEqual(['finished', []]);
    const seen = (fromPs: number, untilPs: number): number[] => [
      ...new Set(arrivals.filter(([timePs]) => timePs > fromPs && timePs < untilPs).map(([, node]) => node)),
    ];
    expect([seen(0, 40 * us), seen(42 * us, 100 * us), seen(102 * us, Infinity)]).toEqual([[2], [3], [2]]);
  });
});

it('from a scenario or a trace to the end: the figures of docs/models/nvswitch.md', async () => {
  // 1024 packets of 4096 + 62 + 20 B at 2880 Gb/s, each rounded to a picosecond; an acknowledgement of 86 B; twice 25
  // ns
  const directionPs = 1024 * Math.round((4178 * 8e12) / 2880e9) + Math.round((86 * 8e12) / 2880e9) + 2 * 25_000;
  expect(directionPs).toBe(11_934_783);
  const rows = [
    ...hosts(8).map((gpu) => [0, gpu, 8] as const),
    ...hosts(8).map((gpu) => [11_934.783, 8, gpu] as const),
  ];
  const forms = {
    'trace.yaml': 'traffic: { trace: t.csv }',
    'list.yaml': `traffic:\n  transfers:\n${rows.map(([startNs, source, destination]) => `    - { source: ${source}, destination: ${destination}, size: 4MiB, start: ${startNs}ns }\n`).join('')}`,
  };
  const files = {
    't.csv': rows.map(([startNs, source, destination]) => `${startNs},${source},${destination},4194304\n`).join(''),
  };
  const runs = await Promise.all(
    Object.entries(forms).map(async ([name, traffic]) => {
      const host = memoryHost({
        ...files,
        [name]: `name: up and down\nfabric: { generate: dcn+, gpus: 8, gpusPerServer: 8, nicsPerAsw: 8, aswSwitches: 1, pswSwitches: 1 }\n${traffic}\n`,
      });
      return simulate(await makePlan(name, { host, overrides: [] }), { host });
    }),
  );
  for (const run of runs) {
    expect([run.outcome, run.finished, run.simulatedPs, run.collisions.flowPairs, run.counters.packetHops]).toEqual([
      'finished',
      16,
      2 * directionPs,
      0,
      32_768,
    ]);
    expect(run.fct).toEqual({ meanNs: 11_934.783, p50Ns: 11_934.783, p99Ns: 11_934.783, maxNs: 11_934.783 });
    expect(run.verdicts.filter(({ ok }) => !ok)).toEqual([]);
  }
  expect(runs[0]!.digest).toBe(runs[1]!.digest);
});
