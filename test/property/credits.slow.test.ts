// The credit backend beside a simulation of the same rules that shares nothing with it: random leaf-spine fabrics with
// links of different speed, small buffers, several lanes that packets keep or change, both switchings and both ways to accept, to the picosecond.

import { expect, it } from 'vitest';
import { RandomStream } from '../../src/base/random.js';
import { creditBackend } from '../../src/backends/credit/credit-backend.js';
import { DrawnLevels } from '../../src/routing/service-levels.js';
import { type Fabric, FabricBuilder, NodeKind } from '../../src/fabric/fabric.js';
import { withForwardingLatency } from '../../src/fabric/forwarding-latency.js';
import { MemorySink } from '../../src/records/memory-sink.js';
import { DrawnLanes, madeHere } from '../../src/routing/lane-maps.js';
import { EqualCostRoutes } from '../../src/routing/equal-cost.js';
import { PathTracer } from '../../src/routing/path.js';
import { acknowledgementPs } from '../../src/routing/stream-tail.js';
import { bareRun } from '../../validation/bare-driver.js';
import { settingsWith } from '../support/engine-run.js';
import { lanePollTable, portPollTable } from '../../src/records/poll-records.js';
import { tableRows } from '../support/table-rows.js';
import { naiveCredits } from '../support/naive-credits.js';
import { type CreditOutcome, layeredOutcome, loopOutcome, treeOutcome } from '../../validation/random-credits.js';
import { seed } from '../support/seed.js';

const cases = Number(process.env['WEFT_SWARM'] ?? 60);

function randomFabric(below: (limit: number) => number): Fabric {
  const builder = new FabricBuilder();
  const hosts = 4 + below(3);
  builder.addNodes(NodeKind.host, hosts);
  builder.addNodes(NodeKind.switch, 4);
  // without latencies a credit is back at once
  const hasLatency = below(3) > 0;
  const link = (a: number, b: number): void =>
    builder.addLink(a, b, 10e9 + below(90_000_000) * 1000 + 1, hasLatency ? 100_000 + below(2_000_000) : 0);
  for (let host = 0; host < hosts; host++) link(host, hosts + (host % 2));
  for (const leaf of [hosts, hosts + 1]) for (const spine of [hosts + 2, hosts + 3]) link(leaf, spine);
  return withForwardingLatency(builder.build(), { latency: hasLatency ? below(500_000) : 0, nvswitchLatency: 0 });
}

it(`sends every packet when a simple simulation does (WEFT_SEED=${seed})`, () => {
  const random = new RandomStream(seed, 'credit cases');
  const below = (limit: number): number => Math.floor(random.nextFraction() * limit);
  let [compared, withLanes, changing, waited] = [0, 0, 0, 0];
  for (let number = 0; number < cases || (changing === 0 && number < 20 * cases); number++) {
    const fabric = randomFabric(below);
    const tracer = new PathTracer(new EqualCostRoutes(fabric, 'descending-node-id'), 8);
    const shape = { payloadBytes: 1000 + below(3000), overheadBytes: 40 + below(40), acknowledgementBytes: 60 };
    const fullBytes = shape.payloadBytes + shape.overheadBytes;
    const packet = settingsWith({
      polling: { interval: 3_000_000 * below(2), tick: 1, lanes: true, spread: below(3_000_000) },
    });
    const sink = new MemorySink();
    const headerBytes = packet.packet.header;
    const rules = {
      lanes: Math.max(1, below(5) - 1),
      buffer: fullBytes * (1 + below(4)) + below(fullBytes),
      returnLatency: below(3) * 77_777,
      switching: below(2) === 0 ? 'cut-through' : 'store-and-forward',
      acceptance: ['input-buffer', 'output-queue', 'output-buffer'][below(3)]!,
      levels: below(2) === 0 ? ('auto' as const) : 1 + below(5),
      sl2vl: below(2) === 0 ? 'random' : 'modulo',
      laneQueues: below(6) === 0 ? 'shared' : 'separate',
    };
    const levelCount = rules.levels === 'auto' ? rules.lanes : rules.levels;
    const levels = new DrawnLevels(levelCount, number);
    const drawn = new DrawnLanes(rules.lanes, number);
    const laneOf = (level: number, inPort: number, outPort: number): number =>
      rules.laneQueues === 'shared'
        ? 0
        : rules.sl2vl === 'random'
          ? drawn.lane(level, 0, 0, inPort, outPort)
          : level % rules.lanes;
    const hosts = fabric.hosts.length;
    const flows = Array.from({ length: 2 + below(8) }, () => {
      const source = below(hosts);
      const destination = (source + 1 + below(hosts - 1)) % hosts;
      const sizeBytes = 1 + below(40 * shape.payloadBytes);
      return { source, destination, sizeBytes, startPs: below(20_000_000), sourcePort: 10_000 + below(50_000) };
    });
    const driver = bareRun(
      creditBackend.make({
        fabric,
        tracer,
        links: null,
        pathsMayChange: false,
        countsPorts: false,
        seed: number,
        shape,
        settings: { credit: rules },
        packet,
        paces: null,
        describe: null,
        sink,
        wheelWidthPs: null,
      }).network,
      flows,
    );
    const ways = new Int32Array(8);
    const traced = (from: number, to: number, fromPort: number, toPort: number): Int32Array =>
      ways.slice(0, tracer.trace(from, to, fromPort, toPort, ways));
    const naive = naiveCredits(
      fabric,
      flows.map(({ source, destination, sizeBytes, startPs, sourcePort }) => {
        const count = Math.ceil(sizeBytes / shape.payloadBytes);
        const path = [...traced(source, destination, sourcePort, 100)];
        const level = levels.of(source, destination);
        return {
          startPs,
          lanes: path.map((port, hop) => laneOf(level, hop === 0 ? madeHere : fabric.portPeer[path[hop - 1]!]!, port)),
          path,
          packets: Array.from({ length: count }, (_, i) =>
            i + 1 < count ? fullBytes : sizeBytes - (count - 1) * shape.payloadBytes + shape.overheadBytes,
          ),
        };
      }),
      {
        lanes: rules.laneQueues === 'shared' ? 1 : rules.lanes,
        bufferBytes: rules.buffer,
        returnLatencyPs: rules.returnLatency,
        cutsThrough: rules.switching === 'cut-through',
        acceptsAtOutput: rules.acceptance !== 'input-buffer',
        sharesBuffer: rules.acceptance === 'output-buffer',
        headerBytes,
      },
    );
    expect(driver.network.verdicts('finished').filter(({ ok }) => !ok)).toEqual([]);
    if (naive.isAmbiguous) continue;
    compared++;
    if (rules.lanes > 1) withLanes++;
    if (rules.lanes > 1 && rules.sl2vl === 'random' && rules.laneQueues === 'separate') changing++;
    const expected = naive.arrivalPs.map((arrivalPs, i) => {
      const { source, destination, sourcePort } = flows[i]!;
      const back = traced(destination, source, 100, sourcePort);
      return arrivalPs + acknowledgementPs(fabric, back, back.length, 60);
    });
    const label = `case ${number} ${JSON.stringify(rules)}`;
    expect(driver.finishPs, label).toEqual(expected);
    if (packet.polling.interval === 0) continue;
    if (naive.waitedPs.some((timePs) => timePs > 0)) waited++;
    expectCounters(fabric, sink, naive, packet.packet.gap, rules.laneQueues === 'shared' ? null : rules.lanes, label);
  }
  expect(compared).toBeGreaterThan(cases / 3);
  expect(withLanes).toBeGreaterThan(0);
  expect(changing).toBeGreaterThan(0);
  expect(waited).toBeGreaterThan(0);
});

/**
 * Polled counters at the end beside those of the simple simulation.
 * @param lanes null: they only count, and the simple simulation has one
 */
function expectCounters(
  fabric: Fabric,
  sink: MemorySink,
  naive: Pick<ReturnType<typeof naiveCredits>, 'sentBytes' | 'waitedPs' | 'heldPs'>,
  gapBytes: number,
  lanes: number | null,
  label: string,
): void {
  const rows = tableRows(sink, portPollTable).slice(-fabric.portCount);
  const own = tableRows(sink, lanePollTable);
  const perPort = own.length / sink.rowCount(portPollTable);
  const laneRows = own.slice(-fabric.portCount * perPort);
  const bytes = (linkBytes: number, packets: number): number => Math.floor((linkBytes - packets * gapBytes) / 4) * 4;
  rows.forEach((row, port) => {
    const ofPort = laneRows.slice(port * perPort, (port + 1) * perPort);
    const sum = (name: string): number => ofPort.reduce((total, lane) => total + lane[name]!, 0);
    const linkBytes = naive.sentBytes[port]!;
    expect(row['waitTicks'], label).toBe(naive.waitedPs[port]);
    expect(row['transmitBytes'], label).toBe(
      bytes(
        linkBytes.reduce((total, lane) => total + lane, 0),
        row['transmitPackets']!,
      ),
    );
    expect(row['receivePackets'], label).toBe(rows[fabric.portPeer[port]!]!['transmitPackets']);
    expect(row['receiveBytes'], label).toBe(rows[fabric.portPeer[port]!]!['transmitBytes']);
    expect(sum('transmitPackets'), label).toBe(row['transmitPackets']);
    expect(sum('waitTicks'), label).toBeGreaterThanOrEqual(row['waitTicks']!);
    if (perPort === 1) expect(sum('waitTicks'), label).toBe(row['waitTicks']);
    if (lanes !== null)
      expect(
        ofPort.map((lane) => lane['waitTicks']),
        label,
      ).toEqual(naive.heldPs[port]);
    if (lanes !== null)
      expect(
        ofPort.map((lane) => lane['transmitBytes']),
        label,
      ).toEqual(linkBytes.map((own, lane) => bytes(own, ofPort[lane]!['transmitPackets']!)));
  });
}

const series: readonly (readonly [string, number, (of: number, number: number) => CreditOutcome])[] = [
  ['loses nothing and never stands still on trees', 100, treeOutcome],
  ['stands still where ways go round, and names the ring', 10, loopOutcome],
  ['does not on the lanes of layers', 10, layeredOutcome],
];
it.each(series)(`%s (WEFT_SEED=${seed})`, (_, count, outcome) => {
  const outcomes = Array.from({ length: count }, (__, number) => outcome(seed, number));
  expect(outcomes.flatMap(({ problems, text }) => problems.map((problem) => `${text}: ${problem}`))).toEqual([]);
  expect(outcomes.reduce((sum, { packets }) => sum + packets, 0)).toBeGreaterThan(0);
});
