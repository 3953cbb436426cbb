// Orders of pipelines: those of the papers, and that stages that follow them never wait in a circle.

import { describe, expect, it } from 'vitest';
import { pipelineOrder, type PipelineShape } from '../../src/jobs/pipeline-order.js';
import { pipelineSchedules } from '../../src/jobs/job.js';

const text = (schedule: (typeof pipelineSchedules)[number], stage: number, shape: Partial<PipelineShape>): string =>
  pipelineOrder(schedule, stage, { stages: 4, chunksPerStage: 1, microBatches: 8, hasBackward: true, ...shape })
    .map(({ isForward, microBatch, chunk }) => `${isForward ? 'F' : 'B'}${microBatch + 1}${'abc'[chunk]!}`)
    .join(' ')
    .replaceAll(shape.chunksPerStage === undefined ? 'a' : '-', '');

describe('the order of a stage', () => {
  // Narayanan et al. 2021, figure 4, top: 4 stages, 8 micro-batches
  it.each([
    [0, 'F1 F2 F3 F4 B1 F5 B2 F6 B3 F7 B4 F8 B5 B6 B7 B8'],
    [1, 'F1 F2 F3 B1 F4 B2 F5 B3 F6 B4 F7 B5 F8 B6 B7 B8'],
    [3, 'F1 B1 F2 B2 F3 B3 F4 B4 F5 B5 F6 B6 F7 B7 F8 B8'],
  ])('1F1B, stage %i', (stage, order) => {
    expect(text('1f1b', stage, {})).toBe(order);
  });

  // the same figure, bottom: two chunks per stage; the first row up to its second backward pass, and the last row's
  // beginning
  it('interleaved 1F1B', () => {
    expect(text('1f1b', 0, { chunksPerStage: 2 })).toMatch(
      /^F1a F2a F3a F4a F1b F2b F3b F4b F5a F6a F7a B1b F8a B2b F5b B3b /,
    );
    expect(text('1f1b', 3, { chunksPerStage: 2 })).toMatch(/^F1a F2a F3a F4a F1b B1b F2b B2b F3b B3b F4b B4b F5a B1a /);
  });

  it('all forward, then all backward (GPipe)', () => {
    expect(text('all-forward-all-backward', 2, { microBatches: 3 })).toBe('F1 F2 F3 B3 B2 B1');
  });

  it('without a backward pass', () => {
    expect(text('1f1b', 0, { microBatches: 3, hasBackward: false })).toBe('F1 F2 F3');
  });
});

describe('stages together', () => {
  it.each(pipelineSchedules)('%s: every pass once, none waits for ever, backward after forward', (schedule) => {
    for (const stages of [1, 2, 3, 4, 8]) {
      for (const chunksPerStage of [1, 2, 3]) {
        for (const rounds of [1, 2, 5]) {
          const shape = { stages, chunksPerStage, microBatches: stages * rounds, hasBackward: true };
          expect(
            unrunnable(
              Array.from({ length: stages }, (_, stage) => pipelineOrder(schedule, stage, shape)),
              shape,
            ),
          ).toEqual([]);
        }
      }
    }
  });
});

/**
 * Carries the orders out, each pass as soon as what it needs is done.
 * @returns passes that never could run, or ran twice
 */
function unrunnable(
  orders: ReturnType<typeof pipelineOrder>[],
  { stages, chunksPerStage, microBatches }: PipelineShape,
): string[] {
  const done = new Set<string>();
  const twice: string[] = [];
  const last = stages * chunksPerStage - 1;
  const at = orders.map(() => 0);
  for (let moved = true; moved;) {
    moved = false;
    orders.forEach((order, stage) => {
      for (;;) {
        const pass = order[at[stage]!];
        if (pass === undefined) return;
        const { isForward, microBatch, chunk } = pass;
        const position = chunk * stages + stage;
        const needs = isForward
          ? position === 0
            ? []
            : [`F${microBatch} ${position - 1}`]
          : [`F${microBatch} ${position}`, ...(position === last ? [] : [`B${microBatch} ${position + 1}`])];
        if (!needs.every((need) => done.has(need))) return;
        const name = `${isForward ? 'F' : 'B'}${microBatch} ${position}`;
        if (done.has(name)) twice.push(name);
        done.add(name);
        at[stage]!++;
        moved = true;
      }
    });
  }
  const wanted = 2 * microBatches * (last + 1);
  return done.size === wanted ? twice : [...twice, `${done.size} of ${wanted} passes ran`];
}
