// Load balancers on ConWeave's leaf-spine fabric, lossless: slowdowns beside those of its simulator, and their order. The
// figures of that simulator stand here; its flows are taken from the reference data, where they are at hand.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { simulate } from '#weft/app/simulate.js';
import type { SlowdownStatistics } from '#weft/measurement/slowdowns.js';
import { makePlan } from '#weft/scenario/make-plan.js';
import { nodeHost } from '#weft/storage/node-host.js';
import type { Check } from '../check.js';
import { bounded, compared, type Line, skipped, within } from '../line.js';
import { repositoryFolder } from '../repository.js';

/** One run each of conweave-ns3 with its 9,652 flows: mean and 99th percentile of the slowdowns. */
const theirs = {
  ecmp: { mean: 1.525, p99: 6.631 },
  letflow: { mean: 1.508, p99: 6.62 },
  conga: { mean: 1.419, p99: 5.898 },
  conweave: { mean: 1.375, p99: 4.548 },
} as const;
type Balancing = keyof typeof theirs;

const scenario = join(repositoryFolder, 'examples/leaf-spine-128/lossless.yaml');

/** Slowdowns of the example with a balancer, and with its own flows or those of a file. */
async function slowdownsOf(balancing: string, flows: string | null): Promise<SlowdownStatistics> {
  const host = nodeHost();
  const overrides = [`routing.balancing=${balancing}`, ...(flows === null ? [] : [`traffic.file=${flows}`])];
  const { outcome, slowdown, verdicts } = await simulate(await makePlan(scenario, { host, overrides }), { host });
  const failed = verdicts.find(({ ok }) => !ok);
  if (outcome !== 'finished' || failed !== undefined)
    throw new Error(`${balancing} ends as ${outcome}: ${failed?.detail ?? ''}`);
  return slowdown;
}

/** How near or how far apart two balancers are. @param most of the first one's figure over the second one's */
function ratio(what: string, oracle: string, ours: number, most: number, least?: number): Line {
  return bounded({
    mechanism: what,
    oracle,
    ours,
    most,
    ...(least === undefined ? {} : { least }),
    unit: '',
    digits: 3,
  });
}

/** Its own flows: the four of its table, figure by figure, and their order. */
async function* withTheirFlows(flows: string, step: () => void): AsyncIterable<Line> {
  const ours = {} as Record<Balancing, SlowdownStatistics>;
  for (const balancing of Object.keys(theirs) as Balancing[]) {
    ours[balancing] = await slowdownsOf(balancing, flows);
    step();
    for (const name of ['mean', 'p99'] as const)
      yield compared({
        mechanism: `their flows, ${balancing}: slowdown, ${name}`,
        oracle: 'conweave-ns3, one run',
        expected: theirs[balancing][name],
        ours: ours[balancing][name],
        unit: '',
        digits: 3,
        tolerance: within(0.05),
      });
  }
  const oracle = 'the order of conweave-ns3';
  const { ecmp, letflow, conga, conweave } = ours;
  yield ratio('their flows, mean: letflow over ecmp', oracle, letflow.mean / ecmp.mean, 1.03, 0.97);
  for (const name of ['mean', 'p99'] as const) {
    const best = Math.min(ecmp[name], letflow[name]);
    yield ratio(`their flows, ${name}: conga over the better of ecmp and letflow`, oracle, conga[name] / best, 1);
    yield ratio(`their flows, ${name}: conweave over conga`, oracle, conweave[name] / conga[name], 1);
  }
}

/** The example's flows, another draw of the same sizes and load: the order of the means must not depend on the draw. */
async function* withOurFlows(isQuick: boolean, step: () => void): AsyncIterable<Line> {
  const means = new Map<string, number>();
  const mean = async (balancing: string): Promise<number> => {
    if (!means.has(balancing)) {
      means.set(balancing, (await slowdownsOf(balancing, null)).mean);
      step();
    }
    return means.get(balancing)!;
  };
  const oracle = 'the order of conweave-ns3';
  yield ratio('our flows, mean: conweave over ecmp', oracle, (await mean('conweave')) / (await mean('ecmp')), 1);
  if (isQuick) return;
  yield ratio('our flows, mean: letflow over ecmp', oracle, (await mean('letflow')) / (await mean('ecmp')), 1.03, 0.97);
  yield ratio('our flows, mean: conga over ecmp', oracle, (await mean('conga')) / (await mean('ecmp')), 1);
  yield ratio('our flows, mean: conweave over conga', oracle, (await mean('conweave')) / (await mean('conga')), 1);
  for (const balancing of ['spray', 'drill', 'adaptive'])
    yield ratio(
      `our flows, mean: ${balancing} over conweave`,
      'a choice for every packet, and a receiver that puts them in order',
      (await mean(balancing)) / (await mean('conweave')),
      1,
    );
}

export const balancers: Check = {
  name: 'balancers',
  title: 'Load balancers: slowdowns of storage traffic',
  about:
    'The example leaf-spine-128, lossless: 128 hosts, 8 leaves, 8 spines, 100 Gb/s, 2:1, storage traffic at a quarter of the hosts’ rate, with the settings of the evaluation of ConWeave (Song et al., SIGCOMM 2023). Slowdown: completion over the round trip of the pair and its bytes on the wire at 100 Gb/s, at least 1. Their flows: the 9,652 of one run of their simulator; ours: the 4,968 of the example.',
  isSampled: true,
  async *run({ isQuick, reference, progress }) {
    const flows = reference === null ? null : join(reference, 'omnidma/leafspine128_flows.txt');
    const hasFlows = flows !== null && existsSync(flows) && !isQuick;
    let done = 0;
    const runs = (isQuick ? 2 : 7) + (hasFlows ? 4 : 0);
    const step = (): void => progress(++done, runs);
    yield* withOurFlows(isQuick, step);
    if (hasFlows) yield* withTheirFlows(flows, step);
    else
      yield skipped({
        mechanism: 'their flows: slowdowns and order',
        oracle: 'conweave-ns3, one run',
        why: isQuick ? 'four runs of seconds' : 'without its flows',
      });
  },
};
