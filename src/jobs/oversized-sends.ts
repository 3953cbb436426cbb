// What of a workload is larger than may be sent: no transfer of a collective exceeds the largest, whatever its algorithm.

import { maxCollectiveBytes } from '../collectives/collective-run.js';
import { maxTransferBytes } from '../flows/work-source.js';
import { passNames } from '../workload/policies.js';
import type { Workload } from '../workload/workload.js';

/** Something that is too large. */
export interface OversizedSend {
  /** who sends it, in a sentence without its end */
  readonly message: string;
  readonly sizeBytes: number;
  readonly mostBytes: number;
}

/** The first collective of each pass that is too large, and what a pipeline stage sends to the next, if that is; none: all can run. */
export function oversizedSends({ layers, groups, stageTransferBytes }: Workload): OversizedSend[] {
  const found = passNames.flatMap((pass): OversizedSend[] => {
    const layer = layers[pass].sizeBytes.findIndex((sizeBytes) => sizeBytes > maxCollectiveBytes);
    if (layer < 0) return [];
    const message = `layer ${layers.name[layer]!} has a collective above the largest size`;
    return [{ message, sizeBytes: layers[pass].sizeBytes[layer]!, mostBytes: maxCollectiveBytes }];
  });
  if (groups.pipeline > 1 && stageTransferBytes > maxTransferBytes)
    found.push({
      message: 'what a pipeline stage sends to the next is above the largest size of a transfer',
      sizeBytes: stageTransferBytes,
      mostBytes: maxTransferBytes,
    });
  return found;
}
