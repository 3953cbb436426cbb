// What a scenario says of losses beside the settings of loss models: places, and what a file names.
// Invariant: rates by port are above 0 exactly where packets may be lost.

/** Packets of a flow that are lost at a switch: those that hold any of these bytes, once for each range. */
export interface SequenceDrops {
  readonly node: number;
  readonly source: number;
  readonly flow: number;
  /** bytes of the flow, both ends included */
  readonly ranges: readonly { readonly from: number; readonly to: number }[];
}

/** The next packets of a flow that come into a switch from a time on. */
export interface TimeDrops {
  readonly node: number;
  readonly source: number;
  readonly flow: number;
  readonly fromPs: number;
  readonly count: number;
}

export interface LossPlan {
  /** by port, share of lost packets; null: `loss.rate` at the ports of `loss.at` */
  readonly rates: Float64Array | null;
  readonly sequences: readonly SequenceDrops[];
  readonly times: readonly TimeDrops[];
  /** a byte for each packet, 1 if it is lost */
  readonly pattern: Uint8Array | null;
}

/** Nothing but the settings. */
export const noLossPlan: LossPlan = { rates: null, sequences: [], times: [], pattern: null };
