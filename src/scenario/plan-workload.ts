// The `workload` block -> a workload that fits the fabric.
// Invariant: the returned workload has a number of GPUs, at most the fabric's, which its groups divide.

import type { Diagnostics } from '../base/diagnostics.js';
import { HostFileError, type Host } from '../base/host.js';
import type { Fabric } from '../fabric/fabric.js';
import { readWorkloadFile } from '../formats/workload-file.js';
import { asSimai } from '../workload/as-simai.js';
import { groupProblem } from '../workload/group-sizes.js';
import type { Workload } from '../workload/workload.js';
import { errorAt, nodeAt, warningAt, type LocatedMap, type Place } from './located.js';
import { reportFile, type Planned } from './plan-fabric.js';
import { generatedWorkload } from './plan-generated-workload.js';
import { layersWorkload } from './plan-layers.js';
import { groupText } from './quantity-text.js';
import type { Scenario } from './read-scenario.js';
import { groupAt, valueAt, wordAt } from './resolve.js';
import { fileReadingSettings, workloadFileSettings } from './workload-schema.js';

/** Prepares the workload of a scenario that has one. @returns null after at least one error */
export async function planWorkload({ file, root, workload }: Scenario, fabric: Fabric, host: Host, diagnostics: Diagnostics): Promise<Planned<Workload> | null> {
  if (workload === null) return null;
  const planned = workload === 'file' ? await fromFile(root, file, fabric, host, diagnostics) : (workload === 'generate' ? generatedWorkload : layersWorkload)(root, fabric, diagnostics);
  if (planned === null) return null;
  const { place } = nodeAt(root, ['workload', workload])!;
  const isOption = workload === 'file' && place.line === 0;
  // an option has no place of its own: the file has
  const value = fitted(planned.value, isOption ? { file: host.resolve(file, wordAt(root, ['workload', 'file'])!), line: 1, column: 1 } : place, fabric, diagnostics);
  return value === null ? null : { value, resolved: planned.resolved };
}

async function fromFile(root: LocatedMap, scenarioFile: string, fabric: Fabric, host: Host, diagnostics: Diagnostics): Promise<Planned<Workload> | null> {
  const file = wordAt(root, ['workload', 'file'])!;
  const path = host.resolve(scenarioFile, file);
  const given = Object.fromEntries(Object.entries(workloadFileSettings)
    .filter(([name]) => nodeAt(root, ['workload', name]) !== undefined)
    .map(([name, setting]) => [name, valueAt(root, ['workload', name], setting)]));
  try {
    const sizes = { tensor: given['tensorParallel'], data: given['dataParallel'], expert: given['expertParallel'] };
    const value = readWorkloadFile(await host.readText(path), path, Object.fromEntries(Object.entries(sizes).filter(([, size]) => size !== undefined)), diagnostics);
    if (value === null) return null;
    const reading = groupAt(root, ['workload'], fileReadingSettings);
    const resolved = { file, ...given, ...groupText(fileReadingSettings, reading) };
    if (!reading.asSimai) return { value, resolved };
    const { workload, passedOver } = asSimai(value, fabric.hosts.length);
    for (const message of passedOver) diagnostics.warning('workload-as-simai', path, { line: 1, column: 1 }, message);
    return { value: workload, resolved };
  } catch (error) {
    if (!(error instanceof HostFileError)) throw error;
    reportFile(root, ['workload', 'file'], 'workload file', error, diagnostics);
    return null;
  }
}

/** The workload with as many GPUs as the fabric, if it does not say how many; null after an error. */
function fitted(workload: Workload, place: Place, fabric: Fabric, diagnostics: Diagnostics): Workload | null {
  const hosts = fabric.hosts.length;
  const groups = workload.groups.gpus === 0 ? { ...workload.groups, gpus: hosts } : workload.groups;
  const problem = groupProblem(groups);
  if (problem !== null) {
    errorAt(diagnostics, 'workload-groups', place, `the workload does not fit the fabric: ${problem.message}`, { got: problem.got, wanted: problem.wanted });
    return null;
  }
  if (groups.gpus > hosts) {
    errorAt(diagnostics, 'workload-too-many-gpus', place, 'the workload needs more GPUs than the fabric has', { got: String(groups.gpus), wanted: `at most ${hosts}` });
    return null;
  }
  if (groups.gpus < hosts) warningAt(diagnostics, 'workload-idle-gpus', place, `${hosts - groups.gpus} of the fabric's ${hosts} GPUs take no part in the workload`, { hint: 'ranks are the first hosts of the fabric' });
  return { ...workload, groups };
}
