// How many collectives an actor has started for a layer, to be waited for later, that are not over.
// Invariant: nothing is kept of a layer without any.

export class StartedCollectives {
  /** by actor x layers + layer */
  private readonly counts = new Map<number, number>();

  constructor(private readonly layers: number) {}

  add(actor: number, layer: number): void {
    const key = actor * this.layers + layer;
    this.counts.set(key, (this.counts.get(key) ?? 0) + 1);
  }

  /** One of them is over. @returns how many are left */
  over(actor: number, layer: number): number {
    const key = actor * this.layers + layer;
    const left = this.counts.get(key)! - 1;
    if (left > 0) this.counts.set(key, left);
    else this.counts.delete(key);
    return left;
  }

  has(actor: number, layer: number): boolean {
    return this.counts.has(actor * this.layers + layer);
  }
}
