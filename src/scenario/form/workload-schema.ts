// The form of the `workload` block of a scenario: a file, a generated training iteration, or layers written there.
// One catalogue of settings for each; schema.ts says how they become zod schemas and JSON Schema.

import * as z from 'zod';
import { count, flag, size, time, choice, type SettingGroup } from '../../base/settings.js';
import { pipelineSchedules } from '../../jobs/job.js';
import { policyNames, type GroupName, type PassName } from '../../workload/policies.js';
import { trainingSettings } from '../../workload/training-settings.js';
import { blockNames } from '../../workload/transformer-model.js';
import { collectiveNames, maxLayers } from '../../workload/workload.js';
import { groupsSchema, layoutSchema } from '../work/job-groups-setting.js';
import { pinSettings } from '../network/plan-pins.js';
import { programForms } from './program-schema.js';
import { checked, hostList, leaves, leavesWithoutDefault, word } from './setting-schema.js';

const { tensorParallel, pipelineParallel, chunksPerStage, dataParallel, expertParallel, microBatches } =
  trainingSettings;

/** What may stand beside the file: what a micro-benchmark does not say itself. Nothing has a default. */
export const workloadFileSettings = {
  tensorParallel,
  dataParallel: { ...dataParallel, default: 1, minimum: 1, description: 'replicas of the model (DP)' },
  expertParallel,
} as const satisfies SettingGroup;

/** How the file is to be understood. */
export const fileReadingSettings = {
  asSimai: flag(
    false,
    "as SimAI's packet simulation takes the file: all GPUs of the fabric take part whatever all_gpus says, and pp, vpp and pp_comm do nothing",
  ),
} as const satisfies SettingGroup;

/** One line of `computeTimes` beside `generate`; every field is needed. */
export const computeTimeSettings = {
  block: choice(blockNames, 'attention', 'the part of the model that was measured, of one layer where layers have it'),
  forward: time('0us', 'forward pass of a micro-batch on one rank'),
  inputGradient: time('0us', 'gradients of the inputs'),
  weightGradient: time('0us', 'gradients of the weights'),
} as const satisfies SettingGroup;

/** What stands beside `layers`. */
export const layersSettings = {
  tensorParallel,
  pipelineParallel,
  chunksPerStage,
  dataParallel,
  expertParallel,
  microBatches,
  stageTransfer: size(
    '0B',
    'activations that a pipeline stage sends to the next, and gradients back, per micro-batch and rank',
  ),
  policy: choice(
    policyNames.filter((name) => name !== 'HYBRID_CUSTOMIZED'),
    'HYBRID_TRANSFORMER_FWD_IN_BCKWD',
    'which passes wait for what, as the workload files of SimAI name it',
  ),
} as const satisfies SettingGroup;

/** One layer of `workload.layers`, besides its name and its passes. */
export const layerSettings = {
  times: count(1, 'so many of it, one after the other', { minimum: 1, maximum: maxLayers }),
  update: time('0us', 'update of the weights, behind the collective of their gradients'),
  once: flag(false, 'runs once per iteration, not for every micro-batch; such layers stand first or last'),
  synchronize: choice(
    ['everyMicroBatch', 'lastMicroBatch'],
    'everyMicroBatch',
    'for which micro-batches the collective of the weight gradients runs',
  ),
  checkpoint: flag(false, 'activations are kept at its input: recomputation can begin here'),
  recompute: flag(false, 'before its backward pass the forward pass runs again, from the nearest checkpoint'),
} as const satisfies SettingGroup;

/** A part of the model; left out: every stage runs the layer. */
export const layerChunkSettings = {
  chunk: count(
    0,
    'model chunk that the layer belongs to, run by stage (chunk mod pipelineParallel); left out: by every stage',
    { minimum: 0, maximum: maxLayers },
  ),
} as const satisfies SettingGroup;

/** Which ranks a collective may run over. */
const passGroups = [
  'tp',
  'dp',
  'ep',
  'dp_ep',
  'all',
  'server',
  'acrossServers',
] as const satisfies readonly GroupName[];

/** One pass of a layer. Group and size are needed exactly if there is a collective. */
export const passSettings = {
  compute: time('0us', 'how long a rank computes'),
  collective: choice(collectiveNames, 'none', 'what follows the computation'),
  group: choice(
    passGroups,
    'tp',
    'over which ranks: tensor, data or expert groups, those with the same experts, all, those of a server, those at one place of every server',
  ),
  size: size('0B', 'the whole buffer of a rank, as nccl-tests counts', { minimum: 1 }),
} as const satisfies SettingGroup;

const passDescriptions: Readonly<Record<PassName, string>> = {
  forward: 'the forward pass',
  inputGradient: 'the gradients of the inputs',
  weightGradient: 'the gradients of the weights; nothing waits for its collective but the update',
};

/** How a workload runs, in each of its forms. */
export const jobSettings = {
  iterations: count(1, 'how often it runs, one iteration after the other', { minimum: 1, maximum: 1_000_000 }),
  start: time('0us', 'when it begins'),
  pipelineSchedule: choice(
    pipelineSchedules,
    '1f1b',
    "order of a stage's micro-batches: forward and backward in turn as soon as possible (interleaved if stages " +
      'have several model chunks), or all forward, then all backward',
  ),
} as const satisfies SettingGroup;

/** Which ranks of the fabric a workload runs on, how it numbers them, and where what it sends may go. */
const placement = {
  ranks: hostList(
    'ranks of the fabric that it runs on, in order of its own ranks, such as 0-63 or 0-127:2, or names of hosts; left out: the first ones',
    'ranks, such as 0-63',
  ).optional(),
  layout: layoutSchema,
  groups: groupsSchema,
  ...leavesWithoutDefault(pinSettings),
};

/** `workload: { file }` */
const workloadFile = z
  .strictObject({
    file: word('workload file (SimAI, AICB) or micro-benchmark, relative to the scenario', 'a path'),
    ...leavesWithoutDefault(workloadFileSettings),
    ...leaves(fileReadingSettings),
    ...leaves(jobSettings),
    ...placement,
  })
  .meta({ title: 'workload from a file' });

/** `workload: { generate }` */
const workloadGenerated = z
  .strictObject({
    generate: checked(
      (value) =>
        value === 'transformer' ? null : { code: 'scenario-value', message: 'is not known', wanted: 'transformer' },
      {
        type: 'string',
        enum: ['transformer'],
        description: 'a training iteration of a transformer, dense or with experts',
      },
    ),
    ...leaves(trainingSettings),
    ...leaves(jobSettings),
    ...placement,
    computeTimes: z
      .array(z.strictObject(leaves(computeTimeSettings, Object.keys(computeTimeSettings))))
      .min(1)
      .optional()
      .meta({ description: "measured times, in place of those from operations and the GPU's rate" }),
  })
  .meta({ title: 'generated training iteration' });

const { group, size: passSize, ...plainPassSettings } = passSettings;
const pass = z
  .strictObject({ ...leaves(plainPassSettings), ...leavesWithoutDefault({ group, size: passSize }) })
  .optional();
const layerShape = {
  name: word('what the layer is called: one word', 'a word').optional(),
  ...leaves(layerSettings),
  ...leavesWithoutDefault(layerChunkSettings),
  ...Object.fromEntries(
    Object.entries(passDescriptions).map(([name, description]) => [name, pass.meta({ description })]),
  ),
};

/** `workload: { layers }` */
const workloadLayers = z
  .strictObject({
    ...leaves(layersSettings),
    ...leaves(jobSettings),
    ...placement,
    layers: z
      .array(
        z.strictObject({
          ...layerShape,
          layers: z
            .array(z.strictObject(layerShape))
            .min(1)
            .optional()
            .meta({ description: 'in place of a name and passes: layers that run in turn, times over' }),
        }),
      )
      .min(1)
      .meta({ description: 'the layers, in the order of the forward pass' }),
  })
  .meta({ title: 'layers written here' });

/** The forms of training iterations, by the key that tells them apart. */
export const workloadForms = { file: workloadFile, generate: workloadGenerated, layers: workloadLayers } as const;

export type TrainingForm = keyof typeof workloadForms;
/** `program`: ranks that send messages (program-schema.ts) */
export type WorkloadForm = TrainingForm | 'program';

export const workloadFormNames: readonly WorkloadForm[] = [
  ...(Object.keys(workloadForms) as TrainingForm[]),
  'program',
];

const jobName = {
  name: word('what the job is called in results; `job` and its number from 0 if it is left out', 'a name').optional(),
};

/** The same as items of `jobs`, which have names and need ranks. */
export const jobForms = Object.fromEntries(
  Object.entries(workloadForms).map(([form, schema]) => [
    form,
    schema
      .extend({
        ...jobName,
        ranks: hostList(
          'ranks of the fabric that it runs on, or names of hosts, in order of its own ranks; no other job has one of them',
          'ranks, such as 0-63',
        ),
      })
      .meta({ title: `job: ${schema.meta()?.title ?? form}` }),
  ]),
) as unknown as Readonly<Record<TrainingForm, z.ZodObject>>;

/** Programs as items of `jobs`, by name. */
export const jobPrograms: Readonly<Record<string, z.ZodObject>> = Object.fromEntries(
  Object.entries(programForms).map(([name, schema]) => [
    name,
    schema.extend(jobName).meta({ title: `job: program ${name}` }),
  ]),
);
