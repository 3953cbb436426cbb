// The command line that writes flow graphs, a job to write one of, and what it wrote.

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { simulate } from '../../src/app/simulate.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { commandWith } from './run-command.js';

export const weft = commandWith({ makePlan, simulate });

/** Writes a scenario with a job of two iterations into a folder. @returns where */
export async function writeJob(folder: string): Promise<string> {
  const path = join(folder, 'job.yaml');
  await writeFile(
    path,
    'name: job\nbackend: fluid\nfabric: { generate: spectrum-x, gpus: 16, gpuType: A100 }\ncollectives: { profile: document }\nworkload: { generate: transformer, model: gpt3-6.7b, layerCount: 2, tensorParallel: 4, pipelineParallel: 2, dataParallel: 2, microBatches: 2, iterations: 2 }\n',
  );
  return path;
}

/** The objects of a file of JSON lines. */
export async function linesOf(path: string): Promise<Record<string, unknown>[]> {
  const text = await readFile(path, 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** 64-bit numbers as numbers. */
export function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  return Array.isArray(value) ? value.map(plain) : value;
}
