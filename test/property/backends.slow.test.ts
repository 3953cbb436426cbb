// Any scenario runs on any backend: random ones of the swarm on the fluid and the analytical backend, which must end
// well, give the same again in other slices, and never be faster than physics; flow by flow the analytical backend is a
// lower bound of the fluid one, and of the packet engine where every packet of a flow takes its one path. A transfer
// alone takes the packet engine's time.

import { expect, it } from 'vitest';
import { simulate } from '../../src/app/simulate.js';
import { InputError } from '../../src/base/diagnostics.js';
import { MemorySink } from '../../src/records/memory-sink.js';
import { HopColumn, hopTable } from '../../src/records/flow-records.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { memoryHost } from '../memory-host.js';
import { flowRows, type FlowRow } from '../support/engine-run.js';
import { randomScenario, type RandomScenario } from '../../validation/random-scenario.js';
import { seed } from '../support/seed.js';

const runs = Number(process.env['WEFT_SWARM'] ?? 16);

interface Result {
  readonly problems: readonly string[];
  readonly digest: string;
  readonly flows: ReadonlyMap<number, FlowRow>;
  /** by flow: the source ports of all its queue pairs, and the switches and outputs on their ways */
  readonly ways: ReadonlyMap<number, string>;
  readonly hasFailures: boolean;
  /** every packet of a flow takes the same way */
  readonly hasFixedPaths: boolean;
  /** rounding of a packet's serialisation, ps: half of one for every packet and link */
  readonly roundingPs: (row: FlowRow) => number;
}

async function run(
  { text, files }: Pick<RandomScenario, 'text' | 'files'>,
  changes: object,
  sliceEvents = 10_000,
): Promise<Result> {
  const host = memoryHost({ ...files, 's.yaml': JSON.stringify({ ...(JSON.parse(text) as object), ...changes }) });
  const plan = await makePlan('s.yaml', { host, overrides: [] });
  const sink = new MemorySink();
  const { outcome, verdicts, digest, finished, flows } = await simulate(plan, { host, sink, sliceEvents });
  const hasFailures = plan.failures.changes.count > 0;
  const isWhole = outcome === 'ended' || (outcome === 'finished' && finished === flows);
  const bad = verdicts.filter(({ ok, name }) => !ok && !(hasFailures && name === 'all flows finished'));
  return {
    problems: [
      ...bad.map(({ name, detail }) => `${name}: ${detail}`),
      ...(isWhole || hasFailures ? [] : [`${outcome}: ${finished} of ${flows}`]),
    ],
    digest,
    flows: new Map(flowRows(sink).map((row) => [row.flow, row])),
    ways: waysOf(sink),
    hasFailures,
    hasFixedPaths: plan.packet.balancing === 'ecmp',
    roundingPs: ({ sizeBytes }) => 2 + 8 * Math.ceil(sizeBytes / plan.packet.packet.payload),
  };
}

/** What flows' queue pairs went by: the row of a flow names the first of its source ports alone. */
function waysOf(sink: MemorySink): Map<number, string> {
  const { flow, sourcePort, hop, node, interface: output } = HopColumn;
  const columns = [sourcePort, hop, node, output].map((index) => sink.column(hopTable, index));
  const hops = new Map<number, string[]>();
  sink.column(hopTable, flow).forEach((id, row) => {
    const own = hops.get(id) ?? [];
    own.push(columns.map((column) => column[row]!).join(' '));
    hops.set(id, own);
  });
  return new Map([...hops].map(([id, own]) => [id, own.sort().join(', ')]));
}

/** The scenario with ways by hash, the only ones that every backend knows. */
function hashed(scenario: RandomScenario): RandomScenario {
  const given = JSON.parse(scenario.text) as { routing: object };
  return { ...scenario, text: JSON.stringify({ ...given, routing: { ...given.routing, balancing: 'ecmp' } }) };
}

/** Flows that take less time on another backend than alone, over the same ways. */
function faster(alone: Result, other: Result, name: string, count = { compared: 0 }): string[] {
  return [...alone.flows].flatMap(([id, flow]) => {
    const row = other.flows.get(id);
    // the controller may choose other ports where flows end at other times, for any of a flow's queue pairs
    if (row === undefined || other.ways.get(id) !== alone.ways.get(id)) return [];
    count.compared++;
    const [alonePs, otherPs] = [flow.finishPs - flow.startPs, row.finishPs - row.startPs];
    return otherPs + alone.roundingPs(flow) < alonePs
      ? [`flow ${id}: ${alonePs} ps alone, ${otherPs} ps on ${name}`]
      : [];
  });
}

it(`every scenario ends well without packets, and alone no flow is slower (WEFT_SEED=${seed})`, async () => {
  const problems: string[] = [];
  const seen = { runs: 0, failures: 0, slower: 0, packets: 0, flows: 0, compared: 0 };
  for (let number = 0; number < runs; number++) {
    const scenario = hashed(randomScenario(seed, number));
    try {
      const fluid = await run(scenario, { backend: 'fluid' });
      const again = await run(scenario, { backend: 'fluid' }, 7);
      const own = [...fluid.problems];
      if (again.digest !== fluid.digest) own.push('other records in other slices');
      seen.runs++;
      if (fluid.hasFailures) seen.failures++;
      const intact = fluid.hasFailures ? await run(scenario, { backend: 'fluid', failures: {} }) : fluid;
      const least = await run(scenario, { backend: 'analytical', failures: {} });
      own.push(...least.problems);
      if ((await run(scenario, { backend: 'analytical', failures: {} }, 3)).digest !== least.digest)
        own.push('other analytical records in other slices');
      own.push(...faster(least, intact, 'fluid'));
      for (const [id, { finishPs }] of least.flows)
        if ((intact.flows.get(id)?.finishPs ?? 0) > 1.01 * finishPs) seen.slower++;
      const packets = await run(scenario, { backend: 'packet', failures: {} });
      if (packets.hasFixedPaths) {
        seen.packets++;
        seen.flows += least.flows.size;
        own.push(...faster(least, packets, 'packets', seen));
      }
      problems.push(...own.map((problem) => `scenario ${number}: ${problem}`));
    } catch (error) {
      if (!(error instanceof InputError))
        problems.push(`scenario ${number}: ${error instanceof Error ? error.stack : String(error)}`);
    }
  }
  expect(problems).toEqual([]);
  expect(seen.runs).toBeGreaterThan(runs / 2);
  // few draws may have none
  if (runs >= 40) expect(seen.failures).toBeGreaterThan(0);
  expect(seen.slower).toBeGreaterThan(0);
  expect(seen.packets).toBeGreaterThan(runs / 4);
  expect(seen.compared).toBeGreaterThan(0.5 * seen.flows);
});

it(`a transfer alone takes the packet engine's time (WEFT_SEED=${seed})`, async () => {
  const problems: string[] = [];
  let [tried, equal] = [0, 0];
  for (let number = 0; number < runs; number++) {
    const { text, files } = hashed(randomScenario(seed, number));
    const {
      fabric,
      traffic,
      routing,
      packet = {},
      switch: { buffer: _buffer, ...latencies } = {},
    } = JSON.parse(text) as {
      fabric: object;
      traffic: { transfers: { size: number; burst?: number }[] };
      routing: object;
      packet?: Record<string, unknown>;
      switch?: Record<string, unknown>;
    };
    const { acknowledgement: _acknowledgement, ...sizes } = packet;
    const [transfer] = traffic.transfers;
    // no window, mark or pause holds anything back
    const alone = JSON.stringify({
      fabric: { ...fabric, errorRate: 0 },
      traffic: { transfers: [transfer] },
      routing,
      packet: sizes,
      switch: latencies,
      queuePair: { window: 'unlimited', perFlow: 1 },
      congestion: { algorithm: 'none' },
      ecn: { enabled: false },
      pfc: { enabled: false },
    });
    try {
      const packets = await run({ text: alone, files }, {});
      const analytical = await run({ text: alone, files }, { backend: 'analytical' });
      const fluid = await run({ text: alone, files }, { backend: 'fluid' });
      tried++;
      problems.push(...packets.problems, ...analytical.problems, ...fluid.problems);
      const [row, own, stream] = [packets, analytical, fluid].map(({ flows }) => [...flows.values()][0]!) as [
        FlowRow,
        FlowRow,
        FlowRow,
      ];
      if (own.finishPs === row.finishPs) equal++;
      // the acknowledgement of a small last packet may meet the one before it, by one of its serialisations per link at
      // most; of bursts that a link is slower than the form is a bound
      else if (own.finishPs > row.finishPs || (transfer!.burst === undefined && row.finishPs - own.finishPs > 1e6))
        problems.push(
          `scenario ${number}: ${own.finishPs - row.finishPs} ps later than packets (${row.finishPs - row.startPs} ps)`,
        );
      if (stream.finishPs + analytical.roundingPs(row) < own.finishPs)
        problems.push(`scenario ${number}: fluid is faster than packets: ${stream.finishPs - own.finishPs} ps`);
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
    }
  }
  expect(problems).toEqual([]);
  expect(tried).toBeGreaterThan(runs / 3);
  expect(equal).toBeGreaterThan(0.7 * tried);
});

it('parts of a flow that are let in one after the other are no slower alone than on links that they share', async () => {
  // three parts, the longest of 34 kB, which takes 2.8 us at 100 Gbit/s: each is over when the next may start
  const text = JSON.stringify({
    fabric: { generate: 'leaf-spine', leaves: 2, spines: 4, hostsPerLeaf: 2 },
    controller: { enabled: true, requestRate: 200_000 },
    queuePair: { perFlow: 3 },
    traffic: { transfers: [{ source: 0, destination: 2, size: '100KB' }] },
  });
  const [alone, fluid] = [
    await run({ text, files: {} }, { backend: 'analytical' }),
    await run({ text, files: {} }, { backend: 'fluid' }),
  ];
  expect([alone.problems, fluid.problems, faster(alone, fluid, 'fluid')]).toEqual([[], [], []]);
  // two waits of 5 us before the last part, and its own time
  const { finishPs, startPs } = alone.flows.get(0)!;
  expect(finishPs - startPs).toBeGreaterThan(12e6);
});
