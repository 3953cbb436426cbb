// A scenario in place of the options of `weft plan`: its model, GPUs and batch, its fabric, and what stays the same; a
// setting that plans choose may have a list of values, of which each plan has one.
// Invariant: nothing of the scenario is left out but its name and its backend; what a plan cannot take is refused at its line.

import { dirname } from 'node:path';
import { type Diagnostics, reading } from '../../base/diagnostics.js';
import type { Host } from '../../base/host.js';
import { errorAt, type LocatedMap, nodeAt, plainOf } from '../../scenario/form/located.js';
import { readYaml } from '../../scenario/form/read-yaml.js';
import { profileSeenFrom } from '../options/profile-option.js';
import { optionFileText } from '../options/option-file.js';

/** What a scenario says of plans; what it leaves out options have to say. */
export interface PlanScenario {
  readonly model?: string;
  readonly gpu?: string;
  readonly globalBatchSize?: number;
  /** `path=value`, as `--set` takes them; of a setting that plans choose `path=value,value` */
  readonly changes: readonly string[];
}

/** Reads a scenario for plans. @throws InputError */
export async function readPlanScenario(path: string, host: Host): Promise<PlanScenario> {
  const text = await optionFileText(path, host, {
    option: 'weft plan',
    called: 'the scenario',
    wanted: 'a scenario with a fabric and a workload (weft init writes one)',
  });
  return reading((diagnostics) => planScenarioOf(text, path, diagnostics)).value;
}

function planScenarioOf(text: string, path: string, diagnostics: Diagnostics): PlanScenario | null {
  const root = readYaml(text, path, diagnostics);
  if (root === null) return null;
  const workload = nodeAt(root, ['workload']);
  const generated = nodeAt(root, ['workload', 'generate']);
  if (
    root.kind !== 'map' ||
    workload === undefined ||
    generated === undefined ||
    plainOf(generated) !== 'transformer'
  ) {
    errorAt(diagnostics, 'plan-scenario', (workload ?? root).place, 'plans are made for a generated workload', {
      wanted: 'a block workload with generate: transformer',
    });
    return null;
  }
  const { model, gpu, globalBatchSize, generate: _generate, ...rest } = plainOf(workload) as Record<string, unknown>;
  const changes = Object.entries(rest).map(([name, value]) => `workload.${name}=${settingValue(value)}`);
  return {
    ...(typeof model === 'string' ? { model } : {}),
    ...(typeof gpu === 'string' ? { gpu } : {}),
    ...(typeof globalBatchSize === 'number' ? { globalBatchSize } : {}),
    changes: [...changes, ...otherChanges(root, path)],
  };
}

/** A list is one of values. */
function settingValue(value: unknown): string {
  return Array.isArray(value) ? value.map(String).join(',') : String(value);
}

/** Settings outside the fabric and the workload, by path as deep as paths go. */
function otherChanges(root: LocatedMap, path: string): string[] {
  const {
    name: _name,
    fabric: _fabric,
    workload: _workload,
    backend: _backend,
    ...blocks
  } = plainOf(root) as Record<string, unknown>;
  const found: string[] = [];
  const add = (at: string, value: unknown): void => {
    const isMap = typeof value === 'object' && value !== null && !Array.isArray(value);
    if (isMap && Object.keys(value).length > 0 && Object.keys(value).every((key) => /^[A-Za-z]+$/.test(key)))
      for (const [key, below] of Object.entries(value)) add(`${at}.${key}`, below);
    else if (at === 'collectives.profile' && typeof value === 'string')
      found.push(`${at}=${JSON.stringify(profileSeenFrom(dirname(path), value))}`);
    else found.push(`${at}=${JSON.stringify(value)}`);
  };
  for (const [block, value] of Object.entries(blocks)) add(block, value);
  return found;
}
