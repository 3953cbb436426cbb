// The credit backend by hand: a transfer alone, what credits let through on a long link, a loop of credits on a ring of
// switches, lanes, links that fail, senders with a rate of their own, and messages.

import { describe, expect, it } from 'vitest';
import { InputError } from '../../src/base/diagnostics.js';
import { creditBackend } from '../../src/backends/credit/credit-backend.js';
import { DrawnLevels } from '../../src/routing/service-levels.js';
import { FabricBuilder, NodeKind } from '../../src/fabric/fabric.js';
import { FlowColumn, flowTable } from '../../src/records/flow-records.js';
import { MemorySink } from '../../src/records/memory-sink.js';
import { EqualCostRoutes } from '../../src/routing/equal-cost.js';
import { PathTracer } from '../../src/routing/path.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { memoryHost } from '../memory-host.js';
import { type BareFlow, bareRun } from '../../validation/bare-driver.js';
import { settingsWith } from '../support/engine-run.js';
import { scenarioRun } from '../support/scenario-run.js';

const us = 1e6;
/** of a full packet at 100 Gb/s: 1,000 B of payload, 52 B of header and gap */
const packetPs = 84_160;
const headerPs = 4_000;
const acknowledgementPs = 4_960;

const text = (transfers: string, rest = ''): string => `
fabric: { generate: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 2, hostRate: 100Gbps, spineRate: 100Gbps, hostLatency: 1us, spineLatency: 1us }
packet: { payload: 1000B, header: 50B, acknowledgement: 60B, gap: 2B }
backend: credit
traffic: { transfers: [${transfers}] }
${rest}`;
const flow = (source: number, destination: number, more = ''): string =>
  `{ source: ${source}, destination: ${destination}, size: 1MB${more} }`;

async function times(scenario: string, set: readonly string[] = []): Promise<number[]> {
  const { sink, summary } = await scenarioRun(scenario, set);
  expect(summary.verdicts.filter(({ ok }) => !ok)).toEqual([]);
  const rows = Array.from(sink.column(flowTable, FlowColumn.flow), (id, row) => ({ id, row }));
  return rows
    .sort((a, b) => a.id - b.id)
    .map(({ row }) => sink.column(flowTable, FlowColumn.finish)[row]! - sink.column(flowTable, FlowColumn.start)[row]!);
}

describe('alone', () => {
  const waysPs = 8 * us + 4 * acknowledgementPs;

  it('store and forward: the last packet is sent on by three switches', async () => {
    expect(await times(text(flow(0, 2)), ['credit.switching=store-and-forward'])).toEqual([1003 * packetPs + waysPs]);
  });

  it('cutting through: its header alone is', async () => {
    expect(await times(text(flow(0, 2)))).toEqual([1000 * packetPs + 3 * headerPs + waysPs]);
  });

  it('with room for three packets, three go round for each credit', async () => {
    // 334 rounds of up to three packets: a packet crosses the first link and the second, and its credit comes back
    const roundPs = 2 * (packetPs + us);
    const [timePs] = await times(text(flow(0, 1)), ['credit.switching=store-and-forward', 'credit.buffer=3156B']);
    // the link to the host returns credits sooner: a packet in one of its own rounds
    expect(timePs).toBe(333 * roundPs + packetPs + us + (packetPs + us) + 2 * us + 2 * acknowledgementPs);
  });

  it('a sender has its rate', async () => {
    const [timePs] = await times(text(flow(0, 2, ', rate: 10Gbps')), ['credit.switching=store-and-forward']);
    expect(timePs).toBe(999 * 10 * packetPs + 4 * packetPs + waysPs);
  });
});

describe('together', () => {
  it('three into one share the last link, and nothing else is lost', async () => {
    const shared = await times(text([0, 1, 3].map((source) => flow(source, 2)).join(', ')));
    // 3,000 packets over one link
    expect(Math.max(...shared)).toBeGreaterThan(3000 * packetPs);
    expect(Math.max(...shared)).toBeLessThan(3000 * packetPs + 20 * us);
  });

  it('lanes are those of pairs, and all of them are used', () => {
    const lanes = new DrawnLevels(8, 7);
    const counts = Array.from({ length: 8 }, () => 0);
    for (let source = 0; source < 40; source++)
      for (let destination = 0; destination < 40; destination++) {
        expect(lanes.of(source, destination)).toBe(new DrawnLevels(8, 7).of(source, destination));
        counts[lanes.of(source, destination)]!++;
      }
    // 200 each, with a standard deviation of 13
    for (const count of counts) expect(Math.abs(count - 200)).toBeLessThan(70);
  });

  it('a spine that fails and comes back loses nothing', async () => {
    const failures =
      'failures: { convergenceTime: 5us, events: [{ at: 20us, until: 60us, link: "leaf[0]-spine[0]" }] }';
    const flows = [flow(0, 2), flow(1, 3), flow(2, 0), flow(3, 1)].join(', ');
    const { summary } = await scenarioRun(text(flows, failures), []);
    expect(summary.outcome).toBe('finished');
    expect(summary.finished).toBe(4);
    expect(summary.verdicts.filter(({ ok }) => !ok)).toEqual([]);
  });
});

/** Five switches in a ring, a host at each, that sends to the host two switches on: every shortest path turns one way. */
function ringRun(packets: number, lanes = 1) {
  const builder = new FabricBuilder();
  builder.addNodes(NodeKind.host, 5);
  builder.addNodes(NodeKind.switch, 5);
  for (let i = 0; i < 5; i++) builder.addLink(i, 5 + i, 100e9, us);
  for (let i = 0; i < 5; i++) builder.addLink(5 + i, 5 + ((i + 1) % 5), 100e9, us);
  const fabric = builder.build();
  const network = creditBackend.make({
    fabric,
    tracer: new PathTracer(new EqualCostRoutes(fabric, 'descending-node-id'), 8),
    links: null,
    pathsMayChange: false,
    countsPorts: false,
    seed: 1,
    shape: { payloadBytes: 1000, overheadBytes: 52, acknowledgementBytes: 62 },
    settings: { credit: { buffer: 1052 * packets, lanes } },
    packet: settingsWith(),
    paces: null,
    describe: null,
    sink: new MemorySink(),
    wheelWidthPs: null,
  }).network;
  const flows = Array.from({ length: 5 }, (_, i): BareFlow => ({
    source: i,
    destination: (i + 2) % 5,
    sizeBytes: 1e6,
    startPs: 0,
    sourcePort: 10_000,
  }));
  return bareRun(network, flows);
}

describe('a ring of credits', () => {
  it('is a deadlock, and all five links of it are named', () => {
    const { network, finishPs } = ringRun(1);
    expect(finishPs).toEqual(Array.from({ length: 5 }, () => Infinity));
    const verdicts = network.verdicts('blocked');
    const bad = verdicts.filter(({ ok }) => !ok);
    expect(bad.map(({ name }) => name)).toEqual(['no deadlock by credits']);
    for (let node = 5; node < 10; node++) expect(bad[0]!.detail).toContain(`${node}:`);
    expect(network.blockedReason()).toContain('a deadlock by credits: ');
  });

  it('is none where a buffer takes all that there is', () => {
    const { network, finishPs } = ringRun(2000);
    expect(finishPs.every(Number.isFinite)).toBe(true);
    expect(network.verdicts('finished').filter(({ ok }) => !ok)).toEqual([]);
  });
});

async function problemsOf(scenario: string): Promise<readonly string[]> {
  const host = memoryHost({ 's.yaml': scenario });
  const { warnings } = await makePlan('s.yaml', { host, overrides: [] });
  return warnings.map(({ message }) => message);
}

describe('messages', () => {
  it('a buffer that takes no packet', async () => {
    const error: unknown = await problemsOf(text(flow(0, 2), 'credit: { buffer: 1000B }')).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(InputError);
    expect((error as InputError).diagnostics).toMatchObject([
      {
        code: 'credit-buffer',
        message: "a packet of 1052 B never has the credits to be sent: a lane's buffer takes 1000 B",
        line: 6,
      },
    ]);
  });

  it('settings of packets that mean nothing here', async () => {
    expect(await problemsOf(text(flow(0, 2), 'pfc: { enabled: false }'))).toEqual([
      'pfc.enabled has no effect: the credit backend has credits in place of pause frames',
    ]);
  });
});
