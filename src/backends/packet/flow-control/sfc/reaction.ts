// What happens at a reaction point when a message has arrived and its reaction time is over: one interface, an
// implementation for each `sfc.reaction`.

import type { PauseWatcher } from '../../plug-ins.js';
import type { FlowControlParts } from '../../parts.js';
import { queuesPerPort } from '../../ports.js';
import type { SfcMessages } from './sfc-messages.js';

/** What counts pauses. */
export interface PauseCounts {
  begun: number;
  /** ended before their time, by a message or a failed link */
  resumed: number;
  ended: number;
}

export interface Standing {
  /** that hold now, and of those such as should have ended */
  readonly pauses: number;
  readonly overdue: number;
  /** packets that are held back in switches */
  readonly packets: number;
}

export interface Reaction {
  readonly counts: PauseCounts;
  /** what it adds to the counters of the run */
  readonly counters: Readonly<Record<string, number>>;
  /** The node that a message about a flow goes to. @param hostPort by which the flow leaves its host */
  placeOf(hostPort: number): number;
  /** Obeys a message. */
  act(message: number): void;
  /** A frame of its own has arrived at a port, or is lost. */
  frameArrived?(frame: number, port: number): void;
  frameLost?(frame: number): void;
  linkWentDown?(port: number): void;
  standing(): Standing;
}

export interface ReactionParts extends FlowControlParts {
  readonly messages: SfcMessages;
}

/**
 * Tells a watcher of pauses, which may be nobody, that a host is paused: as if the port of its edge switch had paused
 * it because of the congested output port, wherever that is.
 * @returns the number of the pause there; -1 if there is none
 */
export function tellOfPause(
  watcher: PauseWatcher | null,
  parts: Pick<FlowControlParts, 'fabric' | 'clock'>,
  hostPort: number,
  egress: number,
  queue: number,
): number {
  if (watcher === null) return -1;
  return watcher.beganElsewhere(parts.clock.nowPs, parts.fabric.portPeer[hostPort]!, egress, queue);
}

/** Bits of the priorities of a port that a run uses and that can be paused. */
export function pausableQueues({ settings }: Pick<FlowControlParts, 'settings'>): number {
  const { priority, acknowledgementPriority } = settings.queuePair;
  return ((1 << priority) | (1 << acknowledgementPriority)) & ((1 << queuesPerPort) - 2);
}
