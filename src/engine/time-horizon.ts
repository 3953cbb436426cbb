// How far simulated time may go: to 2^53 ps, about 2.5 hours, beyond which times in float64 are no longer whole
// picoseconds.
// Invariant: no network carries out an event later than that; a run that would ends with an error, which only running
// it could show.

import { InputError, wholeFile } from '../base/diagnostics.js';
import { maxTimePs } from '../base/units.js';

/** @param timePs of the next event @throws InputError if it lies beyond */
export function checkHorizon(timePs: number): void {
  if (timePs > maxTimePs) throw beyondTime();
}

function beyondTime(): InputError {
  return InputError.at(
    'time-horizon',
    'scenario',
    wholeFile,
    'the simulation passes 2^53 ps, about 2.5 hours of simulated time',
    { wanted: 'traffic that ends before', hint: 'let the trace start at 0, cut it, or lower sendLatency' },
  );
}
