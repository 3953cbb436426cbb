// What `weft plan --fluid` finds beside every plan of small spaces on fluid.
// Invariant: spaces are drawn from a seed, and what is found is what the command prints.

import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { simulate } from '#weft/app/simulate.js';
import { type PlanQuestion, planQuestion, planScenario } from '#weft/app/training-plans/plan-request.js';
import { type FeasiblePlan, feasiblePlans } from '#weft/app/training-plans/plan-space.js';
import { RandomStream } from '#weft/base/random.js';
import { makePlan } from '#weft/scenario/make-plan.js';
import type { Plan } from '#weft/scenario/plan.js';
import { nodeHost } from '#weft/storage/node-host.js';
import { Draw } from '../draw.js';
import { repositoryFolder } from '../repository.js';

/** how many of the first are run on fluid */
export const finalists = 10;
/** plans of a space that is neither trivial nor long to run */
const [fewest, most] = [150, 250];

/** The plan of a scenario. */
export function planOfText(text: string): Promise<Plan> {
  return makePlan('plan.yaml', { host: { ...nodeHost(), readText: () => Promise.resolve(text) }, overrides: [] });
}

async function fluidPs(question: PlanQuestion, feasible: FeasiblePlan): Promise<number> {
  const plan = await planOfText(planScenario(question, feasible, 'fluid'));
  return (await simulate(plan, { host: nodeHost() })).jobs[0]!.totalPs.maximum;
}

function ms(ps: number): string {
  return `${(ps / 1e9).toFixed(2)} ms`;
}

interface DrawnSpace {
  readonly question: PlanQuestion;
  readonly plans: readonly FeasiblePlan[];
  /** as the table names it */
  readonly fabricWords: string;
}

const models = ['llama2-7b', 'gpt3-6.7b', 'mixtral-8x7b'] as const;

/** A space of a small model whose every plan can be run. */
function drawnSpace(draw: Draw, model: (typeof models)[number]): DrawnSpace {
  const gpus = draw.of([8, 8, 16, 16, 32, 64]);
  const gpu = draw.of(['A100', 'H100'] as const);
  const family = draw.of([
    [`spectrum-x --gpu-type ${gpu}`, `generate: spectrum-x, gpuType: ${gpu}, gpus: ${gpus}`],
    [
      `spectrum-x --gpu-type ${gpu} --asw-psw-bandwidth 100Gbps`,
      `generate: spectrum-x, gpuType: ${gpu}, gpus: ${gpus}, aswPswBandwidth: 100Gbps`,
    ],
    [
      `leaf-spine --leaves ${gpus / 4} --hosts-per-leaf 4 --spines 2`,
      `generate: leaf-spine, leaves: ${gpus / 4}, hostsPerLeaf: 4, spines: 2`,
    ],
  ] as const);
  const question = planQuestion({
    model,
    gpus,
    gpu,
    globalBatchSize: gpus,
    fabric: `{ ${family[1]} }`,
    changes: [
      'layerCount=4',
      `hiddenSize=${draw.of([1024, 2048])}`,
      'attentionHeads=16',
      'keyValueHeads=8',
      'sequenceLength=1024',
      `recomputation=${draw.of(['none', 'full'])}`,
      `contextParallel=${draw.of(['1', '1,2'])}`,
      `expertParallel=${model === 'mixtral-8x7b' ? draw.of(['1,2', '2,4', '8', '1,8']) : '1'}`,
      `zeroStage=${draw.of(['1', '0,3', '1,3'])}`,
      `chunksPerStage=${draw.of(['1,2', '1,2,4'])}`,
      `microBatchSize=${draw.of(['1,2', '1,2,4'])}`,
      'endsAsLayers=false',
    ]
      .map((change) => `workload.${change}`)
      // as many as NCCL takes make runs of many GPUs long
      .concat(gpus > 16 ? ['collectives.channels=2'] : []),
  });
  const plans = [
    ...feasiblePlans(
      question.space,
      { ofComputation: () => 0 },
      {
        infeasible: new Map(),
        feasible: 0,
      },
    ),
  ];
  return plans.length < fewest || plans.length > most
    ? drawnSpace(draw, model)
    : { question, plans, fabricWords: family[0] };
}

interface PlanJson {
  readonly plans: readonly { readonly totalNs: number; readonly timedBy: string }[];
  readonly isOpen: boolean;
}

/** The time of the plan that the command puts first. */
async function found({ question: { request } }: DrawnSpace): Promise<number> {
  const folder = await mkdtemp(path.join(tmpdir(), 'weft-plans-'));
  const fabric = path.join(folder, 'fabric.yaml');
  await writeFile(fabric, `fabric: ${request.fabric}\n`);
  const options = {
    model: request.model,
    gpus: request.gpus,
    'gpu-type': request.gpu,
    'global-batch': request.globalBatchSize,
    fabric,
    fluid: finalists,
    workers: 1,
  };
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [path.join(repositoryFolder, 'dist/cli/main.js'), 'plan', '--quiet', '--json'].concat(
      Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]),
      request.changes.flatMap((change) => ['--set', change]),
    ),
    { maxBuffer: 2 ** 26 },
  ).finally(() => rm(folder, { recursive: true, force: true }));
  const [first] = (JSON.parse(stdout) as PlanJson).plans;
  if (first?.timedBy !== 'fluid') throw new Error(`the best plan of ${request.model} was not run on fluid`);
  return first.totalNs * 1000;
}

/** How far the best that is found lies above the best there is, by drawn space, as rows of a table. */
export async function bruteForce(seed: number, spaces: number): Promise<string[]> {
  const draw = new Draw(new RandomStream(seed, 'plans'));
  const rows = ['| model, GPUs, batch, fabric | plans | best of all on fluid | found | off |', '|---|---|---|---|---|'];
  let worst = 0;
  for (let i = 0; i < spaces; i++) {
    const space = drawnSpace(draw, models[i % models.length]!);
    const { question, plans, fabricWords } = space;
    let least = Infinity;
    for (const [k, plan] of plans.entries()) {
      process.stderr.write(`\rspace ${i + 1} of ${spaces}: ${k} of ${plans.length} plans on fluid   `);
      least = Math.min(least, await fluidPs(question, plan));
    }
    const foundPs = await found(space);
    const off = foundPs / least - 1;
    worst = Math.max(worst, off);
    const { model, gpus, gpu, globalBatchSize } = question.request;
    const row = `| ${model}, ${gpus} ${gpu}, ${globalBatchSize}, ${fabricWords} | ${plans.length} | ${ms(least)} | ${ms(foundPs)} | ${(100 * off).toFixed(2)} % |`;
    process.stderr.write(`\r${row}\n`);
    rows.push(row);
  }
  return [...rows, '', `The worst is ${(100 * worst).toFixed(2)} % off.`];
}
