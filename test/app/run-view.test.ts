// What a viewer is given of a run: the digest of the run itself, bytes of links that add up, and lines that hide no link.

import { describe, expect, it } from 'vitest';
import { viewHost, viewScenario, type ViewedRun } from '#weft/app/view/view-scenario.js';
import { InputError } from '#weft/base/diagnostics.js';
import { planFromText, simulate } from '#weft/library/index.js';
import { runLabel } from '../../src/app/run-label.js';
import { summaryObject } from '../../src/report/figures/run.js';
import { MemorySink } from '../../src/records/memory-sink.js';
import { PauseColumn, pauseTable } from '../../src/records/probe-records.js';
import { seed } from '../support/seed.js';

const scenario = `
seed: ${seed}
fabric: { generate: leaf-spine, leaves: 4, spines: 2, hostsPerLeaf: 4, hostRate: 100Gbps, spineRate: 100Gbps }
traffic:
  transfers:
    - { source: 0, destination: 4, size: 5MB }
    - { source: 5, destination: 1, size: 2MB, start: 100us }
    - { source: 9, destination: 13, size: 1MB, start: 350us }
`;
const rateBps = 100e9;

function viewed(text = scenario, mostMemoryBytes = 1e9): Promise<ViewedRun> {
  const limits = { mostMemoryBytes, weftVersion: 'test', onProgress: () => {}, stopRequested: () => false };
  return viewScenario('scenario.yaml', viewHost({ text, file: 'scenario.yaml', files: {} }, {}), limits);
}

describe(`a view (WEFT_SEED=${seed})`, () => {
  it('is of the same run as without', async () => {
    const { digest, json } = await viewed();
    const run = await simulate(await planFromText(scenario));
    expect(digest).toBe(run.digest);
    expect(json).toMatchObject({ finished: 3, flows: 3, digest: run.digest, verdict: expect.stringMatching(/\./) });
  });

  it('has on each link the bytes of the flows that crossed it, when they did', async () => {
    const { view } = await viewed();
    const binPs = (view.endPs - view.originPs) / view.bins;
    const sizes = new Map([
      ['host[0] -> leaf[0]', 5e6],
      ['host[5] -> leaf[1]', 2e6],
      ['leaf[3] -> host[13]', 1e6],
    ]);
    for (const [link, sizeBytes] of sizes) {
      const place = view.links.indexOf(link);
      const loads = view.linkLoads.subarray(place * view.bins, (place + 1) * view.bins);
      const carried = loads.reduce((sum, load) => sum + (load / 255) * ((rateBps * binPs) / 8e12), 0);
      // a load is rounded to a part of 255
      expect(Math.abs(carried - sizeBytes)).toBeLessThan(view.bins * (0.5 / 255) * ((rateBps * binPs) / 8e12));
      const flow = view.flows.find((own) => own.links.includes(place))!;
      loads.forEach((load, bin) => {
        const isDuring = bin >= Math.floor(flow.startPs / binPs) && bin <= Math.floor(flow.finishPs / binPs);
        if (load > 0) expect(isDuring, `${link}, bin ${bin}`).toBe(true);
      });
    }
  });

  it('has on each line the highest load of its links', async () => {
    // 64 boxes a level at most, so hosts share boxes and links share lines
    const wide = await viewed(`
seed: ${seed}
fabric: { generate: fat-tree, k: 8 }
workload: { program: bisection, pairing: shift, messageSize: 64KiB, messages: 3 }
`).then(({ view }) => view);
    const expected = new Uint8Array(wide.lineLoads.length);
    wide.lineOfLink.forEach((line, place) => {
      for (let bin = 0; bin < wide.bins; bin++)
        expected[line * wide.bins + bin] = Math.max(
          expected[line * wide.bins + bin]!,
          wide.linkLoads[place * wide.bins + bin]!,
        );
    });
    expect(wide.links.length).toBeGreaterThan(wide.lineEnds.length / 4);
    expect(Buffer.compare(wide.lineLoads, expected)).toBe(0);
  });

  it('has links in the order of their highest loads, and the slowest flow first', async () => {
    const { view } = await viewed();
    const peaks = view.links.map((_, place) =>
      Math.max(...view.linkLoads.subarray(place * view.bins, (place + 1) * view.bins)),
    );
    expect(peaks).toEqual([...peaks].sort((a, b) => b - a));
    const times = view.flows.map(({ startPs, finishPs }) => finishPs - startPs);
    expect(times).toEqual([...times].sort((a, b) => b - a));
  });

  it('has the longest pauses, of a run that says what it says without them', async () => {
    const incast = `
seed: ${seed}
fabric: { generate: leaf-spine, leaves: 2, spines: 1, hostsPerLeaf: 4, hostRate: 100Gbps, spineRate: 400Gbps }
switch: { buffer: 512KiB }
pfc: { enabled: true }
traffic:
  transfers:
    - { source: 4, destination: 0, size: 2MB }
    - { source: 5, destination: 0, size: 2MB }
    - { source: 6, destination: 0, size: 2MB }
`;
    const { view, json } = await viewed(incast);
    const plan = await planFromText(`${incast}probes: { pauses: true }\n`);
    const sink = new MemorySink();
    const run = await simulate(plan, { sink });
    const [begin, end] = [PauseColumn.begin, PauseColumn.end].map((at) => sink.column(pauseTable, at));
    const longest = begin!.map((from, i) => (end![i]! < 0 ? run.simulatedPs : end![i]!) - from).sort();
    expect(view.pauseCount).toBe(longest.length);
    expect(view.pauseCount).toBeGreaterThan(0);
    expect(view.pauses[0]!.endPs - view.pauses[0]!.beginPs).toBe(longest.at(-1));
    expect(view.pauses[0]!.cause).toBe('leaf[0] -> host[0]');
    // all that is received by the host waits below the leaf of the senders, or at them
    for (const { link } of view.pauses)
      expect(link).toMatch(/^(host\[[456]\] -> leaf\[1\]|leaf\[1\] -> spine\[0\]|spine\[0\] -> leaf\[0\])$/);
    const plain = await planFromText(incast);
    const without = summaryObject(runLabel(plain, 'test'), await simulate(plain));
    // those that follow from findings, and those of time and memory, are of each run
    const own = /^(findings|verdict.*|cpuSeconds|wallSeconds|peakMemoryBytes|packetHopsPerCpuSecond)$/;
    const said = (object: object): unknown =>
      JSON.parse(JSON.stringify(Object.entries(object).filter(([key]) => !own.test(key))));
    expect(said(json)).toEqual(said(without));
  });

  it('has what waited at each link, when it did', async () => {
    // two senders at line rate into one port: for 80 us what one of them sends waits, then it drains as long
    const incast = `
seed: ${seed}
fabric: { generate: leaf-spine, leaves: 1, spines: 1, hostsPerLeaf: 3, hostRate: 100Gbps }
switch: { buffer: 32MB }
pfc: { enabled: false }
ecn: { enabled: false }
queuePair: { window: unlimited }
packet: { payload: 1000, header: 0, gap: 0 }
traffic:
  transfers:
    - { source: 1, destination: 0, size: 1MB, start: 1ms }
    - { source: 2, destination: 0, size: 1MB, start: 1ms }
`;
    const { view, digest } = await viewed(incast);
    expect(digest).toBe((await simulate(await planFromText(incast))).digest);
    expect(Math.abs(view.longestQueueBytes - 1e6)).toBeLessThan(0.01e6);
    const place = view.links.indexOf('leaf[0] -> host[0]');
    const binPs = (view.endPs - view.originPs) / view.bins;
    for (const us of [20, 40, 60, 80, 100, 120, 140]) {
      const at = Math.floor((1e9 + us * 1e6 - view.originPs) / binPs);
      const bytes = (view.linkQueues[place * view.bins + at]! / 255) * view.longestQueueBytes;
      // a part of a course has 1/512 to 1/256 of the time; the highest of it stands for all
      expect(Math.abs(bytes - 12_500 * Math.min(us, 160 - us)), `${us} us`).toBeLessThan(20_000);
    }
    // nothing waits elsewhere, and before anything is sent
    view.linkQueues.forEach((level, at) => {
      if (Math.floor(at / view.bins) !== place) expect(level).toBe(0);
    });
    const queues = view.sections.flatMap(({ figures }) => figures).find(({ id }) => id === 'queues');
    expect(queues?.kind === 'lines' && queues.x.time).toEqual({ fromPs: view.originPs, unitPs: 1e6 });
    const [course] = queues?.kind === 'lines' ? queues.series : [];
    const highest = course!.y.indexOf(Math.max(...course!.y.map(Number)));
    expect(Math.abs(view.originPs + course!.x[highest]! * 1e6 - 1.08e9)).toBeLessThan(2e6);
  });

  it('is refused before it runs where there is no room for it', async () => {
    await expect(viewed(scenario, 1e6)).rejects.toThrow(InputError);
    await expect(viewed(scenario, 1e6)).rejects.toThrow(/more memory than it may take here[^]*at most 1MB/);
  });
});
