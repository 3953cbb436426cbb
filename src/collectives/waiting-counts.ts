// How many arrivals a move still waits for, for the moves of which some prerequisites have arrived and others have not.
// Moves with one prerequisite never stand here. With each stands a time that whoever counts may note: since when its
// data is there.
// A hash table with linear probing in three columns: move numbers exceed 31 bits, and nothing is allocated per move.
// Invariant: at most half of the table is used; no free entry stands between a move's home and its place.

const free = -1;
/** of a new table, a power of two: there is one per collective under way */
const leastPlaces = 8;

export class WaitingCounts {
  /** moves that stand in the table */
  size = 0;
  private moves = new Float64Array(leastPlaces).fill(free);
  private counts = new Int32Array(leastPlaces);
  private times = new Float64Array(leastPlaces);
  /** the latest time noted for the move whose last prerequisite `arrived` has just told of; 0: none */
  notedPs = 0;
  private mask = leastPlaces - 1;

  /**
   * One of a move's prerequisites has arrived.
   * @param prerequisites how many it has
   * @param notePs a time to remember until the last one, the latest if there are several
   * @returns true if it was the last one
   */
  arrived(move: number, prerequisites: number, notePs = 0): boolean {
    if (prerequisites === 1) {
      this.notedPs = notePs;
      return true;
    }
    let at = this.home(move);
    while (this.moves[at] !== free) {
      if (this.moves[at] === move) {
        if (notePs > this.times[at]!) this.times[at] = notePs;
        if (--this.counts[at]! > 0) return false;
        this.notedPs = this.times[at]!;
        this.remove(at);
        return true;
      }
      at = (at + 1) & this.mask;
    }
    this.moves[at] = move;
    this.counts[at] = prerequisites - 1;
    this.times[at] = notePs;
    if (2 * ++this.size > this.mask) this.grow();
    return false;
  }

  private home(move: number): number {
    const high = Math.floor(move / 4294967296);
    const mixed = Math.imul((move | 0) ^ Math.imul(high, 0x85ebca6b), 0x9e3779b1);
    return (mixed ^ (mixed >>> 15)) & this.mask;
  }

  /** Frees an entry and moves those behind it up, so that no search stops too early. */
  private remove(at: number): void {
    const { moves, counts, times, mask } = this;
    let gap = at;
    for (let next = (gap + 1) & mask; moves[next] !== free; next = (next + 1) & mask) {
      // it may fill the gap if its home is not behind the gap
      if (((next - this.home(moves[next]!)) & mask) < ((next - gap) & mask)) continue;
      moves[gap] = moves[next]!;
      counts[gap] = counts[next]!;
      times[gap] = times[next]!;
      gap = next;
    }
    moves[gap] = free;
    this.size--;
  }

  private grow(): void {
    const { moves, counts, times } = this;
    this.mask = 2 * moves.length - 1;
    this.moves = new Float64Array(2 * moves.length).fill(free);
    this.counts = new Int32Array(2 * moves.length);
    this.times = new Float64Array(2 * moves.length);
    moves.forEach((move, i) => {
      if (move === free) return;
      let at = this.home(move);
      while (this.moves[at] !== free) at = (at + 1) & this.mask;
      this.moves[at] = move;
      this.counts[at] = counts[i]!;
      this.times[at] = times[i]!;
    });
  }
}
