// Every GPU on every family that is made by a number of GPUs: `weft init` writes a scenario that runs. The jobs take turns.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runProgram } from '../../src/cli/program.js';
import { fabricFamilies } from '../../src/fabric/generators/catalogue.js';
import { gpuTypes } from '../../src/fabric/gpu-types.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { memoryHost } from '../memory-host.js';
import { scriptedContext } from '../support/command-context.js';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'weft-init-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const types = ['NONE', ...gpuTypes.map(({ name }) => name)];
const jobs = ['allreduce', 'permutation', 'gpt3-13b'];
const families = fabricFamilies.map(({ name }) => name).filter((name) => !name.includes('dumbbell'));

describe.each(families.map((name, i) => [name, i] as const))('%s', (family, turn) => {
  it.each(types.map((gpuType, i) => [gpuType, jobs[(turn + i) % jobs.length]!] as const))(
    'with %s makes a scenario of %s that can be planned',
    async (gpuType, job) => {
      const file = join(folder, `${family}-${gpuType}.yaml`);
      const context = scriptedContext({ makePlan });
      const words = ['init', '--gpus', '64', '--job', job, '--fabric', family, '--gpu-type', gpuType, '--out', file];
      expect([await runProgram(words, context), context.stderr.text]).toEqual([0, '']);
      const host = memoryHost({ 'my.yaml': readFileSync(file, 'utf8') });
      const plan = await makePlan('my.yaml', { host, overrides: [] });
      expect(plan.fabric.gpuType).toBe(gpuType === 'NONE' ? '' : gpuType);
      expect(plan.warnings).toEqual([]);
    },
  );
});
