// Two times that partly hide each other: the latencies along a collective's longest way, and the bytes of the other
// channels that use the same links. While a channel waits for a latency others send, but not always: channels that
// began together get in each other's way until they have drifted apart.
// Invariant: not below the longer of the two, not above their sum.
// Source: none; the root of the sum of squares is an interpolation between those bounds, which the other backends
// confirm (docs/models/backends-agree.md). Not modelled: how channels drift apart.

/** Time that two parts take together of which one may hide the other, in picoseconds. */
export function overlappedPs(latencyPs: number, bytesPs: number): number {
  return Math.sqrt(latencyPs * latencyPs + bytesPs * bytesPs);
}
