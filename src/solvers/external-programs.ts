// The programs that can solve a linear programme: how each is called on an MPS file, and what its output means.
// Sources: cbc's own help and its output (tried with CBC 2.10.8); HiGHS's page on its executable and Gurobi's pages on
// gurobi_cl, parameters and logs, not tried. Invariant: variables that a solution file leaves out are 0; a bound that
// the program does not tell is not made up.

/** What a program was told and has printed. */
interface ProgramFiles {
  readonly model: string;
  readonly solution: string;
  /** options of HiGHS */
  readonly options: string;
  /** a solution to begin with, if there is one: of cbc */
  readonly start: string | null;
}

/** What came out. */
interface ProgramResult {
  readonly status: 'optimal' | 'feasible' | 'infeasible' | 'none';
  /** null if the program does not tell */
  readonly bound: number | null;
}

export interface ExternalProgram {
  readonly name: string;
  readonly install: string;
  readonly args: (files: ProgramFiles, seconds: number) => string[];
  /** lines of the file for options, if it has one */
  readonly options: (seconds: number) => string;
  /** objective and bound in a line of its output, if it tells them there */
  readonly progress: (line: string) => { objective: number; bound: number } | null;
  /** whether it tells that it came to an end, its time's included: what does not, and failed, has crashed */
  readonly saysItsEnd: (output: string, solution: string) => boolean;
  /** @param output what it printed @param solution its solution file, empty if it wrote none */
  readonly result: (output: string, solution: string) => ProgramResult;
  /** name and value of a variable in a line of the solution file */
  readonly value: (line: string) => [name: string, value: number] | null;
  /** headings before and after the variables in a solution file; null = there are none */
  readonly section: { readonly begin: RegExp; readonly end: RegExp } | null;
}

const number = String.raw`([-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|inf(?:inity)?))`;

/** The last number that a pattern finds at any line. */
function found(pattern: RegExp, text: string): number | null {
  let last: number | null = null;
  for (const match of text.matchAll(new RegExp(pattern, 'gm'))) last = Number(match[1]);
  return last !== null && Number.isFinite(last) ? last : null;
}

const cbc: ExternalProgram = {
  name: 'cbc',
  install: 'Debian and Ubuntu: apt-get install coinor-cbc',
  args: ({ model, solution, start }, seconds) => [
    model,
    '-timeMode',
    'elapsed',
    '-seconds',
    String(seconds),
    '-ratioGap',
    '0',
    '-allowableGap',
    '1e-9',
    ...(start === null ? [] : ['-mipstart', start]),
    '-solve',
    '-solution',
    solution,
  ],
  options: () => '',
  progress: (line) => {
    const match = new RegExp(`^Cbc0010I .* ${number} best solution, best possible ${number}`).exec(line);
    return match === null
      ? null
      : { objective: Number(match[1]) >= 1e49 ? Infinity : Number(match[1]), bound: Number(match[2]) };
  },
  saysItsEnd: (_, solution) => /^(?:Optimal|Infeasible|Integer infeasible|Unbounded|Stopped)/.test(solution),
  result: (output, solution) => {
    const first = solution.slice(0, solution.indexOf('\n'));
    const bound = found(new RegExp(`^Lower bound:\\s+${number}`), output);
    if (first.startsWith('Optimal')) return { status: 'optimal', bound: null };
    if (first.toLowerCase().includes('infeasible')) return { status: 'infeasible', bound: null };
    // without a whole solution it writes that of the relaxation
    if (first.startsWith('Stopped') && !first.includes('no integer solution')) return { status: 'feasible', bound };
    return { status: 'none', bound };
  },
  value: (line) => {
    const match = new RegExp(String.raw`^\s*(?:\*\*)?\s*\d+\s+(\S+)\s+${number}\s`).exec(line);
    return match === null ? null : [match[1]!, Number(match[2])];
  },
  section: null,
};

const highs: ExternalProgram = {
  name: 'highs',
  install: 'https://highs.dev; Debian and Ubuntu: apt-get install highs, where they have it',
  args: ({ model, solution, options }, seconds) => [
    '--options_file',
    options,
    '--time_limit',
    String(seconds),
    '--solution_file',
    solution,
    model,
  ],
  options: () => 'mip_rel_gap = 1e-9\nmip_abs_gap = 1e-9\n',
  progress: () => null,
  // its exit code is 1 at a time limit, too
  saysItsEnd: (_, solution) => /^Model status\s+\S/m.test(solution),
  result: (output, solution) => {
    const bound = found(new RegExp(`^\\s*Dual bound\\s+${number}`), output);
    const feasible = /^# Primal solution values\s+Feasible/m.test(solution);
    if (/^Model status\s+Optimal\s*$/m.test(solution) && feasible) return { status: 'optimal', bound: null };
    if (/^Model status\s+Infeasible\s*$/m.test(solution)) return { status: 'infeasible', bound: null };
    return { status: feasible ? 'feasible' : 'none', bound };
  },
  value: (line) => {
    const match = new RegExp(`^(\\S+)\\s+${number}\\s*$`).exec(line);
    return match === null ? null : [match[1]!, Number(match[2])];
  },
  section: { begin: /^# Columns/, end: /^# Rows/ },
};

const gurobi: ExternalProgram = {
  name: 'gurobi_cl',
  install: 'https://www.gurobi.com, with a licence',
  args: ({ model, solution }, seconds) => [
    `TimeLimit=${seconds}`,
    'MIPGap=1e-9',
    'MIPGapAbs=1e-9',
    'LogFile=',
    `ResultFile=${solution}`,
    model,
  ],
  options: () => '',
  progress: (line) => {
    // nodes explored and not, current node, incumbent, bound, gap
    const match = new RegExp(String.raw`\s${number}\s+${number}\s+[\d.]+%\s`).exec(line);
    return match === null ? null : { objective: Number(match[1]), bound: Number(match[2]) };
  },
  saysItsEnd: (output, solution) =>
    solution !== '' ||
    /^(?:Optimal solution found|Optimal objective|Time limit reached|Model is infeasible)/m.test(output),
  result: (output, solution) => {
    const bound = found(new RegExp(`best bound ${number}`), output);
    const optimal = /^Optimal (?:solution found|objective)/m.test(output);
    if (/^Model is infeasible/m.test(output)) return { status: 'infeasible', bound: null };
    if (solution === '') return { status: 'none', bound };
    return { status: optimal ? 'optimal' : 'feasible', bound: optimal ? null : bound };
  },
  value: (line) => {
    const match = new RegExp(`^([^#\\s]\\S*)\\s+${number}\\s*$`).exec(line);
    return match === null ? null : [match[1]!, Number(match[2])];
  },
  section: null,
};

/** Those that there are, by the name of the program. */
export const externalPrograms = { cbc, highs, gurobi_cl: gurobi } as const;

export type ExternalProgramName = keyof typeof externalPrograms;

/** The values of all variables in a solution file. @param names of the variables, in order */
export function readSolutionText(program: ExternalProgram, text: string, names: readonly string[]): Float64Array {
  const place = new Map(names.map((name, variable) => [name, variable]));
  const values = new Float64Array(names.length);
  const { section } = program;
  let inside = section === null;
  for (const line of text.split('\n')) {
    // only the first: those that follow hold duals
    if (inside && section?.end.test(line) === true) break;
    if (section?.begin.test(line) === true) inside = true;
    else if (inside) {
      const read = program.value(line);
      const variable = read === null ? undefined : place.get(read[0]);
      if (variable !== undefined) values[variable] = read![1];
    }
  }
  return values;
}
