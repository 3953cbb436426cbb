// A line of the validation table: what was expected, what came out, and whether that is near enough.
// Invariant: the verdict follows from the two figures and the tolerance alone; texts are made from the same figures.

/** What a line is about, and where its expected figure comes from. */
export interface Subject {
  readonly mechanism: string;
  readonly oracle: string;
}

export interface Line extends Subject {
  readonly expected: string;
  readonly ours: string;
  readonly difference: string;
  readonly tolerance: string;
  readonly verdict: 'ok' | 'failed' | 'skipped';
}

/** How far two figures may be apart. */
export type Tolerance =
  | { readonly kind: 'exact' }
  | { readonly kind: 'share'; readonly most: number }
  | { readonly kind: 'absolute'; readonly most: number };

export const exact: Tolerance = { kind: 'exact' };

/** Within a share of the expected figure: `within(0.05)` is 5 %. */
export function within(most: number): Tolerance {
  return { kind: 'share', most };
}

/** Within a distance in the figure's own unit. */
export function apartBy(most: number): Tolerance {
  return { kind: 'absolute', most };
}

interface Figures extends Subject {
  readonly expected: number;
  readonly ours: number;
  readonly unit: string;
  /** digits after the point */
  readonly digits?: number;
  readonly tolerance: Tolerance;
}

/** Two figures of one unit. */
export function compared({ mechanism, oracle, expected, ours, unit, digits = 0, tolerance }: Figures): Line {
  const difference = ours - expected;
  const share = expected === 0 ? (ours === 0 ? 0 : Infinity) : difference / expected;
  const isNear =
    tolerance.kind === 'exact'
      ? difference === 0
      : Math.abs(tolerance.kind === 'share' ? share : difference) <= tolerance.most;
  return {
    mechanism,
    oracle,
    expected: figure(expected, digits, unit),
    ours: figure(ours, digits, unit),
    difference:
      tolerance.kind === 'share'
        ? signed(100 * share, decimalsOf(100 * tolerance.most), '%')
        : difference === 0
          ? '0'
          : signed(difference, digits, unit),
    tolerance:
      tolerance.kind === 'exact'
        ? 'exact'
        : tolerance.kind === 'share'
          ? figure(100 * tolerance.most, decimalsOf(100 * tolerance.most) - 1, '%')
          : figure(tolerance.most, digits, unit),
    verdict: isNear ? 'ok' : 'failed',
  };
}

interface Bounds extends Subject {
  readonly ours: number;
  readonly least?: number;
  readonly most?: number;
  readonly unit: string;
  readonly digits?: number;
  /** said in place of the bounds in the column of what is expected */
  readonly expected?: string;
}

/** A figure that must lie between bounds, both included. */
export function bounded({
  mechanism,
  oracle,
  ours,
  least = -Infinity,
  most = Infinity,
  unit,
  digits = 0,
  expected,
}: Bounds): Line {
  const bounds =
    least === -Infinity
      ? `at most ${figure(most, digits, unit)}`
      : most === Infinity
        ? `at least ${figure(least, digits, unit)}`
        : `${figure(least, digits, '')} to ${figure(most, digits, unit)}`;
  return {
    mechanism,
    oracle,
    expected: expected ?? bounds,
    ours: figure(ours, digits, unit),
    difference: '',
    tolerance: expected === undefined ? '' : bounds,
    verdict: ours >= least && ours <= most ? 'ok' : 'failed',
  };
}

/** One draw of somebody else's that must lie within what several of ours span. */
export function spanned({
  mechanism,
  oracle,
  expected,
  least,
  most,
  unit,
  digits = 0,
}: Subject & {
  readonly expected: number;
  readonly least: number;
  readonly most: number;
  readonly unit: string;
  readonly digits?: number;
}): Line {
  const isInside = expected >= least && expected <= most;
  return {
    mechanism,
    oracle,
    expected: figure(expected, digits, unit),
    ours: `${figure(least, digits, '')} to ${figure(most, digits, unit)}`,
    difference: isInside ? 'inside' : 'outside',
    tolerance: 'inside',
    verdict: isInside ? 'ok' : 'failed',
  };
}

/** Texts or lists that must be the same, such as a sequence of ports. */
export function matched({
  mechanism,
  oracle,
  expected,
  ours,
}: Subject & { readonly expected: string; readonly ours: string }): Line {
  return {
    mechanism,
    oracle,
    expected,
    ours,
    difference: expected === ours ? 'none' : 'differs',
    tolerance: 'exact',
    verdict: expected === ours ? 'ok' : 'failed',
  };
}

/** A line that could not be computed here, and why. */
export function skipped({ mechanism, oracle, why }: Subject & { readonly why: string }): Line {
  return { mechanism, oracle, expected: '', ours: '', difference: '', tolerance: why, verdict: 'skipped' };
}

/** A figure as people read it: 849,903.04 ns. */
export function figure(value: number, digits: number, unit: string): string {
  const [whole, fraction] = Math.abs(value).toFixed(digits).split('.');
  const text = `${value < 0 && Number(value.toFixed(digits)) !== 0 ? '-' : ''}${whole!.replace(/\B(?=(\d{3})+$)/g, ',')}${fraction === undefined ? '' : `.${fraction}`}`;
  return unit === '' ? text : `${text} ${unit}`;
}

function signed(value: number, digits: number, unit: string): string {
  const text = figure(value, digits, unit);
  return text.startsWith('-') || Number(value.toFixed(digits)) === 0 ? text : `+${text}`;
}

/** One digit more than a tolerance in percent needs: differences are told finer than they are judged. */
function decimalsOf(percent: number): number {
  let digits = 0;
  while (digits < 6 && Math.abs(percent - Number(percent.toFixed(digits))) > 1e-9) digits++;
  return digits + 1;
}
