// What computation loses while collectives run beside it: they take multiprocessors and memory bandwidth from it.
// Invariant: an actor loses nothing while it waits, and counts a time once, however many collectives are under way.
// Source: computation beside communication takes 18.9 % longer on average, of GPT and LLaMA models on four A100, H100,
// MI210 and MI250 ("Characterizing Compute-Communication Overlap in GPU-Accelerated Distributed Deep Learning",
// arXiv:2507.03114). Decisions: what was lost is made up for by the actor's next computation.
// Not modelled: that it depends on the kernels and on the channels of the collective (1 to 40 % there), and that
// communication is slower too.

/** Of a time beside collectives, the part that is lost. @param slowdown how much longer computation takes, 0.189 for 18.9 % */
export function slowedShare(slowdown: number): number {
  return 1 - 1 / (1 + slowdown);
}

export class OverlapSlowdown {
  /** of an overlapped time, the part that is lost */
  private readonly share: number;
  /** by actor: collectives under way that it does not wait for, since when, and what it had computed then */
  private readonly active: Int32Array;
  private readonly sincePs: Float64Array;
  private readonly computedPs: Float64Array;
  private readonly owedPs: Float64Array;

  /** @param slowdown how much longer computation takes: 0.189 for 18.9 %; 0: none */
  constructor(actors: number, slowdown: number) {
    this.share = slowedShare(slowdown);
    this.active = new Int32Array(actors);
    this.sincePs = new Float64Array(actors);
    this.computedPs = new Float64Array(actors);
    this.owedPs = new Float64Array(actors);
  }

  /** An actor has started a collective and goes on. @param computedPs what it has computed until now */
  began(actor: number, nowPs: number, computedPs: number): void {
    if (this.active[actor]!++ > 0) return;
    this.sincePs[actor] = nowPs;
    this.computedPs[actor] = computedPs;
  }

  /** Such a collective is over. @param computedPs what the actor has computed until now, or until it is done ahead */
  ended(actor: number, nowPs: number, computedPs: number): void {
    if (--this.active[actor]! > 0) return;
    const overlappedPs = Math.min(nowPs - this.sincePs[actor]!, computedPs - this.computedPs[actor]!);
    this.owedPs[actor]! += Math.round(this.share * overlappedPs);
  }

  /** What the next computation of an actor takes longer; it is paid then. */
  takePs(actor: number): number {
    const owedPs = this.owedPs[actor]!;
    this.owedPs[actor] = 0;
    return owedPs;
  }
}
