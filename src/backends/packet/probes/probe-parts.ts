// What probes look at and where they write.

import type { Frontier } from '../../../execution/frontier.js';
import type { Fabric } from '../../../fabric/fabric.js';
import type { RecordSink } from '../../../records/schema.js';
import type { Clock } from '../../../engine/event-wheel.js';
import type { Ports } from '../ports.js';
import type { QueuePairs } from '../queue-pairs.js';
import type { PacketSettings } from '../settings.js';

export interface ProbeParts {
  readonly fabric: Fabric;
  readonly settings: PacketSettings;
  readonly clock: Clock;
  readonly ports: Ports;
  readonly pairs: QueuePairs;
  /** the flows that own the queue pairs' slots, once the network has its driver */
  readonly frontier: () => Frontier;
  readonly sink: RecordSink;
}
