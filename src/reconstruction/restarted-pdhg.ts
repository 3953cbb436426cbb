// The traffic that counters tell and that a dictionary says shortest: minimise sum over bases |W_b x_b|_1 with
// R sum x_b = t, x_b >= 0 (Taffet's dissertation, docs/SOURCES.md, equation 4.3.3 and 4.3.5), by the primal-dual hybrid
// gradient with reflected Halpern steps and restarts.
// Sources: A. Chambolle and T. Pock, "A first-order primal-dual algorithm", 2011; T. Pock and A. Chambolle, "Diagonal
// preconditioning for first order primal-dual algorithms", 2011 (steps); H. Lu and J. Yang, "Restarted Halpern PDHG for
// linear programming", 2024 (steps with reflection, restarts, primal weight).
// Invariant: the same problem takes the same steps; only how many may depend on a clock.

import type { BasisShape, PairGrid, PlaceLinks } from './pair-grid.js';

/** Steps between two looks at how far it is. */
const stepsPerLook = 20;
/** the distance of a step, beside that of the first look, and the residual, below which nothing moves any more */
const settledShare = 1e-9;
const settledResidual = 1e-9;
/** restarts of Lu and Yang, section 6: enough progress, some progress that ends, and long ones */
const enoughProgress = 0.2;
const someProgress = 0.8;
const longShare = 0.36;
/** weight of primal against dual steps to begin with */
const firstWeight = 10;

export class Reconstruction {
  /** steps so far */
  steps = 0;
  /** whether further steps would change nothing that can be seen */
  isSettled = false;
  private readonly parts: readonly Part[];
  /** counters that pairs touch, scaled to a largest of 1: what was counted, and the dual of each */
  private readonly counted: Float64Array;
  private readonly dual: Float64Array;
  private readonly dualAnchor: Float64Array;
  private readonly dualStep: Float64Array;
  /** place of each row of the grid among those */
  private readonly rows: Int32Array;
  private readonly scale: number;
  private readonly forward: Float64Array;
  private readonly back: Float64Array;
  private weight = firstWeight;
  private sinceRestart = 0;
  private widestGap = 0;
  /** distance of a step from its begin: at the last restart's first step, and at the last look */
  private firstGap = Infinity;
  private lastGap = Infinity;

  constructor(
    private readonly grid: PairGrid,
    counters: Float64Array,
    shapes: readonly BasisShape[],
  ) {
    const { rows } = grid;
    const placeOf = new Int32Array(counters.length).fill(-1);
    const counted: number[] = [];
    this.rows = rows.map((row) => {
      if (placeOf[row] === -1) placeOf[row] = counted.push(counters[row]!) - 1;
      return placeOf[row]!;
    });
    this.scale = counted.reduce((most, own) => Math.max(most, own), 0) || 1;
    this.counted = Float64Array.from(counted, (own) => own / this.scale);
    const pairs = 2 * grid.places;
    this.parts = shapes.map((shape, i) => new Part(shape, grid.links[i]!, grid));
    this.dual = new Float64Array(counted.length);
    this.dualAnchor = new Float64Array(counted.length);
    this.forward = new Float64Array(counted.length);
    this.back = new Float64Array(pairs);
    const touched = new Float64Array(counted.length);
    for (const row of this.rows) touched[row]! += shapes.length;
    this.dualStep = touched.map((count) => 1 / count);
  }

  /** Goes on for some steps, {@link stepsPerLook}. */
  advance(): void {
    for (let i = 1; i < stepsPerLook; i++) this.step(false);
    const gap = this.step(true);
    this.steps += stepsPerLook;
    if (this.widestGap === 0) this.widestGap = gap;
    this.isSettled = gap <= settledShare * this.widestGap && this.residual() <= settledResidual;
    this.considerRestart(gap);
  }

  /** |R x - t| / |t|: how far the traffic is from what was counted. */
  residual(): number {
    const { counted, forward, rows, grid, parts } = this;
    const { rowStart } = grid;
    forward.fill(0);
    for (const { x } of parts)
      for (let pair = 0; pair < x.length; pair++) {
        const own = x[pair]!;
        if (own !== 0) for (let at = rowStart[pair]!; at < rowStart[pair + 1]!; at++) forward[rows[at]!]! += own;
      }
    let error = 0;
    let size = 0;
    counted.forEach((own, row) => {
      error += (forward[row]! - own) * (forward[row]! - own);
      size += own * own;
    });
    return size === 0 ? 0 : Math.sqrt(error / size);
  }

  /** Traffic by pair of the grid, all bases together, in units of the counters. */
  traffic(): Float64Array {
    const { parts, scale, back } = this;
    const traffic = new Float64Array(back.length);
    // between two steps a share may be a little below 0
    for (const { x } of parts) x.forEach((own, pair) => (traffic[pair]! += Math.max(0, own) * scale));
    return traffic;
  }

  /** One step of all. @returns the distance from where it began, in the norm of the steps, if it is asked for */
  private step(isLook: boolean): number {
    const { parts, grid, rows, forward, back, dual, dualAnchor, dualStep, counted, weight } = this;
    const { rowStart } = grid;
    const share = 1 / (this.sinceRestart + 2);
    let gap = 0;
    const pairs = back.length;
    for (let pair = 0; pair < pairs; pair++) {
      let sum = 0;
      for (let at = rowStart[pair]!; at < rowStart[pair + 1]!; at++) sum += dual[rows[at]!]!;
      back[pair] = sum;
    }
    forward.fill(0);
    for (const part of parts) {
      part.primal(back, weight);
      const { bar } = part;
      for (let pair = 0; pair < pairs; pair++) {
        const own = bar[pair]!;
        if (own !== 0) for (let at = rowStart[pair]!; at < rowStart[pair + 1]!; at++) forward[rows[at]!]! += own;
      }
    }
    for (const part of parts) gap += part.advance(weight, share, isLook);
    for (let row = 0; row < dual.length; row++) {
      const move = weight * dualStep[row]! * (forward[row]! - counted[row]!);
      if (isLook) gap += (move * move) / (weight * dualStep[row]!);
      dual[row] = (1 - share) * (dual[row]! + 2 * move) + share * dualAnchor[row]!;
    }
    this.sinceRestart++;
    return isLook ? Math.sqrt(gap) : 0;
  }

  private considerRestart(gap: number): void {
    if (this.firstGap === Infinity) this.firstGap = gap;
    const isDue =
      gap <= enoughProgress * this.firstGap ||
      (gap <= someProgress * this.firstGap && gap > this.lastGap) ||
      this.sinceRestart >= longShare * this.steps;
    this.lastGap = gap;
    if (!isDue || this.sinceRestart < stepsPerLook) return;
    let primal = 0;
    let dualMove = 0;
    for (const part of this.parts) {
      const moved = part.restart();
      primal += moved.primal;
      dualMove += moved.dual;
    }
    const { dual, dualAnchor } = this;
    for (let row = 0; row < dual.length; row++) {
      const move = dual[row]! - dualAnchor[row]!;
      dualMove += move * move;
    }
    dualAnchor.set(dual);
    if (primal > 1e-20 && dualMove > 1e-20) this.weight = Math.sqrt(this.weight * Math.sqrt(dualMove / primal));
    this.sinceRestart = 0;
    this.firstGap = Infinity;
    this.lastGap = Infinity;
  }
}

/** What is told by one basis: its share of the traffic, and the dual of its representation. */
class Part {
  readonly x: Float64Array;
  /** 2 T(x) - x, where T is the step: what the dual steps look at */
  readonly bar: Float64Array;
  private readonly anchor: Float64Array;
  private readonly z: Float64Array;
  private readonly zAnchor: Float64Array;
  private readonly primalStep: Float64Array;
  private readonly dualStep: Float64Array;
  private readonly before: Int32Array | null;
  private readonly behind: Int32Array | null;
  private readonly isSymmetric: boolean;
  private gap = 0;

  constructor({ isSymmetric }: BasisShape, links: PlaceLinks | null, { places, rowStart }: PairGrid) {
    const pairs = 2 * places;
    this.isSymmetric = isSymmetric;
    this.before = links?.before ?? null;
    this.behind = links?.behind ?? null;
    this.x = new Float64Array(pairs);
    this.bar = new Float64Array(pairs);
    this.anchor = new Float64Array(pairs);
    this.z = new Float64Array(pairs);
    this.zAnchor = new Float64Array(pairs);
    this.primalStep = new Float64Array(pairs);
    this.dualStep = new Float64Array(pairs);
    const perEntry = isSymmetric ? 2 : 1;
    for (let pair = 0; pair < pairs; pair++) {
      const place = pair >> 1;
      const rows = rowStart[pair + 1]! - rowStart[pair]!;
      const terms = perEntry * (this.behind === null || this.behind[place] === -1 ? 1 : 2);
      // a pair that sends nothing does not move
      this.primalStep[pair] = rows === 0 ? 0 : 1 / (rows + terms);
      this.dualStep[pair] = 1 / (perEntry * (this.before === null || this.before[place] === -1 ? 1 : 2));
    }
  }

  /** The primal step. @param back R' y by pair */
  primal(back: Float64Array, weight: number): void {
    const { x, bar, z, behind, primalStep, isSymmetric } = this;
    let gap = 0;
    for (let pair = 0; pair < x.length; pair += 2) {
      let one = z[pair]!;
      let other = z[pair + 1]!;
      const next = behind === null ? -1 : behind[pair >> 1]!;
      if (next !== -1) {
        one -= z[2 * next]!;
        other -= z[2 * next + 1]!;
      }
      if (isSymmetric) {
        const sum = one;
        one = sum + other;
        other = sum - other;
      }
      const [stepOne, stepOther] = [primalStep[pair]! / weight, primalStep[pair + 1]! / weight];
      const a = Math.max(0, x[pair]! - stepOne * (back[pair]! + one));
      const b = Math.max(0, x[pair + 1]! - stepOther * (back[pair + 1]! + other));
      const [moveA, moveB] = [a - x[pair]!, b - x[pair + 1]!];
      if (stepOne > 0) gap += (moveA * moveA) / stepOne;
      if (stepOther > 0) gap += (moveB * moveB) / stepOther;
      bar[pair] = a + moveA;
      bar[pair + 1] = b + moveB;
    }
    this.gap = gap;
  }

  /** The dual step, and where both lead. @returns the distance of the step, squared, if it is asked for */
  advance(weight: number, share: number, isLook: boolean): number {
    const { x, bar, anchor, z, zAnchor, before, dualStep, isSymmetric } = this;
    const keep = 1 - share;
    let { gap } = this;
    for (let pair = x.length - 2; pair >= 0; pair -= 2) {
      let one = bar[pair]!;
      let other = bar[pair + 1]!;
      const last = before === null ? -1 : before[pair >> 1]!;
      if (last !== -1) {
        one -= bar[2 * last]!;
        other -= bar[2 * last + 1]!;
      }
      if (isSymmetric) {
        const a = one;
        one = a + other;
        other = a - other;
      }
      for (let i = 0; i < 2; i++) {
        const at = pair + i;
        const step = weight * dualStep[at]!;
        const moved = Math.min(1, Math.max(-1, z[at]! + step * (i === 0 ? one : other)));
        const move = moved - z[at]!;
        if (isLook) gap += (move * move) / step;
        z[at] = keep * (moved + move) + share * zAnchor[at]!;
      }
      x[pair] = keep * bar[pair]! + share * anchor[pair]!;
      x[pair + 1] = keep * bar[pair + 1]! + share * anchor[pair + 1]!;
    }
    return gap;
  }

  restart(): { readonly primal: number; readonly dual: number } {
    const { x, anchor, z, zAnchor } = this;
    let primal = 0;
    let dual = 0;
    for (let pair = 0; pair < x.length; pair++) {
      const [move, dualMove] = [x[pair]! - anchor[pair]!, z[pair]! - zAnchor[pair]!];
      primal += move * move;
      dual += dualMove * dualMove;
    }
    anchor.set(x);
    zAnchor.set(z);
    return { primal, dual };
  }
}
