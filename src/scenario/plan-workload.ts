// A `workload` block -> a workload that fits the fabric, or the ranks of its job.
// Invariant: the returned workload has a number of GPUs, at most those that there are, which its groups divide.

import type { Diagnostics } from '../base/diagnostics.js';
import { HostFileError } from '../base/host.js';
import { readWorkloadFile } from '../formats/workload-file.js';
import { asSimai } from '../workload/as-simai.js';
import { dataGroupSize, groupProblem } from '../workload/group-sizes.js';
import type { GroupSizes, Workload } from '../workload/workload.js';
import { productText, writtenKey } from './blame-sizes.js';
import type { InputFiles } from './input-files.js';
import { errorAt, nodeAt, warningAt, type Place, pathText } from './located.js';
import { reportFile, type Planned } from './plan-fabric.js';
import { generatedWorkload } from './plan-generated-workload.js';
import { layersWorkload } from './plan-layers.js';
import { groupText } from '../base/quantity-text.js';
import { groupAt, valueAt, wordAt } from './resolve.js';
import { fileReadingSettings, workloadFileSettings } from './workload-schema.js';
import type { PlannedWorkload, WorkloadSite } from './workload-site.js';

/** Prepares the workload of a scenario that has one. @returns null after at least one error */
export async function planWorkload(
  site: WorkloadSite,
  files: InputFiles,
  diagnostics: Diagnostics,
): Promise<PlannedWorkload | null> {
  const { root, path, form } = site;
  const planned: PlannedWorkload | null =
    form === 'file'
      ? await fromFile(site, files, diagnostics)
      : (form === 'generate' ? generatedWorkload : layersWorkload)(site, diagnostics);
  if (planned === null) return null;
  const { place } = nodeAt(root, [...path, form])!;
  const isOption = form === 'file' && place.line === 0;
  // an option has no place of its own: the file has
  const value = fitted(
    planned.value,
    isOption ? { file: files.resolve(wordAt(root, [...path, 'file'])!), line: 1, column: 1 } : place,
    site,
    diagnostics,
  );
  return value === null ? null : { ...planned, value };
}

async function fromFile(
  { root, path: base, gpus }: WorkloadSite,
  files: InputFiles,
  diagnostics: Diagnostics,
): Promise<Planned<Workload> | null> {
  const file = wordAt(root, [...base, 'file'])!;
  const path = files.resolve(file);
  const given = Object.fromEntries(
    Object.entries(workloadFileSettings)
      .filter(([name]) => nodeAt(root, [...base, name]) !== undefined)
      .map(([name, setting]) => [name, valueAt(root, [...base, name], setting)]),
  );
  try {
    const sizes = { tensor: given['tensorParallel'], data: given['dataParallel'], expert: given['expertParallel'] };
    const value = readWorkloadFile(
      await files.readText('workload', file),
      path,
      Object.fromEntries(Object.entries(sizes).filter(([, size]) => size !== undefined)),
      diagnostics,
    );
    if (value === null) return null;
    const reading = groupAt(root, base, fileReadingSettings);
    const resolved = { file, ...given, ...groupText(fileReadingSettings, reading) };
    if (!reading.asSimai) return { value, resolved };
    const { workload, passedOver } = asSimai(value, gpus);
    for (const message of passedOver) diagnostics.warning('workload-as-simai', path, { line: 1, column: 1 }, message);
    return { value: workload, resolved };
  } catch (error) {
    if (!(error instanceof HostFileError)) throw error;
    reportFile(root, [...base, 'file'], 'workload file', error, diagnostics);
    return null;
  }
}

/** The workload with as many GPUs as there are, if it does not say how many; null after an error. */
function fitted(workload: Workload, place: Place, site: WorkloadSite, diagnostics: Diagnostics): Workload | null {
  const { root, path, gpus: hosts } = site;
  const isChosen = nodeAt(root, [...path, 'ranks']) !== undefined;
  const groups = workload.groups.gpus === 0 ? { ...workload.groups, gpus: hosts } : workload.groups;
  const problem = groupProblem(groups);
  if (problem !== null) {
    errorAt(
      diagnostics,
      'workload-groups',
      place,
      `the workload does not fit ${isChosen ? 'its ranks' : 'the fabric'}: ${problem.message}`,
      { got: problem.got, wanted: problem.wanted },
    );
    return null;
  }
  if (groups.gpus > hosts) {
    tooManyGpus(groups, place, site, diagnostics);
    return null;
  }
  if (groups.gpus < hosts && isChosen) {
    errorAt(
      diagnostics,
      'workload-ranks',
      nodeAt(root, [...path, 'ranks'])!.place,
      'the workload has more ranks than GPUs',
      { got: `${hosts} ranks`, wanted: String(groups.gpus) },
    );
    return null;
  }
  if (groups.gpus < hosts)
    warningAt(
      diagnostics,
      'workload-idle-gpus',
      place,
      `${hosts - groups.gpus} of the fabric's ${hosts} GPUs take no part in the workload`,
      { hint: 'ranks are the first hosts of the fabric', path: pathText(path) },
    );
  return { ...workload, groups };
}

/** More GPUs than there are: at a size that was written, with the others that make up their number. */
function tooManyGpus(
  groups: GroupSizes,
  place: Place,
  { root, path, form, gpus: hosts }: WorkloadSite,
  diagnostics: Diagnostics,
): void {
  const { gpus, tensor, pipeline } = groups;
  const message = `the workload needs more GPUs than ${nodeAt(root, [...path, 'ranks']) === undefined ? 'the fabric has' : 'it has ranks'}`;
  const factors = [
    { key: 'tensorParallel', value: tensor },
    { key: 'pipelineParallel', value: pipeline },
    { key: 'dataParallel', value: dataGroupSize(groups) },
  ];
  const key = form === 'file' ? null : writtenKey(root, path, ['dataParallel', 'tensorParallel', 'pipelineParallel']);
  if (key === null) {
    errorAt(diagnostics, 'workload-too-many-gpus', place, message, { got: String(gpus), wanted: `at most ${hosts}` });
    return;
  }
  errorAt(diagnostics, 'workload-too-many-gpus', nodeAt(root, [...path, key])!.place, message, {
    got: `${gpus} GPUs`,
    wanted: `at most ${hosts}`,
    hint: `they are ${productText(factors)}`,
  });
}
