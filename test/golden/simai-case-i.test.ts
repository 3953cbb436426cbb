// Eight transfers of 10 MiB between two servers, against SimAI: figure by figure with its own topology file and result
// file where the reference data is at hand, and the figures that it and the central controller's document publish, on
// our own example, always.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { simulate } from '../../src/app/simulate.js';
import type { RunSummary } from '../../src/app/run-progress.js';
import { Diagnostics } from '../../src/base/diagnostics.js';
import { readFct } from '../../src/formats/simai-fct.js';
import { MemorySink } from '../../src/records/memory-sink.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import type { SimaiInputs } from '../../src/scenario/foreign/simai/inputs.js';
import { nodeHost } from '../../src/storage/node-host.js';
import { memoryHost } from '../memory-host.js';
import { referencePath } from '../reference.js';
import { packetCounters } from '../support/packet-counters.js';
import { flowRows, hopRows, type FlowRow } from '../support/engine-run.js';

interface CaseRun {
  readonly summary: RunSummary;
  readonly flows: readonly FlowRow[];
  /** the middle switch of each flow's path, by flow */
  readonly spines: readonly number[];
  readonly hopCounts: readonly number[];
}

async function run(
  scenario: string | SimaiInputs,
  host = nodeHost(),
  overrides: readonly string[] = [],
): Promise<CaseRun> {
  const plan = await makePlan(scenario, { host, overrides });
  const sink = new MemorySink();
  const summary = await simulate(plan, { host, sink });
  const hops = hopRows(sink);
  const flows = [...flowRows(sink)].sort((a, b) => a.flow - b.flow);
  return {
    summary,
    flows,
    spines: flows.map(({ flow }) => hops.find((row) => row.flow === flow && row.hop === 1)!.node),
    hopCounts: flows.map(({ flow }) => hops.filter((row) => row.flow === flow).length),
  };
}

const completionNs = ({ startPs, finishPs }: FlowRow): number => (finishPs - startPs) / 1000;

/** Nothing was dropped, paused or marked, and no self-check failed. */
function expectUndisturbed({ summary }: CaseRun): void {
  const {
    packetsDropped,
    packetsLost,
    pauseFrames,
    resumeFrames,
    ecnMarks,
    retransmittedBytes,
    payloadBytesDelivered,
  } = packetCounters(summary);
  expect(packetsDropped + packetsLost + pauseFrames + resumeFrames + ecnMarks + retransmittedBytes).toBe(0);
  expect(payloadBytesDelivered).toBe(8 * 10_485_760);
  expect(summary.verdicts.filter(({ ok }) => !ok)).toEqual([]);
  expect(summary).toMatchObject({ outcome: 'finished', flows: 8, finished: 8 });
}

/** Within one percent of the value wanted. */
function expectWithin(value: number, wanted: number, share: number): void {
  expect(Math.abs(value / wanted - 1), `${value} instead of ${wanted}`).toBeLessThanOrEqual(share);
}

describe('SimAI case (i), from its own files', () => {
  const reference = referencePath('simai');

  async function referenceRun(controlled: boolean): Promise<CaseRun> {
    const host = memoryHost({
      'case.yaml': `fabric: { file: topology }\ntraffic: { trace: flows.csv }\npacket: { profile: simai }\ncontroller: { enabled: ${controlled} }\n`,
      topology: readFileSync(join(reference!, 'topo/DCN+SingleToR_16g_8gps_100Gbps_A100'), 'utf8'),
      'flows.csv': readFileSync(join(reference!, 'cases/case_i_10MiB/flows_i_10MiB.csv'), 'utf8'),
    });
    return run('case.yaml', host);
  }

  /** The same from its SimAI.conf, as `weft run --simai-conf` runs it. */
  function confRun(
    environment: Readonly<Record<string, string>> = {},
    overrides: readonly string[] = [],
  ): Promise<CaseRun> {
    const folder = join(reference!, 'cases/case_i_10MiB');
    return run(
      {
        conf: join(folder, 'SimAI.conf'),
        topology: join(reference!, 'topo/DCN+SingleToR_16g_8gps_100Gbps_A100'),
        work: { trace: join(folder, 'flows_i_10MiB.csv') },
        environment,
      },
      nodeHost(),
      overrides,
    );
  }

  it.skipIf(reference === null).each([
    ['a scenario', () => referenceRun(false)],
    ['its SimAI.conf', () => confRun()],
  ])('gives every completion time of fct.txt within 0.5 %, from %s', async (_, runCase) => {
    const ours = await runCase();
    const diagnostics = new Diagnostics();
    const rows = readFct('fct.txt', readFileSync(join(reference!, 'cases/case_i_10MiB/fct.txt'), 'utf8'), diagnostics);
    expect([diagnostics.list, rows.length]).toEqual([[], 8]);
    for (const row of rows) {
      // 11.(id >> 8).(id & 255).1
      const flow = ours.flows.find(
        ({ source, destination }) =>
          0x0b000001 + source * 256 === row.sourceAddress && 0x0b000001 + destination * 256 === row.destinationAddress,
      )!;
      expect([flow.sourcePort, flow.destinationPort, flow.sizeBytes, flow.startPs]).toEqual([
        row.sourcePort,
        row.destinationPort,
        row.sizeBytes,
        row.startNs * 1000,
      ]);
      expectWithin(completionNs(flow), row.completionNs, 0.005);
      // both round the same closed form down to a nanosecond
      expect(Math.abs(flow.idealPs / 1000 - row.standaloneNs)).toBeLessThan(1);
    }
    expectUndisturbed(ours);
  });

  it.skipIf(reference === null)('gives the same records from its SimAI.conf as from a scenario', async () => {
    // but for its monitors, which are not in the scenario
    const monitors = ['queueInterval', 'bandwidthInterval', 'rateInterval', 'notificationInterval'].map(
      (name) => `probes.${name}=0us`,
    );
    expect((await confRun({}, monitors)).summary.digest).toBe((await referenceRun(false)).summary.digest);
    expect((await confRun({ CC_ENABLE: '1' }, monitors)).summary.digest).toBe(
      (await referenceRun(true)).summary.digest,
    );
    const watched = await confRun();
    expect(watched.summary.probes!.tables.map(({ name }) => name)).toEqual([
      'queues',
      'bandwidth',
      'rates',
      'notifications',
      'pfc_events',
    ]);
    expect(watched.flows).toEqual((await referenceRun(false)).flows);
  });

  it.skipIf(reference === null)('takes the spines that SimAI took with the controller, in order of flows', async () => {
    // behaviour.md, section 15 (i): measured with SimAI
    const ours = await referenceRun(true);
    expect(ours.flows.map(({ sourcePort }) => sourcePort)).toEqual([1, 1, 1, 1, 2, 4, 2, 1]);
    expect(ours.spines).toEqual([27, 20, 23, 24, 25, 22, 21, 26]);
  });
});

describe("the example with the figures of the central controller's document", () => {
  const folder = fileURLToPath(new URL('../../examples/server-pair', import.meta.url));

  it('finishes every transfer in 850 us with the controller', async () => {
    // document, section 7.1: 850 us each; ports: issue 2 and behaviour.md, section 15 (i)
    const ours = await run(join(folder, 'controller.yaml'));
    expect(ours.flows.map(({ sourcePort }) => sourcePort)).toEqual([1, 1, 1, 1, 2, 4, 2, 1]);
    expect(ours.spines).toEqual([27, 20, 23, 24, 25, 22, 21, 26]);
    expect(ours.hopCounts).toEqual(Array(8).fill(3));
    for (const flow of ours.flows) expectWithin(completionNs(flow), 850_000, 0.01);
    expect(ours.summary.collisions).toEqual({ links: 0, flowPairs: 0, exact: true });
    expectUndisturbed(ours);
  });

  it('makes two pairs of transfers share a spine without it', async () => {
    // document, section 7.1: mean 1,271 us, maximum 1,693 us; which four are slow: SimAI's fct.txt (sources 2, 4, 5 and
    // 6)
    const ours = await run(join(folder, 'no-controller.yaml'));
    expect(ours.flows.map(({ sourcePort }) => sourcePort)).toEqual(Array(8).fill(10_000));
    expectWithin(ours.summary.fct.meanNs, 1_271_000, 0.01);
    expectWithin(ours.summary.fct.maxNs, 1_693_000, 0.01);
    expect(ours.flows.filter((flow) => completionNs(flow) > 1_200_000).map(({ source }) => source)).toEqual([
      2, 4, 5, 6,
    ]);
    for (const flow of ours.flows)
      expectWithin(completionNs(flow), [2, 4, 5, 6].includes(flow.source) ? 1_693_000 : 850_000, 0.01);
    expect(new Set(ours.spines).size).toBe(6);
    expect(ours.summary.collisions).toEqual({ links: 4, flowPairs: 2, exact: true });
    expectUndisturbed(ours);
  });

  it('differs only in the ports: ascending next hops mirror the spines', async () => {
    const descending = await run(join(folder, 'no-controller.yaml'));
    const ascending = await run(join(folder, 'no-controller.yaml'), nodeHost(), [
      'routing.nextHopOrder=ascending-node-id',
    ]);
    // spine k of eight, 20..27, becomes spine 7 - k
    expect(ascending.spines).toEqual(descending.spines.map((spine) => 47 - spine));
  });
});
