// Flows of a run as a diagnosis takes them, in columns: who sent to whom, when, over which links.

/** Finished flows; the links of flow i are the entries from offsets[i] to offsets[i + 1] - 1, the sender's own first. */
export interface ObservedFlows {
  readonly count: number;
  /** nodes */
  readonly source: Int32Array;
  readonly destination: Int32Array;
  readonly startPs: Float64Array;
  readonly finishPs: Float64Array;
  /** what it takes alone, at the rates that its links have; 0: not known */
  readonly idealPs: Float64Array;
  /** with headers and gaps, as it takes time on links */
  readonly wireBytes: Float64Array;
  /** number of its job among the run's, -1: of none */
  readonly job: Int32Array;
  /** ranks of its job, -1: not known */
  readonly sourceRank: Int32Array;
  readonly destinationRank: Int32Array;
  /** number of its phase in the job, -1: not known */
  readonly phase: Int32Array;
  readonly offsets: Int32Array;
  /** by entry: output port, its place on the way from 0, and the share of the flow that takes it */
  readonly ports: Int32Array;
  readonly places: Uint8Array;
  readonly shares: Float32Array;
}
