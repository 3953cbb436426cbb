// What was worked out for transfers of a size from one node to another, remembered: two figures each. Collectives
// within servers ask for the same ones millions of times.
// Invariant: what is found is what was kept last for that pair and size; a later one may take its place, and then
// nothing is found. Memory is the same however many there are.

const places = 2 ** 16;

export class PairMemory {
  /** what was found */
  first = 0;
  second = 0;
  private readonly source = new Int32Array(places).fill(-1);
  private readonly destination = new Int32Array(places);
  private readonly sizeBytes = new Float64Array(places);
  private readonly firsts = new Float64Array(places);
  private readonly seconds = new Float64Array(places);

  /** Looks for a pair and a size. @returns true if both figures are known: they are in `first` and `second` */
  finds(source: number, destination: number, sizeBytes: number): boolean {
    const at = placeOf(source, destination, sizeBytes);
    if (this.source[at] !== source || this.destination[at] !== destination || this.sizeBytes[at] !== sizeBytes)
      return false;
    this.first = this.firsts[at]!;
    this.second = this.seconds[at]!;
    return true;
  }

  keep(source: number, destination: number, sizeBytes: number, first: number, second: number): void {
    const at = placeOf(source, destination, sizeBytes);
    this.source[at] = source;
    this.destination[at] = destination;
    this.sizeBytes[at] = sizeBytes;
    this.firsts[at] = first;
    this.seconds[at] = second;
  }

  /** Forgets everything. */
  clear(): void {
    this.source.fill(-1);
  }
}

function placeOf(source: number, destination: number, sizeBytes: number): number {
  const pair = Math.imul(source, 0x9e3779b1) ^ destination;
  return Math.imul(Math.imul(pair, 0x85ebca6b) ^ sizeBytes, 0x9e3779b1) >>> 16;
}
