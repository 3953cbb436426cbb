// Workload -> the text of a workload file for one pipeline stage, as AICB writes it: micro-batches one after the other,
// tabs between fields.
// Invariant: reading the text gives the workload back, if it has no model chunks (a file is one stage; what other
// stages run is lost) and its times are whole nanoseconds (others are rounded up to them).

import { fail } from '../base/fail.js';
import { unrolled } from '../workload/micro-batches.js';
import { groupOfPolicy, passNames, policyNames, type PassName } from '../workload/policies.js';
import { idlePass, passAt, type Pass, type Workload } from '../workload/workload.js';
import { encodeCollective } from './collective-names.js';

/** One line of the file: a layer, and which of its copies. */
type Row = readonly [layer: number, copy: number];

/**
 * Writes a workload file.
 * @param stage the pipeline stage whose layers are written
 * @throws InvariantError if the workload is not writable: ask `unwritable` first
 */
export function writeSimaiWorkload(workload: Workload, stage = 0): string {
  const rows = rowsOf(workload, stage);
  return [
    headerText(workload, rows),
    String(rows.length),
    ...rows.map((row, i) => lineText(workload, row, i)),
    '',
  ].join('\n');
}

/**
 * Why a workload has no text in this format, or null: a name of several words, ranks that no name of a collective
 * stands for, or a collective that is neither waited for nor one of weight gradients.
 */
export function unwritable(workload: Workload, stage = 0): string | null {
  const { layers } = workload;
  for (const [line, row] of rowsOf(workload, stage).entries()) {
    const name = layers.name[row[0]]!;
    if (layers.isPrefetched[row[0]] === 1 || layers.isBeside[row[0]] === 1)
      return (
        `the collectives of layer ${name} run beside computation, which a file cannot say: overlapParameters: ` +
        'false has them waited for, contextExchange: gather those of keys and values'
      );
    if (!/^[^ \t\r\n\v\f#][^ \t\r\n\v\f]*$/.test(name)) return `the name of layer "${name}" is not one word`;
    for (const pass of passNames) {
      if (collectiveText(workload, row, line, pass) === null)
        return `no name of a collective stands for the ranks of the ${pass} pass of layer ${name} (${passOf(workload, row, pass).group})`;
    }
  }
  return null;
}

/** The layers of a stage as often as they run, in order. */
function rowsOf({ groups, layers, microBatches }: Workload, stage: number): Row[] {
  return [...unrolled(layers, microBatches)].filter(([layer]) => {
    const chunk = layers.modelChunk[layer]!;
    return chunk < 0 || chunk % groups.pipeline === stage;
  });
}

/**
 * The backward pass of the first copy is the last: it has the collective of weight gradients that are synchronized
 * once. Its forward pass is the first: it has the gather of parameters that are fetched once.
 */
function passOf({ layers }: Workload, [layer, copy]: Row, pass: PassName): Pass {
  const whole = passAt(layers[pass], layer);
  const isOfFirst =
    (pass === 'weightGradient' && layers.isSyncedOnce[layer] === 1) ||
    (pass === 'forward' && layers.isFetchedOnce[layer] === 1);
  return isOfFirst && copy > 0 ? { ...idlePass, computePs: whole.computePs } : whole;
}

function collectiveText(workload: Workload, row: Row, line: number, pass: PassName): string | null {
  const { collective, group } = passOf(workload, row, pass);
  const policy = policyNames[workload.layers.policy[row[0]]!]!;
  return encodeCollective(
    collective,
    group,
    groupOfPolicy(policy, pass, line === 0 && workload.policy !== 'HYBRID_CUSTOMIZED'),
  );
}

function headerText(
  { policy, groups, chunksPerStage, microBatches, stageTransferBytes, lastBottomLayer, layers }: Workload,
  rows: readonly Row[],
): string {
  const marked = (flags: Uint8Array): string => {
    const numbers = rows.flatMap(([layer], i) => (flags[layer] === 1 ? [i] : []));
    return [numbers.length, ...numbers].join(' ');
  };
  return [
    policy,
    `model_parallel_NPU_group: ${groups.tensor} ep: ${groups.expert} pp: ${groups.pipeline} vpp: ${chunksPerStage} ga: ${microBatches}`,
    ...(groups.gpus === 0 ? [] : [`all_gpus: ${groups.gpus}`]),
    `checkpoints: ${marked(layers.isCheckpoint)} checkpoint_initiates: ${marked(layers.startsRecomputation)} pp_comm: ${stageTransferBytes}`,
    ...(lastBottomLayer < 0 ? [] : [`DLRM_LAST_BOTTOM_LAYER: ${lastBottomLayer}`]),
  ].join(' ');
}

function lineText(workload: Workload, row: Row, line: number): string {
  const { policy, layers } = workload;
  const [layer] = row;
  const fields: (string | number)[] = [layers.name[layer]!, -1];
  for (const pass of passNames) {
    const { computePs, sizeBytes } = passOf(workload, row, pass);
    const collective =
      collectiveText(workload, row, line, pass) ??
      fail(`layer ${layers.name[layer]!} has a group of ranks without a name`);
    fields.push(nanoseconds(computePs), collective, sizeBytes);
  }
  fields.push(nanoseconds(layers.updatePs[layer]!));
  if (policy === 'HYBRID_CUSTOMIZED') fields.push(policyNames[layers.policy[layer]!]!);
  return fields.join('\t');
}

function nanoseconds(timePs: number): number {
  return Math.ceil(timePs / 1000);
}
