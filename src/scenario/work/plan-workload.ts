// A `workload` block -> a workload that fits the fabric, or the ranks of its job.
// Invariant: the returned workload has a number of GPUs, at most those that there are, which its groups divide.

import { Section } from '../form/section.js';
import { readNamed } from '../form/named-file.js';
import { readWorkloadFile } from '../../formats/workload-file.js';
import { asSimai } from '../../workload/as-simai.js';
import { dataGroupSize, groupProblem } from '../../workload/group-sizes.js';
import type { GroupSizes, Workload } from '../../workload/workload.js';
import { productText, writtenKey } from './blame-sizes.js';
import type { InputFiles } from '../input-files.js';
import { errorAt, warningAt, type Place } from '../form/located.js';
import { type Planned } from '../network/plan-fabric.js';
import { generatedWorkload } from './plan-generated-workload.js';
import { layersWorkload } from './plan-layers.js';
import { groupText } from '../../base/quantity-text.js';
import { fileReadingSettings, workloadFileSettings } from '../form/workload-schema.js';
import type { PlannedWorkload, WorkloadSite } from './workload-site.js';

/** Prepares the workload of a scenario that has one. @returns null after at least one error */
export async function planWorkload(site: WorkloadSite, files: InputFiles): Promise<PlannedWorkload | null> {
  const { form, block } = site;
  const planned: PlannedWorkload | null =
    form === 'file'
      ? await fromFile(block, site.gpus, files)
      : (form === 'generate' ? generatedWorkload : layersWorkload)(site);
  if (planned === null) return null;
  const { place } = block.node(form)!;
  const isOption = form === 'file' && place.line === 0;
  // an option has no place of its own: the file has
  const value = fitted(
    planned.value,
    isOption ? { file: files.resolve(block.word('file')!), line: 1, column: 1 } : place,
    site,
  );
  return value === null ? null : { ...planned, value };
}

function fromFile(block: Section, gpus: number, files: InputFiles): Promise<Planned<Workload> | null> {
  const { diagnostics } = block;
  const file = block.word('file')!;
  const path = files.resolve(file);
  const given = Object.fromEntries(
    Object.entries(workloadFileSettings)
      .filter(([name]) => block.has(name))
      .map(([name, setting]) => [name, block.value(name, setting)]),
  );
  return readNamed(block.at('file'), 'workload file', async () => {
    const sizes = { tensor: given['tensorParallel'], data: given['dataParallel'], expert: given['expertParallel'] };
    const value = readWorkloadFile(
      await files.readText('workload', file),
      path,
      Object.fromEntries(Object.entries(sizes).filter(([, size]) => size !== undefined)),
      diagnostics,
    );
    if (value === null) return null;
    const reading = block.group(fileReadingSettings);
    const resolved = { file, ...given, ...groupText(fileReadingSettings, reading) };
    if (!reading.asSimai) return { value, resolved };
    const { workload, passedOver } = asSimai(value, gpus);
    for (const message of passedOver) diagnostics.warning('workload-as-simai', path, { line: 1, column: 1 }, message);
    return { value: workload, resolved };
  });
}

/** The workload with as many GPUs as there are, if it does not say how many; null after an error. */
function fitted(workload: Workload, place: Place, site: WorkloadSite): Workload | null {
  const { block, gpus: hosts } = site;
  const isChosen = block.has('ranks');
  const groups = workload.groups.gpus === 0 ? { ...workload.groups, gpus: hosts } : workload.groups;
  const problem = groupProblem(groups);
  if (problem !== null) {
    errorAt(
      block.diagnostics,
      'workload-groups',
      place,
      `the workload does not fit ${isChosen ? 'its ranks' : 'the fabric'}: ${problem.message}`,
      { got: problem.got, wanted: problem.wanted },
    );
    return null;
  }
  if (groups.gpus > hosts) {
    tooManyGpus(groups, place, site);
    return null;
  }
  if (groups.gpus < hosts && isChosen) {
    block.error('ranks', 'workload-ranks', 'the workload has more ranks than GPUs', {
      got: `${hosts} ranks`,
      wanted: String(groups.gpus),
    });
    return null;
  }
  if (groups.gpus < hosts)
    warningAt(
      block.diagnostics,
      'workload-idle-gpus',
      place,
      `${hosts - groups.gpus} of the fabric's ${hosts} GPUs take no part in the workload`,
      { hint: 'ranks are the first hosts of the fabric', path: block.text() },
    );
  return { ...workload, groups };
}

/** More GPUs than there are: at a size that was written, with the others that make up their number. */
function tooManyGpus(groups: GroupSizes, place: Place, { block, form, gpus: hosts }: WorkloadSite): void {
  const { gpus, tensor, pipeline } = groups;
  const message = `the workload needs more GPUs than ${block.has('ranks') ? 'it has ranks' : 'the fabric has'}`;
  const factors = [
    { key: 'tensorParallel', value: tensor },
    { key: 'pipelineParallel', value: pipeline },
    { key: 'dataParallel', value: dataGroupSize(groups) },
  ];
  const key = form === 'file' ? null : writtenKey(block, ['dataParallel', 'tensorParallel', 'pipelineParallel']);
  if (key === null) {
    errorAt(block.diagnostics, 'workload-too-many-gpus', place, message, {
      got: String(gpus),
      wanted: `at most ${hosts}`,
    });
    return;
  }
  block.error(key, 'workload-too-many-gpus', message, {
    got: `${gpus} GPUs`,
    wanted: `at most ${hosts}`,
    hint: `they are ${productText(factors)}`,
  });
}
