// A linear programme as data: variables with limits, some of them whole, rows, and objectives to be minimised one after
// the other.
// Invariants: names are unique and made of letters, digits and _, begin with a letter other than e, and so are read
// alike in LP and MPS files; terms of a row name each variable once. Knows nothing of routes or solvers.

import { Float64List, Int32List } from '../base/columns.js';
import { fail } from '../base/fail.js';

export type RowSense = '<=' | '=' | '>=';

/** A sum of variables times coefficients. */
export type LinearTerms = readonly (readonly [variable: number, coefficient: number])[];

export interface Objective {
  readonly name: string;
  readonly terms: LinearTerms;
}

export class LinearProgram {
  readonly variableNames: string[] = [];
  readonly lower = new Float64List();
  readonly upper = new Float64List();
  /** 1 for variables that have to be whole */
  readonly whole = new Int32List();
  readonly rowNames: string[] = [];
  readonly rowLower = new Float64List();
  readonly rowUpper = new Float64List();
  /** rowCount + 1 offsets into the terms */
  readonly rowOffset = new Int32List();
  readonly termVariable = new Int32List();
  readonly termCoefficient = new Float64List();
  /** minimised in this order, each without making those before it worse */
  readonly objectives: Objective[] = [];

  constructor(readonly name: string) {
    this.rowOffset.push(0);
  }

  get variableCount(): number {
    return this.variableNames.length;
  }

  get rowCount(): number {
    return this.rowNames.length;
  }

  /** Variables that have to be whole. */
  get wholeCount(): number {
    return this.whole.toArray().reduce((sum, own) => sum + own, 0);
  }

  /** A variable of 0 and more. @returns its number */
  real(name: string): number {
    return this.variable(name, 0, Infinity, 0);
  }

  /** A variable that is 0 or 1. @returns its number */
  binary(name: string): number {
    return this.variable(name, 0, 1, 1);
  }

  /** Demands that a sum is at most, exactly or at least `rightSide`. @returns the row's number */
  row(name: string, terms: LinearTerms, sense: RowSense, rightSide: number): number {
    if (!Number.isFinite(rightSide)) fail(`row ${name}: right side ${rightSide}`);
    for (const [variable, coefficient] of terms) {
      this.termVariable.push(variable);
      this.termCoefficient.push(coefficient);
    }
    this.rowOffset.push(this.termVariable.length);
    this.rowLower.push(sense === '<=' ? -Infinity : rightSide);
    this.rowUpper.push(sense === '>=' ? Infinity : rightSide);
    return this.rowNames.push(name) - 1;
  }

  /** The value of a sum. */
  static valueOf(terms: LinearTerms, values: Float64Array): number {
    return terms.reduce((sum, [variable, coefficient]) => sum + coefficient * values[variable]!, 0);
  }

  private variable(name: string, lower: number, upper: number, whole: 0 | 1): number {
    this.lower.push(lower);
    this.upper.push(upper);
    this.whole.push(whole);
    return this.variableNames.push(name) - 1;
  }
}

/**
 * How far values are from meeting the rows and limits of a programme: the largest excess, relative to the row's right
 * side where that is above 1; whole variables count by their distance from a whole number.
 */
export function largestViolation(program: LinearProgram, values: Float64Array): number {
  let worst = 0;
  for (let variable = 0; variable < program.variableCount; variable++) {
    const value = values[variable]!;
    worst = Math.max(worst, program.lower.values[variable]! - value, value - program.upper.values[variable]!);
    if (program.whole.values[variable] === 1) worst = Math.max(worst, Math.abs(value - Math.round(value)));
  }
  const { rowOffset, termVariable, termCoefficient, rowLower, rowUpper } = program;
  for (let row = 0; row < program.rowCount; row++) {
    let sum = 0;
    for (let term = rowOffset.values[row]!; term < rowOffset.values[row + 1]!; term++)
      sum += termCoefficient.values[term]! * values[termVariable.values[term]!]!;
    const lower = rowLower.values[row]!;
    const upper = rowUpper.values[row]!;
    if (lower > -Infinity) worst = Math.max(worst, (lower - sum) / Math.max(1, Math.abs(lower)));
    if (upper < Infinity) worst = Math.max(worst, (sum - upper) / Math.max(1, Math.abs(upper)));
  }
  return worst;
}
