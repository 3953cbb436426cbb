// The traffic that counters tell and that a dictionary says shortest: minimise sum over bases |W_b x_b|_1 with
// R sum x_b = t, x_b >= 0 (Taffet's dissertation, docs/SOURCES.md, equation 4.3.3 and 4.3.5), by the primal-dual hybrid
// gradient with reflected Halpern steps and restarts.
// Sources: A. Chambolle and T. Pock, "A first-order primal-dual algorithm", 2011; T. Pock and A. Chambolle, "Diagonal
// preconditioning for first order primal-dual algorithms", 2011 (steps); H. Lu and J. Yang, "Restarted Halpern PDHG for
// linear programming", 2024 (steps with reflection, restarts, primal weight).
// Counters with noise are met within it alone (noise-ball.ts). Weights of entries may be taken anew from what was found
// (entry-weights.ts).
// Invariant: the same problem takes the same steps; only how many may depend on a clock.

import { NoiseBall } from './noise-ball.js';
import { weighAnew } from './entry-weights.js';
import { BasisPart, following, moving, resting, waking, type StepTerms } from './basis-part.js';
import type { BasisShape, PairGrid } from './pair-grid.js';

/** Steps between two looks at how far it is. */
const stepsPerLook = 20;
/** the distance of a step, beside that of the first look, and the residual, below which nothing moves any more */
const settledShare = 1e-9;
const settledResidual = 1e-9;
/** the same distance where counters are disturbed: what is nearer moves errors by less than their noise does */
const noisyShare = 1e-4;
/** restarts of Lu and Yang, section 6: enough progress, some progress that ends, and long ones */
const enoughProgress = 0.2;
const someProgress = 0.8;
const longShare = 0.36;
/** weight of primal against dual steps to begin with */
const firstWeight = 10;
/** the same with traffic to begin with: it is nearer to its end than the duals are */
const weightOfStart = 10 * firstWeight;
/** and how far from that it may be at most, as a factor: once nothing moves it would be drawn from noise */
const weightRange = 100;
/** A pair that rests is woken when what it would cost to send falls this far below 0. */
const wakingPrice = -1e-6;
/** columns by counter: counted, forward, the dual, its anchor and its steps */
const columnsOfCounters = 5;
/** places of a step that are together in the cache */
const blockPlaces = 512;

export class Reconstruction {
  /** steps so far */
  steps = 0;
  /** whether further steps would change nothing that can be seen */
  isSettled = false;
  private readonly parts: readonly BasisPart[];
  /** counters that pairs touch, scaled to a largest of 1: what was counted, and the dual of each */
  private readonly counted: Float64Array;
  private readonly dual: Float64Array;
  private readonly dualAnchor: Float64Array;
  private readonly dualStep: Float64Array;
  private readonly scale: number;
  /** how far counters may be from what is found; null: they are met */
  private readonly ball: NoiseBall | null;
  private readonly forward: Float64Array;
  /** what places do; and those that do not rest, ascending */
  private readonly does: Uint8Array;
  private list: Int32Array;
  private readonly back = new Float64Array(2 * blockPlaces);
  private readonly sent = new Float64Array(2 * blockPlaces);
  private weight = firstWeight;
  /** by pair: how large it may be */
  private readonly sizes: Float32Array;
  private sinceRestart = 0;
  private nextCheck = stepsPerLook;
  private widestGap = 0;
  /** what rests is told by entries that weigh 1 */
  private canRest = true;
  /** distance of a step from its begin: at the last restart's first step, and at the last look */
  private firstGap = Infinity;
  private lastGap = Infinity;

  /**
   * @param noise standard deviation of each counter, as a share of it; 0: counters are exact
   * @param start traffic by pair of the grid to begin with, in units of the counters; null: none
   */
  constructor(
    private readonly grid: PairGrid,
    counters: Float64Array,
    shapes: readonly BasisShape[],
    noise = 0,
    start: Float64Array | null = null,
  ) {
    const counted = grid.countedBy(counters);
    this.scale = counted.reduce((most, own) => Math.max(most, own), 0) || 1;
    this.counted = counted.map((own) => own / this.scale);
    this.ball = noise === 0 ? null : new NoiseBall(this.counted, noise);
    this.sizes = this.sizesOfPairs();
    this.parts = shapes.map((shape, i) => new BasisPart(shape, grid.links[i]!, grid, this.sizes));
    this.dual = new Float64Array(counted.length);
    this.dualAnchor = new Float64Array(counted.length);
    this.dualStep = new Float64Array(counted.length);
    this.forward = new Float64Array(counted.length);
    this.does = new Uint8Array(grid.places).fill(moving);
    this.list = Int32Array.from(this.does.keys());
    this.sizeDualSteps();
    if (start === null) return;
    this.parts[0]!.begin(start, 1 / this.scale);
    this.weight = weightOfStart;
  }

  /** Bytes of the columns that the search keeps. */
  get bytes(): number {
    const { parts, sizes, dual, does, list } = this;
    return (
      parts.reduce((sum, part) => sum + part.bytes, 0) +
      sizes.byteLength +
      columnsOfCounters * dual.byteLength +
      does.byteLength +
      list.byteLength
    );
  }

  /** Weighs entries of the bases anew by what was found, and goes on from there (entry-weights.ts). */
  reweight(): void {
    const { parts, dual, grid } = this;
    const entries = parts.map((part) => part.entries().map(Math.abs));
    weighAnew(entries, dual.length);
    parts.forEach((part, i) => {
      part.weigh(entries[i]!);
      part.restart(Int32Array.from({ length: grid.places }, (_, place) => place));
    });
    this.dualAnchor.set(dual);
    this.begin();
    this.isSettled = false;
    this.canRest = false;
    this.does.fill(moving);
    this.enlist();
  }

  /**
   * How large each pair may be: the root of the least of its counters. In proportion to what a pair may send, steps would
   * suit large and small pairs alike, but many that may send much send nothing.
   */
  private sizesOfPairs(): Float32Array {
    const { grid, counted } = this;
    return Float32Array.from({ length: 2 * grid.places }, (_, pair) => {
      const least = grid.mostOf(pair, counted);
      return least === Infinity ? 0 : Math.sqrt(least);
    });
  }

  /** Goes on for some steps, {@link stepsPerLook}. */
  advance(): void {
    for (let i = 1; i < stepsPerLook; i++) this.step(false);
    const gap = this.step(true);
    this.steps += stepsPerLook;
    if (this.widestGap === 0) this.widestGap = gap;
    const isNear = gap <= (this.ball === null ? settledShare : noisyShare) * this.widestGap && this.isMet();
    if (isNear || this.sinceRestart >= this.nextCheck) {
      this.nextCheck *= 2;
      const woken = this.wake();
      if (woken > 0) this.enlist();
      this.isSettled = isNear && woken === 0;
    }
    this.considerRestart(gap);
  }

  /** Whether counters are met, or within their noise. */
  private isMet(): boolean {
    const residual = this.residual();
    return this.ball === null ? residual <= settledResidual : this.ball.holds(this.forward);
  }

  /** |R x - t| / |t|: how far the traffic is from what was counted. */
  residual(): number {
    const { counted, forward, grid, parts, list } = this;
    forward.fill(0);
    for (const { x } of parts)
      for (const place of list)
        for (let pair = 2 * place; pair < 2 * place + 2; pair++) {
          const own = x[pair]!;
          if (own !== 0) grid.addTo(forward, pair, own);
        }
    let error = 0;
    let size = 0;
    counted.forEach((own, row) => {
      error += (forward[row]! - own) * (forward[row]! - own);
      size += own * own;
    });
    return size === 0 ? 0 : Math.sqrt(error / size);
  }

  /** How long the bases tell what was found, the sum over them of |W x|, in units of the counters. */
  length(): number {
    return (
      this.scale * this.parts.reduce((sum, part) => part.entries().reduce((all, own) => all + Math.abs(own), sum), 0)
    );
  }

  /** Traffic by pair of the grid, all bases together, in units of the counters. */
  traffic(): Float64Array {
    const { parts, scale, grid } = this;
    const traffic = new Float64Array(2 * grid.places);
    // between two steps a share may be a little below 0
    for (const { x } of parts) x.forEach((own, pair) => (traffic[pair]! += Math.max(0, own) * scale));
    return traffic;
  }

  /** What each basis tells: its share of the traffic by pair, and its entries of that, W x; in units of the counters. */
  told(): { readonly share: Float64Array; readonly entries: Float64Array }[] {
    const { parts, scale } = this;
    return parts.map((part) => ({
      share: part.x.map((own) => Math.max(0, own) * scale),
      entries: part.entries().map((own) => own * scale),
    }));
  }

  /** One step of all. @returns the distance from where it began, in the norm of the steps, if it is asked for */
  private step(isLook: boolean, reach = 2): number {
    const { parts, list, does, back, sent, forward, dual, dualAnchor, dualStep, counted, weight } = this;
    const share = reach === 1 ? 0 : 1 / (this.sinceRestart + 2);
    const terms: StepTerms = { weight, share, reach, isLook };
    let gap = 0;
    for (const part of parts) part.gap = 0;
    forward.fill(0);
    for (let begin = 0; begin < list.length; begin += blockPlaces) {
      const end = Math.min(list.length, begin + blockPlaces);
      this.lookBack(begin, end);
      sent.fill(0);
      for (const part of parts) part.step(list, begin, end, does, back, sent, terms);
      this.lookForward(begin, end);
    }
    for (const part of parts) gap += part.gap;
    if (this.ball !== null) this.ball.open(dual, forward, dualStep, weight);
    for (let row = 0; row < dual.length; row++) {
      const size = weight * dualStep[row]!;
      if (size === 0) continue;
      let move = size * (forward[row]! - counted[row]!);
      if (this.ball !== null) move = this.ball.shrunk(row, dual[row]! + move, size) - dual[row]!;
      if (isLook) gap += (move * move) / size;
      dual[row] = (1 - share) * (dual[row]! + reach * move) + share * dualAnchor[row]!;
    }
    this.sinceRestart++;
    return isLook ? Math.sqrt(gap) : 0;
  }

  /** R' y of a block of places. */
  private lookBack(begin: number, end: number): void {
    const { list, back, dual, grid } = this;
    for (let i = begin, k = 0; i < end; i++) {
      const pair = 2 * list[i]!;
      back[k++] = grid.priceOf(dual, pair);
      back[k++] = grid.priceOf(dual, pair + 1);
    }
  }

  /** What a block of places adds to counters. */
  private lookForward(begin: number, end: number): void {
    const { list, sent, forward, grid } = this;
    for (let i = begin, k = 0; i < end; i++) {
      const pair = 2 * list[i]!;
      for (let own = pair; own < pair + 2; own++) {
        const value = sent[k++]!;
        if (value !== 0) grid.addTo(forward, own, value);
      }
    }
  }

  private considerRestart(gap: number): void {
    if (this.firstGap === Infinity) this.firstGap = gap;
    const isDue =
      gap <= enoughProgress * this.firstGap ||
      (gap <= someProgress * this.firstGap && gap > this.lastGap) ||
      this.sinceRestart >= longShare * this.steps;
    this.lastGap = gap;
    if (!isDue || this.sinceRestart < stepsPerLook) return;
    // without reflection, so that what sends nothing is 0
    this.step(false, 1);
    let primal = 0;
    let dualMove = 0;
    for (const part of this.parts) {
      const moved = part.restart(this.list);
      primal += moved.primal;
      dualMove += moved.dual;
    }
    const { dual, dualAnchor, dualStep } = this;
    for (let row = 0; row < dual.length; row++) {
      const move = dual[row]! - dualAnchor[row]!;
      if (dualStep[row]! > 0) dualMove += (move * move) / dualStep[row]!;
    }
    dualAnchor.set(dual);
    if (primal > 1e-20 && dualMove > 1e-20) {
      const own = Math.sqrt(this.weight * Math.sqrt(dualMove / primal));
      this.weight = Math.min(firstWeight * weightRange, Math.max(firstWeight / weightRange, own));
    }
    this.begin();
    this.putToRest();
  }

  /** Counts steps from here. */
  private begin(): void {
    this.sinceRestart = 0;
    this.nextCheck = stepsPerLook;
    this.firstGap = Infinity;
    this.lastGap = Infinity;
  }

  /** Lets places rest that send nothing and would cost to. */
  private putToRest(): void {
    if (!this.canRest) return;
    const { parts, does, list } = this;
    for (const place of list) {
      if (does[place] === moving && parts.every((part) => !part.sends(place))) does[place] = resting;
      else if (does[place] === following) does[place] = resting;
    }
    this.wake();
    this.enlist();
  }

  /** Wakes places that would save something if they sent: R' y + W' z is below 0 for all z. @returns how many */
  private wake(): number {
    const { parts, does, dual, grid } = this;
    const { rowStart } = grid;
    const own = new Float64Array(2);
    let woken = 0;
    for (let place = 0; place < grid.places; place++) {
      if (does[place] === moving) continue;
      for (let i = 0; i < 2; i++) {
        const pair = 2 * place + i;
        own[i] = rowStart[pair + 1] === rowStart[pair] ? Infinity : grid.priceOf(dual, pair);
      }
      let wouldSend = false;
      // every part goes along its places
      for (const part of parts) if (part.wouldSend(place, does, own, wakingPrice)) wouldSend = true;
      if (!wouldSend) continue;
      does[place] = waking;
      woken++;
    }
    for (let place = 0; place < grid.places; place++) if (does[place] === waking) does[place] = moving;
    return woken;
  }

  /** Lists what does not rest: what moves, and what follows it. */
  private enlist(): void {
    const { parts, does } = this;
    let count = 0;
    for (let place = 0; place < does.length; place++) {
      if (does[place] !== moving) continue;
      for (const part of parts) {
        const behind = part.placeBehind(place);
        if (behind !== -1 && does[behind] === resting) does[behind] = following;
      }
    }
    for (const own of does) if (own !== resting) count++;
    const list = new Int32Array(count);
    count = 0;
    for (let place = 0; place < does.length; place++) {
      if (does[place] !== moving) for (const part of parts) part.rest(place);
      if (does[place] !== resting) list[count++] = place;
    }
    this.list = list;
    this.sizeDualSteps();
  }

  /** Steps of duals: 1 / the sizes of all pairs that move a counter, of all bases (Pock and Chambolle, 2011). */
  private sizeDualSteps(): void {
    const { dualStep, parts, does, list, grid, sizes } = this;
    dualStep.fill(0);
    for (const place of list)
      if (does[place] === moving)
        for (let pair = 2 * place; pair < 2 * place + 2; pair++)
          grid.addTo(dualStep, pair, parts.length * sizes[pair]!);
    dualStep.forEach((size, row) => (dualStep[row] = size === 0 ? 0 : 1 / size));
  }
}
