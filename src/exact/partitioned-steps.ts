// The programmes of Partitioned Binary: one port of several for each part of the traffic, layer by layer. Source:
// Taffet's dissertation (docs/SOURCES.md), section 3.3.3, equations 3.3.5 to 3.3.19. Each is made of items (traffic for
// a destination that is at a switch) with options (ports, or core groups), and of sums over them that a maximum bounds.
// Invariant: an item takes exactly one option; coefficients are loads (traffic times load per traffic).

import { LinearProgram, type LinearTerms } from './linear-program.js';

/** Traffic at a switch for a destination. */
export interface Item {
  /** switch it is at: place within its level */
  readonly at: number;
  /** rank of the destination */
  readonly rank: number;
  readonly amount: number;
  /** ports or core groups it may take, ascending; never empty */
  readonly options: readonly number[];
}

/** A sum over options of items, by a key: all sums of one maximum have one bound. */
export interface BoundedSum {
  readonly maximum: string;
  /** which sum an option of an item counts for, or null if it does not; with its share of the item's amount */
  readonly key: (item: Item, option: number) => { readonly key: string; readonly share: number } | null;
  /** what a sum holds already */
  readonly fixed?: ReadonlyMap<string, number>;
}

/** A step: its programme, and what its variables mean. */
export interface Step {
  readonly program: LinearProgram;
  /**
   * a solution to begin with: heaviest item first, each on the option that leaves the sums of the first objective
   * smallest
   */
  readonly greedy: Float64Array;
  /** the option of each item in a solution */
  readonly chosen: (values: Float64Array) => number[];
}

/**
 * Makes the programme of a step.
 * @param objectives names of maxima that are added up to objectives, in order; `maximum` may name a family, its members
 * being `family maximum/member`
 */
export function partitionedStep(
  name: string,
  items: readonly Item[],
  sums: readonly BoundedSum[],
  objectives: readonly string[],
): Step {
  const program = new LinearProgram(name);
  const variables = items.map(({ at, rank, options }) =>
    options.map((option) => program.binary(`x_${at}_${option}_${rank}`)),
  );
  items.forEach(({ at, rank }, i) =>
    program.row(
      `one_${at}_${rank}`,
      variables[i]!.map((variable) => [variable, 1] as const),
      '=',
      1,
    ),
  );
  const maxima = new Map<string, number>();
  const maximumOf = (family: string): number => {
    const known = maxima.get(family);
    if (known !== undefined) return known;
    const made = program.real(family.replaceAll('/', '_'));
    maxima.set(family, made);
    return made;
  };
  const bounded: BoundedRow[] = [];
  for (const { maximum, key, fixed } of sums) {
    const terms = new Map<string, [number, number][]>();
    for (const known of fixed?.keys() ?? []) terms.set(known, []);
    items.forEach((item, i) => {
      item.options.forEach((option, o) => {
        const own = key(item, option);
        if (own === null || item.amount === 0) return;
        const list = terms.get(own.key) ?? [];
        list.push([variables[i]![o]!, item.amount * own.share]);
        terms.set(own.key, list);
      });
    });
    for (const [own, list] of terms) {
      // "12/3" is sum 12 of member 3 of a family; "12" a sum of a single maximum
      const member = own.includes('/') ? `${maximum}/${own.slice(own.indexOf('/') + 1)}` : maximum;
      program.row(
        `${maximum}_row_${bounded.length}`,
        [...list, [maximumOf(member), -1]],
        '<=',
        -(fixed?.get(own) ?? 0),
      );
      bounded.push({ terms: list, maximum: maximumOf(member), fixed: fixed?.get(own) ?? 0 });
    }
  }
  for (const objective of objectives) {
    const terms: LinearTerms = [...maxima]
      .filter(([member]) => member === objective || member.startsWith(`${objective}/`))
      .map(([, variable]) => [variable, 1] as const);
    program.objectives.push({ name: `sum_of_${objective}`, terms });
  }
  return {
    program,
    greedy: greedyValues(program, items, variables, bounded),
    chosen: (values) =>
      items.map(({ options }, i) => {
        let best = 0;
        variables[i]!.forEach((variable, o) => {
          if (values[variable]! > values[variables[i]![best]!]!) best = o;
        });
        return options[best]!;
      }),
  };
}

/** A row sum of a step: what it adds up, and the maximum that is not below it. */
interface BoundedRow {
  readonly terms: readonly (readonly [variable: number, amount: number])[];
  readonly maximum: number;
  readonly fixed: number;
}

function greedyValues(
  program: LinearProgram,
  items: readonly Item[],
  variables: readonly (readonly number[])[],
  rows: readonly BoundedRow[],
): Float64Array {
  const values = new Float64Array(program.variableCount);
  const first = new Set(program.objectives[0]?.terms.map(([maximum]) => maximum));
  const sums = Float64Array.from(rows, ({ fixed }) => fixed);
  const rowsOf = Array.from({ length: program.variableCount }, () => [] as (readonly [row: number, amount: number])[]);
  rows.forEach(({ terms }, row) => {
    for (const [variable, amount] of terms) rowsOf[variable]!.push([row, amount]);
  });
  const worst = (variable: number): number =>
    rowsOf[variable]!.reduce(
      (most, [row, amount]) => (first.has(rows[row]!.maximum) ? Math.max(most, sums[row]! + amount) : most),
      0,
    );
  const order = items.map((_, i) => i).sort((a, b) => items[b]!.amount - items[a]!.amount || a - b);
  for (const i of order) {
    let best = variables[i]![0]!;
    for (const variable of variables[i]!) if (worst(variable) < worst(best)) best = variable;
    values[best] = 1;
    for (const [row, amount] of rowsOf[best]!) sums[row]! += amount;
  }
  rows.forEach(({ maximum }, row) => {
    values[maximum] = Math.max(values[maximum]!, sums[row]!);
  });
  return values;
}
