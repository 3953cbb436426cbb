// Solutions that one search hands to another while that runs, in memory that both threads see: the newest one, and how
// many there were.
// Source: Taffet's dissertation (docs/SOURCES.md), section 3.4 (a POSIX shared memory object there). Invariant: one
// side offers, one side takes; a solution that is being written is not taken.

/** Numbers before the values: of solutions begun and of solutions complete. */
const headBytes = 8;

export class OfferedSolutions {
  private taken = 0;
  private readonly begun: Int32Array;
  private readonly values: Float64Array;

  /** @param memory shared between both sides; of `OfferedSolutions.memory` */
  constructor(memory: SharedArrayBuffer) {
    this.begun = new Int32Array(memory, 0, 2);
    this.values = new Float64Array(memory, headBytes);
  }

  /** Memory for solutions of as many variables. */
  static memory(variables: number): SharedArrayBuffer {
    return new SharedArrayBuffer(headBytes + 8 * variables);
  }

  /** Hands over a solution. */
  offer(values: Float64Array): void {
    Atomics.add(this.begun, 0, 1);
    this.values.set(values);
    Atomics.store(this.begun, 1, Atomics.load(this.begun, 0));
  }

  /** The newest solution, a copy; null if there is none that was not taken yet. */
  take(): Float64Array | null {
    const complete = Atomics.load(this.begun, 1);
    if (complete === this.taken) return null;
    const copy = this.values.slice();
    if (Atomics.load(this.begun, 0) !== complete) return null;
    this.taken = complete;
    return copy;
  }
}
