// The form of the `inference` block of a scenario: prefill and decode instances, requests, and how keys and values
// move. One catalogue of settings; schema.ts says how they become zod schemas and JSON Schema.

import * as z from 'zod';
import { count, fraction, time, choice, type SettingGroup } from '../../base/settings.js';
import { maxNodes } from '../../fabric/fabric.js';
import { arrivalPatterns } from '../../flows/arrivals.js';
import { maxRequests, maxTokens } from '../../formats/requests-csv.js';
import { knownModelNames } from '../../workload/known-models.js';
import { trainingSettings } from '../../workload/training-settings.js';
import { pinSettings } from '../network/plan-pins.js';
import { hostList, leaves, leavesWithoutDefault, word } from './setting-schema.js';

export const inferenceSettings = {
  model: choice(
    knownModelNames,
    'llama3-70b',
    'model that is served: its shape gives operations, and bytes of keys and values',
  ),
  tensorParallel: count(8, 'ranks of an instance, of prefill and of decode', { minimum: 1, maximum: maxNodes }),
  placement: choice(
    ['same-rail', 'cross-rail'],
    'same-rail',
    'rank p of a prefill instance sends to rank p of the decode instance, or to rank p + 1 (the last to the first)',
  ),
  layersPerTransfer: count(
    0,
    'keys and values of so many layers go as soon as the last of them is computed, beside the rest of the prefill; 0: all go when the prefill has ended',
    { minimum: 0, maximum: 10_000 },
  ),
  requests: count(16, 'how many requests', { minimum: 1, maximum: maxRequests }),
  arrivals: choice(arrivalPatterns, 'poisson', 'times between two requests: exponentially distributed, or all alike'),
  interval: time('100ms', 'mean time between two requests'),
  start: time('0us', 'when requests begin to come'),
  promptTokens: count(2048, 'tokens of a prompt', { minimum: 1, maximum: maxTokens }),
  outputTokens: count(128, 'tokens that decode makes of a request', { minimum: 1, maximum: maxTokens }),
  prefillTime: time(
    '0us',
    "time of a prompt on an instance, whatever its tokens; 0: from operations and the GPU's rate",
  ),
  decodeStepTime: time('0us', "time of a step of decode; 0: reading the weights from the GPU's memory"),
  gpu: trainingSettings.gpu,
  efficiency: fraction(0.5, "share of the GPU's peak that a prefill reaches", { minimum: 0.01 }),
} as const satisfies SettingGroup;

/** What the lists of ranks are, and the file of requests: text. */
export const inferenceWords = {
  prefill: 'ranks that run prompts, instance after instance, such as 0-15',
  decode: 'ranks that make tokens, instance after instance, such as 16-31',
  trace:
    'requests from a file (CSV: arrival_ns,prompt_tokens,output_tokens), relative to the scenario, in place of those drawn',
} as const;

export const inferenceBlock = z
  .strictObject({
    prefill: hostList(inferenceWords.prefill, 'ranks, such as 0-15 or 0,8,16'),
    decode: hostList(inferenceWords.decode, 'ranks, such as 16-31 or 1,9,17'),
    trace: word(inferenceWords.trace, 'a path').optional(),
    ...leaves(inferenceSettings),
    ...leavesWithoutDefault(pinSettings),
  })
  .meta({
    title: 'prefill-decode disaggregated inference',
    description: 'Requests that are prefilled on some ranks and decoded on others; keys and values go between them',
  });
