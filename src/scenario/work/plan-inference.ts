// The `inference` block -> instances on hosts and requests with their times.
// Invariant: no host is in two instances; every pair that can send has a path, within its pin; no transfer is larger
// than one may be.

import { Section } from '../form/section.js';
import { readNamed } from '../form/named-file.js';
import type { Diagnostics } from '../../base/diagnostics.js';
import { RandomStream } from '../../base/random.js';
import type { SettingValues } from '../../base/settings.js';
import type { Fabric } from '../../fabric/fabric.js';
import { hostPairs } from '../../fabric/host-pairs.js';
import { parseHostList } from '../../fabric/rank-list.js';
import { arrivalTimes } from '../../flows/arrivals.js';
import { maxTransferBytes } from '../../flows/work-source.js';
import { readRequests, type RequestRows } from '../../formats/requests-csv.js';
import { type Inference, schedulePrefill, type Requests } from '../../inference/inference.js';
import { cacheBytesPerTokenAndLayer, decodeStepPs, prefillPs } from '../../inference/serving-times.js';
import { gpuOfType, gpus } from '../../workload/gpus.js';
import { knownModels } from '../../workload/known-models.js';
import { inferenceSettings } from '../form/inference-schema.js';
import type { InputFiles } from '../input-files.js';
import { errorAt } from '../form/located.js';
import type { Planned } from '../network/plan-fabric.js';
import { pinsAt, type PinTable } from '../network/plan-pins.js';
import { groupText, sizeText } from '../../base/quantity-text.js';
import type { Scenario } from '../form/read-scenario.js';

type Values = SettingValues<typeof inferenceSettings>;

/**
 * Prepares the inference of a scenario; null in it if there is none.
 * @param seed of the run @returns null after at least one error
 */
export async function planInference(
  scenario: Scenario,
  fabric: Fabric,
  pins: PinTable,
  seed: number,
  files: InputFiles,
  diagnostics: Diagnostics,
): Promise<Planned<Inference | null> | null> {
  const { root, faulty } = scenario;
  const block = new Section(root, ['inference'], diagnostics);
  if (!block.has()) return { value: null, resolved: {} };
  if (faulty.has('inference')) return null;
  const given = block.group(inferenceSettings);
  const values = {
    ...given,
    gpu: !block.has('gpu') ? (gpuOfType(fabric.gpuType) ?? given.gpu) : given.gpu,
  };
  const model = knownModels[values.model];
  const used = new Map<number, string>();
  const prefill = instances(block.top, 'prefill', values.tensorParallel, fabric, used);
  const decode = instances(block.top, 'decode', values.tensorParallel, fabric, used);
  const trafficClass = pins.classAt(block);
  const rows = block.word('trace') === undefined ? drawn(values, seed) : await fromFile(block, files);
  if (rows === null || prefill === null || decode === null || block.failed) return null;
  const layersPerTransfer =
    values.layersPerTransfer === 0 ? model.layerCount : Math.min(values.layersPerTransfer, model.layerCount);
  const gpu = gpus[values.gpu];
  const requests: Requests = {
    ...rows,
    count: rows.arrivalPs.length,
    prefillPs: rows.promptTokens.map((tokens) =>
      values.prefillTime > 0
        ? values.prefillTime
        : prefillPs(model, tokens, values.tensorParallel, gpu, values.efficiency),
    ),
  };
  const value: Inference = {
    requests,
    prefill,
    decode,
    railShift: values.placement === 'same-rail' ? 0 : 1 % values.tensorParallel,
    layerCount: model.layerCount,
    layersPerTransfer,
    cacheBytesPerTokenAndLayer: cacheBytesPerTokenAndLayer(model, values.tensorParallel),
    decodeStepPs: values.decodeStepTime > 0 ? values.decodeStepTime : decodeStepPs(model, values.tensorParallel, gpu),
    trafficClass,
  };
  checkTransfers(block.top, value, fabric, pins);
  checkTimes(block.top, value);
  if (block.failed) return null;
  const words = Object.fromEntries(
    ['prefill', 'decode', 'trace'].flatMap((name) =>
      block.word(name) === undefined ? [] : [[name, block.word(name)]],
    ),
  );
  return { value, resolved: { ...words, ...groupText(inferenceSettings, values), ...pinsAt(block) } };
}

function drawn({ requests, arrivals, interval, start, promptTokens, outputTokens }: Values, seed: number): RequestRows {
  return {
    arrivalPs: arrivalTimes(arrivals, requests, start, interval, new RandomStream(seed, 'requests')),
    promptTokens: new Float64Array(requests).fill(promptTokens),
    outputTokens: new Float64Array(requests).fill(outputTokens),
  };
}

function fromFile(block: Section, files: InputFiles): Promise<RequestRows | null> {
  const trace = block.word('trace')!;
  return readNamed(block.at('trace'), 'file of requests', async () =>
    readRequests(await files.readText('requests', trace), files.resolve(trace), block.diagnostics),
  );
}

/** The instances of a list of ranks. @param used what each rank is in already */
function instances(
  block: Section,
  name: 'prefill' | 'decode',
  ranks: number,
  fabric: Fabric,
  used: Map<number, string>,
): Int32Array[] | null {
  const { place } = block.node('inference', name)!;
  const list = parseHostList(block.word('inference', name)!, fabric);
  if (!(list instanceof Int32Array)) {
    errorAt(
      block.diagnostics,
      'inference-ranks',
      place,
      `inference.${name} is not a list of ranks of the fabric`,
      list,
    );
    return null;
  }
  if (list.length % ranks !== 0) {
    errorAt(
      block.diagnostics,
      'inference-ranks',
      place,
      `the ranks of inference.${name} cannot be divided into instances of ${ranks}`,
      {
        got: `${list.length} ranks`,
        wanted: `a multiple of ${ranks}`,
        hint: 'tensorParallel is the number of ranks of an instance',
      },
    );
    return null;
  }
  for (const rank of list) {
    if (used.has(rank)) {
      errorAt(block.diagnostics, 'inference-ranks', place, `rank ${rank} is in inference.${used.get(rank)!} already`, {
        wanted: 'a rank in one instance',
      });
      return null;
    }
    used.set(rank, name);
  }
  return Array.from({ length: list.length / ranks }, (_, i) =>
    list.slice(i * ranks, (i + 1) * ranks).map((rank) => fabric.hosts[rank]!),
  );
}

/** Every pair that a request may send between. */
function checkTransfers(block: Section, inference: Inference, fabric: Fabric, pins: PinTable): void {
  const { prefill, decode, railShift, trafficClass, requests } = inference;
  const connected = hostPairs(fabric);
  const place = block.keyPlace('inference');
  for (const from of prefill) {
    for (const to of decode) {
      for (const [p, source] of from.entries()) {
        const destination = to[(p + railShift) % to.length]!;
        const problem = !connected(source, destination)
          ? {
              message: `no path leads from host ${source} to host ${destination}`,
              wanted: 'hosts joined by links through switches',
            }
          : trafficClass > 0
            ? pins.problem(trafficClass, source, destination)
            : null;
        if (problem !== null)
          return errorAt(block.diagnostics, 'inference-path', place, problem.message, { wanted: problem.wanted });
      }
    }
  }
  const tokens = requests.promptTokens.reduce((most, count) => Math.max(most, count), 0);
  const largest = tokens * inference.cacheBytesPerTokenAndLayer * inference.layersPerTransfer;
  if (largest > maxTransferBytes)
    errorAt(
      block.diagnostics,
      'inference-too-large',
      place,
      `the keys and values of ${tokens} tokens are larger than a transfer may be`,
      {
        got: sizeText(largest),
        wanted: `at most ${sizeText(maxTransferBytes)}`,
        hint: 'layersPerTransfer divides them',
      },
    );
}

function checkTimes(block: Section, inference: Inference): void {
  const { requests, decodeStepPs: stepPs } = inference;
  const { startPs } = schedulePrefill(requests, inference.prefill.length);
  const endPs = startPs.reduce(
    (last, fromPs, i) => Math.max(last, fromPs + requests.prefillPs[i]! + requests.outputTokens[i]! * stepPs),
    0,
  );
  if (endPs > Number.MAX_SAFE_INTEGER / 2)
    block.keyError('inference', 'inference-too-long', 'the requests take longer than a simulation may', {
      got: `${Math.round(endPs / 1e12)} s without transfers`,
      wanted: 'at most 4500 s',
      hint: 'fewer requests or tokens, or more instances',
    });
}
