// What `weft plan` is asked, from its options and a scenario: the question for each fabric.
// Invariants: an option comes before what the scenario says; what neither says is asked for by name.

import { plannedGpus, plannedModels, type PlanQuestion, planQuestion } from '../../app/training-plans/plan-request.js';
import { InputError } from '../../base/diagnostics.js';
import { fabricBlock, fabricNames } from '../compare-fabrics/fabric-words.js';
import type { CommandContext } from '../context.js';
import { readPlanScenario } from './plan-scenario.js';

/** What is planned for where nothing else is said. */
export const defaultFabric = 'spectrum-x';
const defaultGpu = 'H100';

/** The options that make the question. */
export interface PlanWords {
  readonly model?: (typeof plannedModels)[number];
  readonly gpus?: number;
  readonly gpuType?: (typeof plannedGpus)[number];
  readonly globalBatch?: number;
  readonly fabric?: string;
  readonly fabrics: readonly string[];
  readonly taper: number;
  readonly set: readonly string[];
}

/** A fabric as the user named it, with what is asked of it. */
export interface AskedFabric {
  readonly name: string;
  readonly question: PlanQuestion;
}

/** The questions, one for each fabric. @param scenario its path @throws InputError */
export async function askedFabrics(
  scenario: string | undefined,
  words: PlanWords,
  context: CommandContext,
): Promise<readonly AskedFabric[]> {
  const { host } = context;
  const given = scenario === undefined ? { changes: [] } : await readPlanScenario(scenario, host);
  const model =
    words.model ??
    oneOfThese(given.model, plannedModels, 'workload.model', scenario) ??
    missing('--model', plannedModels);
  const gpu = words.gpuType ?? oneOfThese(given.gpu, plannedGpus, 'workload.gpu', scenario) ?? defaultGpu;
  const globalBatchSize = words.globalBatch ?? given.globalBatchSize ?? missing('--global-batch', ['128']);
  const names = namesOf(scenario, words);
  const gpus = words.gpus ?? (scenario === undefined ? missing('--gpus', ['64']) : await gpusOf(scenario, context));
  const option = words.fabrics.length === 0 ? '--fabric' : '--fabrics';
  const changes = [...given.changes, ...words.set];
  const asked: AskedFabric[] = [];
  for (const name of names) {
    const fabric = await fabricBlock(
      name,
      { gpus, taper: words.taper, switchPorts: null, gpuType: gpu },
      true,
      host,
      option,
    );
    asked.push({ name, question: planQuestion({ model, gpus, gpu, globalBatchSize, fabric, changes }) });
  }
  return asked;
}

/** The fabrics that are asked for. @throws InputError */
function namesOf(scenario: string | undefined, { fabric, fabrics }: PlanWords): readonly string[] {
  if (fabrics.length === 0) return [fabric ?? scenario ?? defaultFabric];
  if (fabric !== undefined)
    throw InputError.about('plan-fabrics', '--fabric', 'fabrics are named twice over', {
      got: `--fabric ${fabric} and --fabrics ${fabrics.join(' ')}`,
      wanted: 'one of the two options',
      hint: 'put all of them behind --fabrics',
    });
  return fabricNames(fabrics);
}

/** How many GPUs the fabric of a scenario has. */
async function gpusOf(scenario: string, { makePlan, host }: CommandContext): Promise<number> {
  // a small model on each GPU: for the fabric alone
  const overrides = ['workload={ generate: transformer, layerCount: 1, gpuMemory: unlimited }', 'backend=analytical'];
  const plan = await makePlan(scenario, { overrides, host });
  await plan.source.close();
  return plan.fabric.hosts.length;
}

function oneOfThese<Word extends string>(
  given: string | undefined,
  words: readonly Word[],
  setting: string,
  scenario: string | undefined,
): Word | undefined {
  const found = words.find((word) => word === given);
  if (found !== undefined || given === undefined) return found;
  throw InputError.about('plan-scenario', scenario!, `${setting} is none that plans are made for`, {
    got: given,
    wanted: words.join(', '),
  });
}

function missing(option: string, words: readonly string[]): never {
  throw InputError.about('plan-missing', option, 'this is needed, by an option or by a scenario', {
    wanted: words.length === 1 ? `a number, such as ${words[0]!}` : words.join(', '),
    hint: 'weft plan --help has examples',
  });
}
