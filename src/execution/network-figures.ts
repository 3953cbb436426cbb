// What a network can tell of itself when a run has ended, beside its counters: plain figures, for whoever reports them.

import type { CompletionStatistics } from '../measurement/completion.js';
import type { SamplingSummary } from '../sampling/packet-sampler.js';

/** A queue that stayed below its threshold, beside it. */
export interface UnmarkedQueue {
  /** of its port, in bit/s */
  readonly rateBps: number;
  /** packets are marked above it, in bytes */
  readonly thresholdBytes: number;
  /** most bytes that a packet left behind */
  readonly longestQueueBytes: number;
}

/** Why no packet was marked: the queue that came closest, and what a window lets a queue pair have in flight. */
export interface Unmarked extends UnmarkedQueue {
  /** bytes of payload, of the largest window; null: no limit */
  readonly windowBytes: number | null;
}

/** What one cause did to one priority of a host. */
export interface HostPause {
  /** node id */
  readonly host: number;
  readonly priority: number;
  /** frames or messages that paused it, repeated ones included */
  readonly frames: number;
  /** picoseconds in which something of it stood still, up to the end of the run */
  readonly pausedPs: number;
  /** the flow control, by its name in the scenario */
  readonly cause: string;
}

/** An output queue that pauses go back to. */
export interface CongestionPoint {
  readonly node: number;
  /** its port, from 1 in the order of the node's links */
  readonly interface: number;
  /** the same by the name of the node, such as `leaf[2]:9` */
  readonly name: string;
  readonly priority: number;
  /** pauses in its trees, and the trees: pauses that it caused itself */
  readonly pauses: number;
  readonly roots: number;
  /** most pauses on a way from a root, which counts, to a leaf */
  readonly depth: number;
  /** sum over its pauses of the time from pause to resume, in picoseconds */
  readonly pausedPs: number;
  /** hosts that were paused */
  readonly hosts: number;
}

/** The pauses of a run by their causes. */
export interface PauseCauses {
  /** pauses that are kept, and pauses beyond them that were only counted */
  readonly pauses: number;
  readonly beyond: number;
  readonly congestionPoints: number;
  /** the congestion points with most pauses */
  readonly largest: readonly CongestionPoint[];
}

export type WatchdogAction = 'drop' | 'forward' | 'alert';

/** A storm of pauses at an output port of a switch. */
export interface PauseStorm {
  readonly node: number;
  /** from 1 in the order of the node's links */
  readonly interface: number;
  /** such as `leaf[2]:9` */
  readonly name: string;
  readonly priority: number;
  readonly detectedPs: number;
  /** null: it had not ended when the run did */
  readonly restoredPs: number | null;
  readonly packetsDropped: number;
}

/** What the watchdog over paused ports did. */
export interface WatchdogFigures {
  readonly action: WatchdogAction;
  readonly storms: number;
  readonly packetsDropped: number;
  /** the first of them, in order of their detection */
  readonly first: readonly PauseStorm[];
}

/** How many packets took how long: the percentiles are at most 1/32 too long. */
export interface LatencyStatistics extends CompletionStatistics {
  readonly packets: number;
}

/** What was recorded of a run beside flows and paths: by probes and in packets. */
export interface ProbeSummary {
  /** rows of each table */
  readonly tables: readonly { readonly name: string; readonly rows: number }[];
  /** null unless packet latencies were asked for */
  readonly latency: LatencyStatistics | null;
  /** null unless pauses were asked for */
  readonly pauses: PauseCauses | null;
  /** null unless packets carried samples */
  readonly sampling: Omit<SamplingSummary, 'tables'> | null;
}
