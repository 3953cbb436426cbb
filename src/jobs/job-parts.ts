// What all jobs of a run share: the fabric, how collectives are done, who owns which transfer, and where records go.

import type { NetworkTimes } from '../collectives/stream-lead.js';
import type { Fabric } from '../fabric/fabric.js';
import type { TransferSink } from '../flows/work-source.js';
import type { EqualCostRoutes } from '../routing/equal-cost.js';
import type { CollectiveCosts } from './collective-costs.js';
import type { CollectiveSettings } from './job.js';
import type { FastForwardSettings } from './fast-forward/replay-events.js';
import type { JobRecorder } from './job-recorder.js';
import type { TransferOwners } from './transfer-owners.js';

/** What all jobs of a run share. */
export interface JobParts {
  readonly fabric: Fabric;
  readonly settings: CollectiveSettings;
  readonly owners: TransferOwners<TransferOwner>;
  readonly recorder: JobRecorder | null;
  /**
   * given: nothing is sent, collectives take what their closed forms say, and the first rank of a stage stands for all
   * of its ranks
   */
  readonly costs: CollectiveCosts | null;
  /** given: collectives that can be streams (collectives/streams.ts) are */
  readonly streams: NetworkTimes | null;
  /** given: collectives that repeat are replayed, on a network with these routes; left out: all are sent */
  readonly fastForward?: { readonly settings: FastForwardSettings; readonly routes: EqualCostRoutes } | null;
}

/** What a transfer belongs to. */
export interface TransferOwner {
  /** number of the job */
  readonly job: number;
  /** what it is for, as in the table of collectives: pass, collective (0: a message), kind of the group */
  readonly pass: number;
  readonly collective: number;
  readonly group: number;
  finished(id: number, nowPs: number, sink: TransferSink): void;
  /** All bytes of the transfer have left. Left out: of no interest. */
  sent?(id: number, nowPs: number, sink: TransferSink): void;
}
