// A linear programme as text for any solver: CPLEX's LP format and free MPS. A file has one objective; earlier ones of
// the programme are held by rows with the values that were reached, as the solver finds them.
// Invariants: numbers are written so that they are read back bit by bit; lines of LP files stay below 255 characters.
// Sources: the format pages of CPLEX (LP) and of HiGHS and Gurobi (MPS: sections NAME, ROWS, COLUMNS, RHS, BOUNDS,
// ENDATA; INTORG markers).

import type { LinearProgram, LinearTerms } from './linear-program.js';

/** The programme in LP format, with one of its objectives. */
export function lpText(program: LinearProgram, objective = 0): string {
  const { variableNames, rowNames, rowLower, rowUpper, rowOffset, termVariable, termCoefficient } = program;
  const lines: string[] = [`\\ ${program.name}`, 'Minimize'];
  const { name, terms } = program.objectives[objective]!;
  pushSum(lines, ` ${name}:`, terms.length, (i) => [variableNames[terms[i]![0]]!, terms[i]![1]], '');
  lines.push('Subject To');
  for (let row = 0; row < program.rowCount; row++) {
    const first = rowOffset.values[row]!;
    const lower = rowLower.values[row]!;
    const upper = rowUpper.values[row]!;
    const end = lower === upper ? ` = ${upper}` : upper < Infinity ? ` <= ${upper}` : ` >= ${lower}`;
    pushSum(
      lines,
      ` ${rowNames[row]}:`,
      rowOffset.values[row + 1]! - first,
      (i) => [variableNames[termVariable.values[first + i]!]!, termCoefficient.values[first + i]!],
      end,
    );
  }
  const whole = variableNames.filter((_, variable) => program.whole.values[variable] === 1);
  if (whole.length > 0) lines.push('Binary', ...whole.map((variable) => ` ${variable}`));
  return `${lines.join('\n')}\nEnd\n`;
}

function pushSum(
  lines: string[],
  start: string,
  count: number,
  term: (i: number) => [string, number],
  end: string,
): void {
  let line = start;
  for (let i = 0; i < count; i++) {
    const [name, coefficient] = term(i);
    const text = ` ${coefficient < 0 ? '-' : '+'} ${Math.abs(coefficient)} ${name}`;
    if (line.length + text.length > 200) {
      lines.push(line);
      line = ' ';
    }
    line += text;
  }
  lines.push(line + end);
}

/** The programme in free MPS format, with one of its objectives. */
export function mpsText(program: LinearProgram, objective = 0): string {
  const { variableNames, rowNames, rowLower, rowUpper, rowOffset, termVariable, termCoefficient } = program;
  const { name, terms } = program.objectives[objective]!;
  const lines = [`NAME ${program.name} FREE`, 'ROWS', ` N ${name}`];
  const columns: string[][] = variableNames.map(() => []);
  addObjective(columns, name, terms);
  const rightSides: string[] = [];
  for (let row = 0; row < program.rowCount; row++) {
    const lower = rowLower.values[row]!;
    const upper = rowUpper.values[row]!;
    lines.push(` ${lower === upper ? 'E' : upper < Infinity ? 'L' : 'G'} ${rowNames[row]}`);
    const rightSide = upper < Infinity ? upper : lower;
    if (rightSide !== 0) rightSides.push(` RHS ${rowNames[row]} ${rightSide}`);
    for (let term = rowOffset.values[row]!; term < rowOffset.values[row + 1]!; term++)
      columns[termVariable.values[term]!]!.push(`${rowNames[row]} ${termCoefficient.values[term]}`);
  }
  lines.push('COLUMNS');
  let inWhole = false;
  let markers = 0;
  columns.forEach((entries, variable) => {
    const whole = program.whole.values[variable] === 1;
    if (whole !== inWhole) lines.push(` MARKER${markers++} 'MARKER' '${whole ? 'INTORG' : 'INTEND'}'`);
    inWhole = whole;
    for (const entry of entries) lines.push(` ${variableNames[variable]} ${entry}`);
  });
  if (inWhole) lines.push(` MARKER${markers} 'MARKER' 'INTEND'`);
  lines.push('RHS', ...rightSides, 'BOUNDS');
  variableNames.forEach((variable, index) => {
    if (program.upper.values[index]! < Infinity) lines.push(` UP BND ${variable} ${program.upper.values[index]}`);
  });
  return `${lines.join('\n')}\nENDATA\n`;
}

function addObjective(columns: readonly string[][], name: string, terms: LinearTerms): void {
  for (const [variable, coefficient] of terms) columns[variable]!.push(`${name} ${coefficient}`);
}
