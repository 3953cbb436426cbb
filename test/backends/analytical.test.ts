// The backends without packets, chosen by a scenario: closed forms by hand, several queue pairs, switch latency,
// failures, the controller, and what is said of settings that only packets have.

import { describe, expect, it } from 'vitest';
import { InputError } from '../../src/base/diagnostics.js';
import { FlowColumn, flowTable } from '../../src/records/flow-records.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { summaryObject } from '../../src/report/figures/run.js';
import { runReport } from '../../src/report/run-report.js';
import { memoryHost } from '../memory-host.js';
import { scenarioRun, type ScenarioRun } from '../support/scenario-run.js';

/** A scenario on hosts around leaf switches: 100 Gb/s and 1 us everywhere. */
const leafSpine = (transfers: string, rest = ''): string => `
fabric: { generate: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 2, hostRate: 100Gbps, spineRate: 100Gbps, hostLatency: 1us, spineLatency: 1us }
packet: { payload: 1000B, header: 50B, acknowledgement: 60B, gap: 2B }
traffic: { transfers: [${transfers}] }
${rest}`;
const flow = (source: number, destination: number, size: string): string =>
  `{ source: ${source}, destination: ${destination}, size: ${size} }`;
const us = 1e6;
const packetPs = 84_160;
const acknowledgementPs = 4_960;

async function completions(text: string, set: readonly string[]): Promise<number[]> {
  const { sink, summary } = await scenarioRun(text, set);
  expect(summary.verdicts.filter(({ ok }) => !ok)).toEqual([]);
  const ids = sink.column(flowTable, FlowColumn.flow);
  const times = new Map(
    Array.from(ids, (id, row) => [
      id,
      sink.column(flowTable, FlowColumn.finish)[row]! - sink.column(flowTable, FlowColumn.start)[row]!,
    ]),
  );
  return Array.from(times.keys())
    .sort((a, b) => a - b)
    .map((id) => times.get(id)!);
}

describe('by hand', () => {
  // 1000 packets on the first of four links, the last of them on three more; four latencies each way, an ACK over four
  // links
  const alone = 1003 * packetPs + 8 * us + 4 * acknowledgementPs;

  it.each(['packet', 'fluid', 'analytical'])('a flow alone on %s', async (backend) => {
    expect(
      await completions(leafSpine(flow(0, 2, '1MB'), 'queuePair: { window: unlimited }'), [`backend=${backend}`]),
    ).toEqual([alone]);
  });

  it('two flows into one host: each as if alone, and shared', async () => {
    const text = leafSpine(`${flow(0, 2, '1MB')}, ${flow(3, 2, '1MB')}`);
    const near = 1001 * packetPs + 4 * us + 2 * acknowledgementPs;
    expect(await completions(text, ['backend=analytical'])).toEqual([alone, near]);
    const shared = await completions(text, ['backend=fluid']);
    expect(shared.map((timePs, i) => Math.round((timePs - [alone, near][i]!) / packetPs))).toEqual([1000, 1000]);
  });

  it.each(['fluid', 'analytical'])('devices take their latency on %s', async (backend) => {
    // three switches there and three back
    expect(
      await completions(leafSpine(flow(0, 2, '1MB'), 'switch: { latency: 300ns }'), [`backend=${backend}`]),
    ).toEqual([alone + 6 * 0.3 * us]);
  });

  it.each(['fluid', 'analytical'])('two queue pairs share the NIC of their flow on %s', async (backend) => {
    const [timePs] = await completions(leafSpine(flow(0, 2, '1MB')), [`backend=${backend}`, 'queuePair.perFlow=2']);
    // the NIC sends all 1000 packets; of what comes after, the bound leaves the serialisations out
    expect(timePs).toBeGreaterThanOrEqual(1000 * packetPs + 8 * us + 4 * acknowledgementPs);
    expect(timePs).toBeLessThanOrEqual(alone);
  });

  it('two queue pairs over two planes take half the time each', async () => {
    const planes =
      'fabric: { generate: alibaba-hpn, dualPlane: true, gpus: 4, gpusPerServer: 1, nvswitchesPerServer: 0, nicsPerAsw: 2, pswSwitches: 2, bandwidth: 100Gbps, aswPswBandwidth: 100Gbps }\ntraffic: { transfers: [{ source: 0, destination: 2, size: 8MB }] }\n';
    for (const backend of ['fluid', 'analytical']) {
      const [one] = await completions(planes, [`backend=${backend}`, 'queuePair.perFlow=1']);
      const [four] = await completions(planes, [`backend=${backend}`, 'queuePair.perFlow=16']);
      expect(four! / one!).toBeGreaterThan(0.5);
      expect(four! / one!).toBeLessThan(0.8);
    }
  });
});

/** Both spines, from 20 us on. */
const cut = (event: string): string =>
  `failures: { convergenceTime: 10us, events: [ { at: 20us, ${event}, switch: 6 }, { at: 20us, ${event}, switch: 7 } ] }`;

describe('on fluid', () => {
  it('a flow stands still while all its ways are down', async () => {
    const [intact] = await completions(leafSpine(flow(0, 2, '1MB')), ['backend=fluid']);
    const [delayed] = await completions(leafSpine(flow(0, 2, '1MB'), cut('until: 60us')), ['backend=fluid']);
    // down from 20 to 60 us, and routing finds the way again 10 us later
    expect(delayed! - intact!).toBe(50 * us);
  });

  it('a link that is slower makes its flow slower for as long', async () => {
    const [intact] = await completions(leafSpine(flow(0, 2, '1MB')), ['backend=fluid']);
    const [slower] = await completions(leafSpine(flow(0, 2, '1MB'), cut('until: 60us, rate: 50Gbps')), [
      'backend=fluid',
    ]);
    expect(slower! - intact!).toBe(20 * us);
  });

  it('a flow that is cut off for good is told as unfinished', async () => {
    const { summary } = await scenarioRun(
      leafSpine(flow(0, 2, '1MB'), 'failures: { convergenceTime: 10us, events: [ { at: 20us, link: 0:1 } ] }'),
      ['backend=fluid'],
    );
    expect([summary.outcome, summary.finished]).toEqual(['blocked', 0]);
  });

  it('the controller keeps flows apart', async () => {
    const text =
      'fabric: { generate: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 2 }\ntraffic: { transfers: [{ source: 0, destination: 2, size: 1MB }, { source: 1, destination: 3, size: 1MB }] }\n';
    const [hashed] = await completions(text, ['backend=fluid']);
    const [controlled] = await completions(text, ['backend=fluid', 'controller.enabled=true']);
    expect(hashed! / controlled!).toBeGreaterThan(1.8);
  });
});

/** What the plan says, errors or warnings, by line. */
const messages = async (text: string): Promise<string[]> => {
  try {
    return (
      await makePlan('s.yaml', {
        host: memoryHost({
          's.yaml': text,
          'lossy.txt': '3 1 0 1 2 H100\n2\n0 2 100Gbps 1us 0.01\n1 2 100Gbps 1us 0\n',
        }),
        overrides: [],
      })
    ).warnings.map(({ line, message }) => `${line}: ${message}`);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return error.diagnostics.map(({ line, severity, message }) => `${line}: ${severity}: ${message}`);
  }
};

describe('what is said', () => {
  it('of an unknown backend', async () => {
    expect(await messages(leafSpine(flow(0, 2, '1MB'), 'backend: fliud\n'))).toEqual([
      expect.stringMatching(/^5: error: .*backend/),
    ]);
  });

  it('of failures on the analytical backend', async () => {
    expect(
      await messages(
        leafSpine(flow(0, 2, '1MB'), 'backend: analytical\nfailures: { events: [ { at: 1us, link: 0:1 } ] }\n'),
      ),
    ).toEqual([
      '6: error: the analytical backend cannot simulate failures: it times every flow alone, on the fabric as built',
    ]);
  });

  it('of probes without packets', async () => {
    expect(
      await messages(leafSpine(flow(0, 2, '1MB'), 'backend: fluid\nprobes: { queueInterval: 1us, pauses: true }\n')),
    ).toEqual([
      '6: probes.queueInterval has no effect: the fluid backend has no packets or queues for probes to record',
      '6: probes.pauses has no effect: the fluid backend has no packets or queues for probes to record',
    ]);
  });

  it('of links that lose packets', async () => {
    expect(
      await messages(
        'backend: fluid\nfabric: { file: lossy.txt }\ntraffic: { transfers: [ { source: 0, destination: 1, size: 1MB } ] }\n',
      ),
    ).toEqual(['1: the fabric has links that lose packets; the fluid backend has no packets, so none is lost']);
  });

  it('nothing of limits that only packets have', async () => {
    // 3 Gb/s has no ECN thresholds, and no buffer is so small
    const text =
      'fabric: { generate: dumbbell, leftHosts: 1, rightHosts: 1, hostRate: 3Gbps, bottleneckRate: 3Gbps }\nswitch: { buffer: 1kB }\ntraffic: { transfers: [ { source: 0, destination: 1, size: 1MB } ] }\n';
    expect((await messages(text)).filter((message) => message.includes('error')).length).toBeGreaterThan(0);
    expect((await messages(`${text}backend: fluid\n`)).filter((message) => message.includes('error'))).toEqual([]);
  });

  it.each(['fluid', 'analytical'])('in report and JSON of %s: no packets', async (backend) => {
    const { summary }: ScenarioRun = await scenarioRun(leafSpine(flow(0, 2, '1MB')), [`backend=${backend}`]);
    const label = { weftVersion: '0', name: 'n', seed: 1, warnings: [] };
    expect(summaryObject(label, summary)).toMatchObject({
      backend,
      packetHops: null,
      counters: { payloadBytesDelivered: 1e6 },
    });
    const report = runReport(label, summary, 'nowhere', { colour: false } as never);
    expect(report).toContain(`${backend}: `);
    expect(report).not.toContain('packet-hop');
    expect(report).not.toContain('dropped');
  });
});
