// Whether a generated job fits in the memory of its GPUs; an error that says what takes how much, and what would help.
// Invariant: what the message counts is what a report of the job counts.

import { Section } from '../form/section.js';
import { memoryParts, memoryText, type JobMemory, type StageMemory } from '../../jobs/memory-figures.js';
import type { TrainingValues } from '../../workload/training-settings.js';
import { errorAt, keyPlaceOf, nodeAt, type Path } from '../form/located.js';

/** Whether a job fits; an error at `gpuMemory`, or at the job, if it does not. */
export function fitsMemory(
  block: Section,
  { stages, limitBytes, fullestStage }: JobMemory,
  values: TrainingValues,
): boolean {
  const most = stages[fullestStage]!;
  if (limitBytes === null || most.totalBytes <= limitBytes) return true;
  const limitPath: Path = [...block.path, 'gpuMemory'];
  const isGiven = nodeAt(block.root, limitPath) !== undefined;
  const parts = memoryParts(most).map(([name, bytes]) => `${name} ${memoryText(bytes)}`);
  errorAt(
    block.diagnostics,
    'workload-memory',
    keyPlaceOf(block.root, isGiven ? limitPath : block.path),
    `${block.text()} does not fit in the memory of its GPUs${stages.length > 1 ? `; most is in stage ${fullestStage}` : ''}: ${parts.join(', ')}`,
    {
      got: memoryText(most.totalBytes),
      wanted: `at most ${memoryText(limitBytes)}${isGiven ? '' : `, the memory of ${withArticle(values.gpu)}`}`,
      hint: `${remedies(values, most).join('; ')}; gpuMemory: unlimited runs it all the same`,
    },
  );
  return false;
}

/** What would make it smaller, by what takes most. */
function remedies(values: TrainingValues, memory: StageMemory): string[] {
  const { weightsBytes, gradientsBytes, optimizerBytes, activationsBytes } = memory;
  const divide = 'a larger tensorParallel or pipelineParallel';
  if (activationsBytes > weightsBytes + gradientsBytes + optimizerBytes)
    return [
      ...(values.recomputation === 'full' ? [] : ['recomputation: full']),
      ...(values.sequenceParallel || values.tensorParallel === 1 ? [] : ['sequenceParallel: true']),
      ...(values.microBatchSize > 1 ? ['a smaller microBatchSize'] : []),
      divide,
    ];
  return [divide, ...(values.zeroStage === 3 ? [] : ['a higher zeroStage'])];
}

/** `an H100`, `a B200`: as the letter is spoken. */
function withArticle(gpu: string): string {
  return `${/^[AHM]/.test(gpu) ? 'an' : 'a'} ${gpu}`;
}
