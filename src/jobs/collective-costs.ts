// What the scheduler of jobs asks of the analytical backend: how long things take if nothing else is under way.

import type { CollectiveRequest } from '../collectives/build-schedule.js';
import type { Communicator } from '../collectives/communicator.js';
import type { Choice } from '../collectives/selection.js';

export interface CollectiveCosts {
  /** From the start of a collective's last rank to its end, in picoseconds. */
  costPs(request: CollectiveRequest, choice: Choice, communicator: Communicator): number;
  /** From the start of a transfer between two nodes to its last acknowledgement, in picoseconds. */
  transferPs(sourceNode: number, destinationNode: number, sizeBytes: number): number;
}
