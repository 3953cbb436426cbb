// What probes look at and where they write.

import type { Frontier } from '../../../execution/frontier.js';
import type { Fabric } from '../../../fabric/fabric.js';
import type { RecordSink } from '../../../records/schema.js';
import type { Ports } from '../ports.js';
import type { QueuePairs } from '../queue-pairs.js';
import type { PacketSettings } from '../settings.js';

export interface ProbeParts {
  readonly fabric: Fabric;
  readonly settings: PacketSettings;
  readonly ports: Ports;
  readonly pairs: QueuePairs;
  /** the flows that own the queue pairs' slots */
  readonly frontier: Frontier;
  readonly sink: RecordSink;
}
