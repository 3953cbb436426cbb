// Counters that are met within their noise: |D^-1 (R x - t)| <= noise sqrt(m), where D has what each of m counters
// counted, since its noise is a share of that.
// The dual step of such a ball: with v = y + S (R x - t) it is v_i / (1 + s_i e d_i^2 / l), where l = |D y'| is the root
// of sum (d_i v_i / (l + s_i e d_i^2))^2 = 1, and 0 if there is none. By Moreau's identity from the prox of the ball
// (N. Parikh and S. Boyd, "Proximal algorithms", 2014, 6.3.2 and 6.5.1); the root as that of a trust region (J. More and D.
// Sorensen, "Computing a trust region step", 1983).

/** steps of Newton's method at most, and how near its root is near enough */
const mostSteps = 30;
const nearEnough = 1e-13;
/** how much farther than their noise counters may be, as a share of it, and are within */
const slack = 1e-3;

export class NoiseBall {
  private readonly radius: number;
  /** l */
  private size = 0;

  /** @param counted by row @param noise standard deviation as a share */
  constructor(
    private readonly counted: Float64Array,
    noise: number,
  ) {
    this.radius = noise * Math.sqrt(counted.length);
  }

  /** Readies a step of all rows. @param forward R (2 T(x) - x) @param dualStep 0: a row does not step */
  open(dual: Float64Array, forward: Float64Array, dualStep: Float64Array, weight: number): void {
    const { counted, radius } = this;
    let root = 0;
    for (let i = 0; i < mostSteps; i++) {
      let sum = 0;
      let slope = 0;
      for (let row = 0; row < counted.length; row++) {
        const step = weight * dualStep[row]!;
        const own = counted[row]!;
        if (step === 0 || own === 0) continue;
        const whole = own * (dual[row]! + step * (forward[row]! - own));
        const wide = root + step * radius * own * own;
        const part = whole / wide;
        sum += part * part;
        slope += (part * part) / wide;
      }
      // 1 / sqrt(sum) is nearly a line: Newton's method of that comes from below
      const distance = (sum * (Math.sqrt(sum) - 1)) / slope;
      if (!(distance > nearEnough * root)) break;
      root += distance;
    }
    this.size = root;
  }

  /** The dual of a row after a step of some size. @param whole before it shrinks */
  shrunk(row: number, whole: number, step: number): number {
    if (this.size === 0) return 0;
    const own = this.counted[row]!;
    return whole / (1 + (step * this.radius * own * own) / this.size);
  }

  /** Whether counters are within. @param told what each would have counted */
  holds(told: Float64Array): boolean {
    const { counted, radius } = this;
    let sum = 0;
    counted.forEach((own, row) => {
      const off = own === 0 ? 0 : told[row]! / own - 1;
      sum += off * off;
    });
    return Math.sqrt(sum) <= radius * (1 + slack);
  }
}
