// The text of a first scenario: a fabric, and a model that is trained, a collective, or transfers by a pattern. What
// `weft init` writes, and the form of the page.
// Invariants: what comes of answers was read as a plan before; the same answers give the same text; what stands in it
// beside the answers is what a comparison of fabrics would choose (sized-family.ts), so that both speak of the same fabric.

import { type Diagnostic, InputError } from '../base/diagnostics.js';
import {
  fabricFamilies,
  type FabricFamily,
  type ParameterProblem,
  type ParameterValues,
  resolveParameters,
} from '../fabric/generators/catalogue.js';
import { sizedParameters } from '../fabric/generators/sized-family.js';
import { collectiveNames } from '../workload/workload.js';
import { type KnownModel, knownModelNames, knownModels } from '../workload/known-models.js';
import { didYouMean } from '../scenario/suggest.js';

/** What a scenario is made of. */
export interface ScenarioAnswers {
  readonly gpus: number;
  readonly job: string;
  readonly fabric: string;
  /** null: the family's own */
  readonly gpuType: string | null;
  /** of the collective, or of each transfer */
  readonly size: string;
}

/** How whoever asked speaks of families of fabrics. */
export interface FamilyWords {
  /** The family of a name, with what the name implies. @throws InputError */
  readonly named: (name: string) => { family: FabricFamily; implied: Readonly<Record<string, unknown>> };
  readonly problem: (
    family: FabricFamily,
    problem: ParameterProblem,
    given: Readonly<Record<string, unknown>>,
  ) => Diagnostic;
}

/** How a model is divided. */
interface ModelDivision {
  readonly tensorParallel: number;
  readonly pipelineParallel: number;
  readonly isSharded: boolean;
}

const firstPatterns = ['permutation', 'incast'] as const;
/** transfers that a scenario holds as lines */
const mostTransfers = 4096;
const gpusPerServer = 8;
const firstCollectives: readonly string[] = collectiveNames.filter((name) => name !== 'none' && !/Then/.test(name));

/** Kinds of jobs, for people. */
export const firstJobForms = `a model (${knownModelNames.join(', ')}), a collective (${firstCollectives.join(', ')}) or transfers (${firstPatterns.join(', ')})`;

/** What there is to choose from. */
export interface FirstChoices {
  readonly fabrics: readonly string[];
  readonly models: readonly string[];
  readonly collectives: readonly string[];
  readonly patterns: readonly string[];
}

/** The answers that are known: families with a size, and jobs. */
export function firstChoices(): FirstChoices {
  const size = { gpus: 64, taper: 1, switchPorts: null };
  return {
    fabrics: fabricFamilies.filter((family) => sizedParameters(family, {}, size) !== null).map(({ name }) => name),
    models: knownModelNames,
    collectives: firstCollectives,
    patterns: firstPatterns,
  };
}

/** Whether the job is the training of a model. */
export function isModel(job: string): boolean {
  return (knownModelNames as readonly string[]).includes(job);
}

/** Refuses a job that nobody knows. @throws InputError */
export function checkJob(job: string): void {
  const known = [...knownModelNames, ...firstCollectives, ...firstPatterns];
  if (known.includes(job)) return;
  throw InputError.about('init-job', '--job', 'there is no such job', {
    got: job,
    wanted: firstJobForms,
    hint: didYouMean(job, known),
  });
}

/** Ways to divide a model over GPUs, the plainest first. */
function divisionsOf(gpus: number): ModelDivision[] {
  const tensorParallel = Math.min(gpusPerServer, gpus);
  const divisions: ModelDivision[] = [];
  for (const isSharded of [false, true])
    for (let stages = 1; stages <= gpus / tensorParallel; stages *= 2)
      divisions.push({ tensorParallel, pipelineParallel: stages, isSharded });
  return divisions;
}

/**
 * The first text that can be run: of a model the plainest division that fits.
 * @param isRunnable rejects with an InputError what cannot be read as a plan @throws InputError if no text can
 */
export async function firstScenario(
  answers: ScenarioAnswers,
  words: FamilyWords,
  isRunnable: (text: string) => Promise<void>,
): Promise<string> {
  let failure: InputError | null = null;
  const isTraining = isModel(answers.job);
  for (const division of divisionsOf(answers.gpus).slice(0, isTraining ? undefined : 1)) {
    const scenario = scenarioText(answers, division, words);
    try {
      await isRunnable(scenario);
      return scenario;
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      failure = error;
    }
  }
  // the last of the divisions is the one that comes nearest; its text stands nowhere, so it has no line
  const [{ message, got, wanted } = { message: '', got: '', wanted: '' }] = failure?.diagnostics ?? [];
  throw InputError.about('init-job', '--job', `${answers.job} on ${answers.gpus} GPUs: ${message}`, {
    got,
    wanted,
    hint: isTraining ? 'more GPUs, or those of another --gpu-type; no division of this model fits these' : undefined,
  });
}

/**
 * The scenario. @param division of a model; of other jobs without effect @throws InputError if the fabric cannot be
 * made
 */
function scenarioText(answers: ScenarioAnswers, division: ModelDivision, words: FamilyWords): string {
  const { gpus, job } = answers;
  return `# ${job} on ${gpus} GPUs of ${answers.fabric}, as weft init writes it. Every setting: docs/formats/scenario.md.
name: ${job} on ${gpus} GPUs
# flows share links fairly, which takes seconds; other levels of detail: docs/formats/scenario.md
backend: fluid
${fabricText(answers, words)}${jobText(answers, division)}`;
}

function fabricText({ gpus, fabric, gpuType }: ScenarioAnswers, words: FamilyWords): string {
  const { family, implied } = words.named(fabric);
  const given = gpuType === null ? {} : { gpuType };
  const sized = sizedParameters(family, { ...implied, ...given }, { gpus, taper: 1, switchPorts: null });
  if (sized === null)
    throw InputError.about('init-fabric', '--fabric', `${family.name} is not made by number of GPUs`, {
      got: fabric,
      wanted: 'a family with a size, such as spectrum-x or leaf-spine',
    });
  const parameters = { ...sized.parameters, ...given };
  const { problems, values } = resolveParameters(family, { ...implied, ...parameters });
  if (values === null) throw new InputError([words.problem(family, problems[0]!, parameters)]);
  if (sized.gpus !== gpus)
    throw InputError.about('init-gpus', '--gpus', `${family.name} has no shape of ${gpus} GPUs`, {
      got: String(gpus),
      wanted: `another number: the nearest shape has ${sized.gpus}`,
    });
  // what the family has anyway need not be said; what was typed is
  let said: Readonly<Record<string, unknown>> = parameters;
  for (const name of Object.keys(parameters)) {
    if (name === 'gpus' || Object.hasOwn(given, name)) continue;
    const rest = Object.fromEntries(Object.entries(said).filter(([other]) => other !== name));
    if (isSame(resolveParameters(family, { ...implied, ...rest }).values, values)) said = rest;
  }
  const lines = Object.entries(said)
    .map(([key, value]) => `  ${key}: ${String(value)}\n`)
    .join('');
  return `# as much bandwidth out of a leaf switch as into it; other parameters: weft topology generate ${family.name} --help
fabric:
  generate: ${fabric}
${lines}`;
}

function isSame(values: ParameterValues | null, others: ParameterValues): boolean {
  return values !== null && Object.entries(others).every(([name, value]) => values[name] === value);
}

function jobText({ gpus, job, size }: ScenarioAnswers, division: ModelDivision): string {
  if (isModel(job)) return modelText(job as KnownModel, gpus, division);
  if (firstCollectives.includes(job))
    return `# a collective of all GPUs, once; size is that of the whole buffer of a rank
workload:
  layers:
    - { name: ${job}, forward: { collective: ${job}, group: all, size: ${size} } }
`;
  const half = gpus >> 1;
  const pairs =
    job === 'incast'
      ? Array.from({ length: gpus - 1 }, (_, i) => [i + 1, 0] as const)
      : Array.from({ length: gpus }, (_, i) => [i, (i + half) % gpus] as const);
  if (pairs.length > mostTransfers)
    throw InputError.about('init-transfers', '--gpus', `${pairs.length} transfers are too many lines`, {
      got: String(gpus),
      wanted: `at most ${mostTransfers}`,
      hint: 'weft trace generate writes files of transfers',
    });
  return `# ${job === 'incast' ? 'all to the first GPU at once' : 'every GPU to the one half of the GPUs further'}
traffic:
  transfers:
${pairs.map(([source, destination]) => `    - { source: ${source}, destination: ${destination}, size: ${size} }\n`).join('')}`;
}

function modelText(
  job: KnownModel,
  gpus: number,
  { tensorParallel, pipelineParallel, isSharded }: ModelDivision,
): string {
  const { experts } = knownModels[job];
  // powers of two alone: the experts of known models are
  let spread = 1;
  while (2 * spread <= experts && (gpus / tensorParallel / pipelineParallel) % (2 * spread) === 0) spread *= 2;
  const expert =
    experts === 0
      ? ''
      : `  # experts on so many replicas, to which tokens go by all-to-all\n  sequenceParallel: true\n  expertParallel: ${spread}\n`;
  const stages =
    pipelineParallel === 1
      ? ''
      : `  pipelineParallel: ${pipelineParallel}\n  # batches under way at once keep the stages busy\n  microBatches: ${4 * pipelineParallel}\n`;
  const sharded = isSharded ? '  # parameters, gradients and optimizer shared out over replicas\n  zeroStage: 3\n' : '';
  return `# one training iteration; the GPUs that tensor and pipeline groups leave over are replicas
workload:
  generate: transformer
  model: ${job}
  # a server's GPUs share each layer
  tensorParallel: ${tensorParallel}
${expert}${stages}${sharded}`;
}
