// Verdicts of the examples and of random runs: every claim is held against the written records. The examples that are
// long run at a reduced size, as the list says. WEFT_DRAWS=200 draws more, and runs them whole.

import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { InputError } from '../../src/base/diagnostics.js';
import type { Host } from '../../src/base/host.js';
import { findingsOfRun, KeepingSink } from '../../src/app/diagnose/judge-run.js';
import { simulate } from '../../src/app/simulate.js';
import { restsOnDiagnosis, runVerdict } from '../../src/report/run-verdict.js';
import { MemorySink } from '../../src/records/memory-sink.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { nodeHost } from '../../src/storage/node-host.js';
import { diagnosisCases } from '../../validation/diagnosis/cases.js';
import { randomScenario, withRoom } from '../../validation/random-scenario.js';
import { memoryHost } from '../memory-host.js';
import { seed } from '../support/seed.js';
import { problemsOfVerdict } from '../support/verdict-claims.js';
import { VerdictRecords } from '../support/verdict-records.js';

const draws = Number(process.env['WEFT_DRAWS'] ?? 20);

/** Random runs are stopped after so many events. */
const sliceEvents = 20_000;
const mostSlices = draws < 200 ? 2 : 50;

/** Runs a scenario. @returns its verdict and what of it is not so */
async function judged(
  file: string,
  overrides: readonly string[],
  host: Host,
  mostSlices = Infinity,
): Promise<{ verdict: string; problems: string[] }> {
  const plan = await makePlan(file, { host, overrides });
  const sink = new MemorySink();
  const keeping = new KeepingSink(sink);
  let slices = 0;
  const stopRequested = (): boolean => slices++ > mostSlices;
  const summary = await simulate(plan, {
    host,
    sink,
    stopRequested,
    ...(mostSlices < Infinity ? { sliceEvents } : {}),
  });
  const hasFailures = plan.failures.changes.count > 0;
  const isSteady =
    !hasFailures && !plan.controller.enabled && plan.packet.balancing === 'ecmp' && summary.outcome !== 'stopped';
  const records = new VerdictRecords(plan.fabric, sink, isSteady);
  const run = {
    records,
    sink,
    outcome: summary.outcome,
    changes: summary.failures?.changes ?? 0,
    jobs: summary.jobs.map(({ name, startPs, stages }) => ({ name, startPs, stages: stages.length })),
    hasPortCounters: plan.packet.probes.portCounters && plan.backend.name === 'packet',
    pausesRepeat: plan.packet.pfc.pauseTime > 0,
  };
  // with a diagnosis and without
  const found = { ...summary, findings: await findingsOfRun(plan, keeping, summary) };
  const verdict = runVerdict(summary);
  const problems = problemsOfVerdict(verdict, { ...run, isDiagnosed: false });
  const told = runVerdict(found);
  if (restsOnDiagnosis(found)) problems.push(...problemsOfVerdict(told, { ...run, isDiagnosed: true }));
  return { verdict, problems: problems.map((problem) => `${problem} (${verdict}) (${told})`) };
}

/** How a scenario takes less: settings, or other words in its text. */
interface Reduction {
  readonly set?: readonly string[];
  readonly words?: Readonly<Record<string, string>>;
}

const short: Reduction = { words: { '200MB': '10MB' } };
const exchange: Reduction = { words: { 'times: 12': 'times: 1', '16MiB': '4MiB' } };
const analytical: Reduction = { set: ['backend=analytical'] };

/** Scenarios that take more than a quarter of a second; every other one of examples/ runs as it is. */
const reduced: Readonly<Record<string, Reduction>> = {
  'adaptive-routing/bisection.yaml': { set: ['workload.messages=1', 'workload.messageSize=8KiB'] },
  'adaptive-routing/stencil.yaml': { set: ['workload.messageSize=16KiB'] },
  'central-controller/all-to-all.yaml': analytical,
  'central-controller/eight-rings.yaml': analytical,
  'compare-fabrics/mixture-of-experts.yaml': analytical,
  'compare-fabrics/scenario.yaml': analytical,
  'kv-cache/cross-rail.yaml': exchange,
  'kv-cache/own-plane.yaml': exchange,
  'kv-cache/shared-plane.yaml': exchange,
  'leaf-spine-128/irn.yaml': { set: ['stopTime=300us'] },
  'leaf-spine-128/lossless.yaml': { set: ['stopTime=300us'] },
  'minighost/minighost.yaml': {
    set: ['workload.variables=1', 'workload.faceSize=4KiB'],
    words: { 'x: 12': 'x: 6', 'z: 12': 'z: 6', 'ranksPerNode: 36': 'ranksPerNode: 9', '3x3x4': '3x3x1' },
  },
  'pf3d/pf3d.yaml': { words: { 'messages: 40': 'messages: 8', 'iterations: 2': 'iterations: 1', '64KiB': '16KiB' } },
  'sampled-ethernet/sampled-ethernet.yaml': { set: ['stopTime=65s'] },
  'slow-fast-nic/slow-fast.yaml': { words: { '100MB': '20MB', '30MB': '6MB', '4ms': '800us' } },
  'source-flow-control/apart.yaml': short,
  'source-flow-control/cases.yaml': short,
  'source-flow-control/slow-receiver.yaml': short,
  'training/gpt3-13b.yaml': { set: ['workload.layerCount=1', 'backend=analytical'] },
  'training/training.yaml': analytical,
  'two-jobs/two-jobs.yaml': { words: { '16MiB': '4MiB', 'iterations: 3': 'iterations: 1' } },
};
/** No scenario: a cluster that commands are given. */
const noScenario = ['calibrate/cluster.yaml'];

const files = readdirSync('examples').flatMap((name) =>
  readdirSync(`examples/${name}`)
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => `${name}/${file}`),
);

describe('of the examples', () => {
  it('all are known', () => {
    for (const file of [...Object.keys(reduced), ...noScenario]) expect(files).toContain(file);
    expect(files.length).toBeGreaterThanOrEqual(34);
  });

  it.each(files.filter((file) => !noScenario.includes(file)))('%s', async (file) => {
    const { set = [], words = {} } = draws < 200 ? (reduced[file] ?? {}) : {};
    const { verdict, problems } = await judged(`examples/${file}`, ['timeline.ranks=all', ...set], reworded(words));
    expect(problems).toEqual([]);
    expect(verdict).not.toBe('');
  });
});

it(`of random runs (WEFT_SEED=${seed})`, async () => {
  const problems: string[] = [];
  const seen = new Map<string, number>();
  for (let number = 0; number < draws; number++) {
    try {
      const { verdict, problems: own } = await randomRun(number);
      problems.push(...own.map((problem) => `run ${number}: ${problem}`));
      seen.set(verdict.slice(0, 7), (seen.get(verdict.slice(0, 7)) ?? 0) + 1);
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
    }
  }
  expect(problems).toEqual([]);
  expect([...seen.values()].reduce((sum, own) => sum + own, 0)).toBeGreaterThan(draws / 2);
});

/** Node's files, scenarios with other words. */
function reworded(words: Readonly<Record<string, string>>): Host {
  const host = nodeHost();
  return {
    ...host,
    readText: async (path) =>
      Object.entries(words).reduce(
        (text, [from, to]) => {
          if (path.endsWith('.yaml')) expect(text).toContain(from);
          return text.replaceAll(from, to);
        },
        await host.readText(path),
      ),
  };
}

function hostOf({ text, files: own }: ReturnType<typeof randomScenario>): Host {
  return memoryHost({ ...own, 's.yaml': text });
}

/** Every fifth is a case of `weft diagnose`; the others are of the swarm, on packets and as streams. */
async function randomRun(number: number): ReturnType<typeof judged> {
  if (number % 5 === 4) {
    const [made] = diagnosisCases(seed + number, 8).slice(Math.floor(number / 5) % 8);
    return judged('s.yaml', [], memoryHost({ 's.yaml': JSON.stringify(made!.scenario) }), mostSlices);
  }
  const overrides = number % 5 === 3 ? ['backend=fluid'] : ['probes.portCounters=true'];
  const scenario = await withRoom(randomScenario(seed, number), (tried) =>
    makePlan('s.yaml', { host: hostOf(tried), overrides }),
  );
  return judged('s.yaml', overrides, hostOf(scenario), mostSlices);
}
