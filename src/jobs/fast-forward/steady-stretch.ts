// A steady stretch: nobody comes to anything, and the collectives that are under way share links at rates that do not
// change. What a stretch would bring is worked out from the rates of the last transfers in place of simulating it.
// Invariants: the rates of all together stay what they were; when a collective is over, the others take up its rate in
// proportion to theirs; no more than the share asked for is left out.
// Source: processor sharing with weights (Kleinrock, Queueing Systems II, 4.4), weights as measured. Not modelled:
// rates that the number of collectives changes; ranks of a collective that are done at different times.

/** A collective in a stretch, before and after. */
export interface Sharer {
  /** bytes that it has to send, at the beginning */
  readonly leftBytes: number;
  /** bytes per picosecond, as measured; above 0 */
  readonly rate: number;
}

export interface Stretch {
  readonly lengthPs: number;
  /** by sharer: when it is over, from the beginning of the stretch; -1: it is not */
  readonly endsPs: Float64Array;
  /** by sharer: bytes that it has to send, at the end */
  readonly leftBytes: Float64Array;
}

/** A stretch in which a share of all that is left is sent. @param share 0 to 1 */
export function steadyStretch(sharers: readonly Sharer[], share: number): Stretch {
  const { length } = sharers;
  const order = Array.from({ length }, (_, i) => i).sort(
    (a, b) => sharers[a]!.leftBytes / sharers[a]!.rate - sharers[b]!.leftBytes / sharers[b]!.rate,
  );
  const together = sharers.reduce((sum, { rate }) => sum + rate, 0);
  let toSend = share * sharers.reduce((sum, { leftBytes }) => sum + leftBytes, 0);
  const endsPs = new Float64Array(length).fill(-1);
  // what a sharer has sent is its rate times `virtualPs`, which passes faster the fewer there are
  let virtualPs = 0;
  let lengthPs = 0;
  let sharing = together;
  for (const i of order) {
    const { leftBytes, rate } = sharers[i]!;
    const bytes = (leftBytes / rate - virtualPs) * sharing;
    if (bytes > toSend) break;
    toSend -= bytes;
    lengthPs += bytes / together;
    virtualPs = leftBytes / rate;
    endsPs[i] = lengthPs;
    sharing -= rate;
  }
  if (endsPs.includes(-1)) {
    lengthPs += toSend / together;
    virtualPs += toSend / sharing;
  }
  return {
    lengthPs,
    endsPs,
    leftBytes: Float64Array.from(sharers, ({ leftBytes, rate }, i) =>
      endsPs[i]! >= 0 ? 0 : leftBytes - rate * virtualPs,
    ),
  };
}
