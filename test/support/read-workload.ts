// Reads the `workload` block of a scenario, and nothing else of it.

import { expect } from 'vitest';
import { type Diagnostic, Diagnostics } from '../../src/base/diagnostics.js';
import { readScenario } from '../../src/scenario/form/read-scenario.js';
import { Section } from '../../src/scenario/form/section.js';
import type { TrainingForm } from '../../src/scenario/form/workload-schema.js';
import { InputFiles } from '../../src/scenario/input-files.js';
import { planFabric } from '../../src/scenario/network/plan-fabric.js';
import { planWorkload } from '../../src/scenario/work/plan-workload.js';
import type { Workload } from '../../src/workload/workload.js';
import { memoryHost } from '../memory-host.js';

interface Read {
  readonly workload: Workload | null;
  readonly resolved: unknown;
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads a scenario of 16 GPUs whose workload block begins in line 2. */
export async function readWorkload(
  block: string,
  files: Record<string, string> = {},
  fabric = '{ generate: dcn+, gpus: 16, nicsPerAsw: 8, gpuType: A100 }',
  overrides: readonly string[] = [],
): Promise<Read> {
  const diagnostics = new Diagnostics();
  const inputs = new InputFiles(memoryHost(files), 's');
  const scenario = readScenario(`fabric: ${fabric}\n${block}`, 's', overrides, diagnostics)!;
  const built = (await planFabric(scenario, inputs, diagnostics))!;
  const planned =
    scenario.workload === null
      ? null
      : await planWorkload(
          {
            block: new Section(scenario.root, ['workload'], diagnostics),
            form: scenario.workload as TrainingForm,
            gpus: built.value.hosts.length,
            gpuType: built.value.gpuType,
          },
          inputs,
        );
  expect(planned === null).toBe(diagnostics.hasErrors);
  return { workload: planned?.value ?? null, resolved: planned?.resolved, diagnostics: diagnostics.list };
}
