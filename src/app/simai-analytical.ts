// SimAI's analytical program: a workload file and the bandwidths of servers -> what an iteration comes to, in SimAI's
// own terms. No topology, no conf, nothing simulated.
// Invariant: everything that cannot be costed is an error before anything is written; what SimAI passes over of the
// file is a warning.
// Source: SimAI 1.6 (docs/models/simai.md#analytical-backend).

import { Diagnostics, wholeFile, type Diagnostic } from '../base/diagnostics.js';
import type { Host } from '../base/host.js';
import { bandwidths } from '../collectives/bus-bandwidth.js';
import type { ParallelSizes } from '../collectives/parallel-groups.js';
import { givenBusbwCosts, ranksOfGroup, simaiBusbwCosts, type BusbwServer } from '../collectives/simai-busbw.js';
import { readBusbwFile } from '../formats/simai-busbw.js';
import type { EndToEnd, EndToEndPass } from '../formats/simai-end-to-end.js';
import { readSimaiWorkload } from '../formats/simai-workload.js';
import {
  busbwIteration,
  type BusbwIteration,
  type BusbwPass,
  type BusbwProblem,
  type Overlaps,
} from '../jobs/busbw-iteration.js';
import { groupProblem, parallelSizes } from '../workload/group-sizes.js';
import type { Workload } from '../workload/workload.js';

export interface AnalyticalRequest {
  /** path of the workload file, relative to where the user stands */
  readonly workload: string;
  readonly gpus: number;
  readonly bandwidths: { readonly server: BusbwServer } | { readonly file: string };
  readonly overlaps: Overlaps;
  /** the name of the run in the results */
  readonly name: string;
}

export interface AnalyticalResult {
  readonly sizes: ParallelSizes;
  readonly iteration: BusbwIteration;
  readonly endToEnd: EndToEnd;
  readonly warnings: readonly Diagnostic[];
}

/** Reads the inputs and adds the iteration up. @throws InputError, HostFileError */
export async function simaiAnalytical(request: AnalyticalRequest, host: Host): Promise<AnalyticalResult> {
  const diagnostics = new Diagnostics();
  const text = await host.readText(request.workload);
  const read = readSimaiWorkload(text, request.workload, diagnostics);
  const given =
    'file' in request.bandwidths
      ? readBusbwFile(await host.readText(request.bandwidths.file), request.bandwidths.file, diagnostics)
      : null;
  diagnostics.throwIfErrors();
  const workload = withGpus(read!, request, diagnostics);
  const stageGBps = given === null ? request.overlaps.pipeline : given.stageGBps;
  if (stageGBps === null && workload.stageTransferBytes > 0)
    diagnostics.error(
      'busbw-missing',
      (request.bandwidths as { file: string }).file,
      wholeFile,
      'the file has no bandwidth between pipeline stages',
      {
        wanted: 'a section PP: with busbw: GB/s',
        hint: `${request.workload} has pp_comm ${workload.stageTransferBytes}`,
      },
    );
  diagnostics.throwIfErrors();
  const sizes = parallelSizes(workload.groups);
  const costs =
    given === null
      ? simaiBusbwCosts(sizes, (request.bandwidths as { server: BusbwServer }).server)
      : givenBusbwCosts(sizes, given.bandwidthOf);
  const problems: BusbwProblem[] = [];
  const iteration = busbwIteration(workload, costs, request.overlaps, stageGBps ?? 1, problems);
  for (const { layer, pass, message } of problems)
    diagnostics.error('busbw-cost', request.workload, wholeFile, `${pass} of layer ${layer}: ${message}`);
  diagnostics.throwIfErrors();
  return { sizes, iteration, endToEnd: endToEndOf(iteration, sizes, request.name), warnings: diagnostics.warnings };
}

/** SimAI divides the GPUs of its command line, whatever the file says. */
function withGpus(workload: Workload, { gpus, workload: path }: AnalyticalRequest, diagnostics: Diagnostics): Workload {
  const groups = { ...workload.groups, gpus };
  if (workload.groups.gpus !== 0 && workload.groups.gpus !== gpus)
    diagnostics.warning(
      'workload-as-simai',
      path,
      { line: 1, column: 1 },
      `all_gpus ${workload.groups.gpus} is passed over, as SimAI does: -g says ${gpus}`,
    );
  const problem = groupProblem(groups);
  if (problem !== null)
    diagnostics.error('workload-groups', '--gpus', wholeFile, problem.message, {
      got: problem.got,
      wanted: problem.wanted,
    });
  return { ...workload, groups };
}

function us(ns: number): number {
  return ns / 1000;
}

function endToEndOf(iteration: BusbwIteration, sizes: ParallelSizes, run: string): EndToEnd {
  const { exposedNs, layers, computeNs, pipelineNs, bubbleNs, totalNs } = iteration;
  return {
    run,
    exposedUs: {
      DP: us(exposedNs.dp),
      DP_EP: us(exposedNs.dp_ep),
      TP: us(exposedNs.tp),
      EP: us(exposedNs.ep),
      PP: us(pipelineNs),
    },
    bubbleUs: us(bubbleNs),
    layers: layers.map(({ name, forward, weightGradient, inputGradient }) => ({
      name: name.replaceAll(',', '_'),
      forward: passOf(forward, sizes),
      weightGradient: passOf(weightGradient, sizes),
      inputGradient: passOf(inputGradient, sizes),
      finishedUs: us(totalNs),
    })),
    totalExposedUs: us(exposedNs.dp + exposedNs.dp_ep + exposedNs.tp + exposedNs.ep),
    totalComputeUs: us(computeNs),
    totalUs: us(totalNs),
  };
}

function passOf({ computeNs, exposedNs, communicationNs, collective }: BusbwPass, sizes: ParallelSizes): EndToEndPass {
  const reached =
    collective === null
      ? { algorithmBandwidth: 0, busBandwidth: 0 }
      : bandwidths(
          collective.kind,
          ranksOfGroup(collective.group, sizes),
          collective.sizeBytes,
          communicationNs * 1000,
        );
  return {
    computeUs: computeNs / 1000,
    exposedUs: exposedNs / 1000,
    communicationUs: communicationNs / 1000,
    algorithmBandwidth: reached.algorithmBandwidth / 2 ** 30,
    busBandwidth: reached.busBandwidth / 2 ** 30,
  };
}
