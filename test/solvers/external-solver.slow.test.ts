// External solvers by stand-ins: how they are called, how their output is read, what becomes of failures. For HiGHS and
// Gurobi the output is written after their documentation; a real CBC is in cbc.slow.test.ts.

import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { otherSolverNotes } from '../../src/cli/route/solver-option.js';
import { LinearProgram } from '../../src/exact/linear-program.js';
import { externalSolver, programsOnPath } from '../../src/solvers/external-solver.js';
import { stubProgram, type Stub } from './stub-program.js';

let stub: Stub | null = null;
afterEach(() => {
  stub?.remove();
  stub = null;
});

/** 3 a + 2 b >= 7, a <= 1 whole: at best a = 1, b = 2 and the sum of b + a / 10 is 2.1. */
function small(): LinearProgram {
  const program = new LinearProgram('small');
  const a = program.binary('a');
  const b = program.real('b');
  program.row(
    'enough',
    [
      [a, 3],
      [b, 2],
    ],
    '>=',
    7,
  );
  program.objectives.push({
    name: 'cost',
    terms: [
      [b, 1],
      [a, 0.1],
    ],
  });
  return program;
}

const highsSolution = `Model status
Optimal

# Primal solution values
Feasible
Objective 2.1
# Columns 2
a 1
b 2
# Rows 1
enough 7

# Dual solution values
Feasible
# Columns 2
a -1.4
b 0
`;

const gurobiLog = `Gurobi Optimizer version 11.0.0
    Nodes    |    Current Node    |     Objective Bounds      |     Work
 Expl Unexpl |  Obj  Depth IntInf | Incumbent    BestBd   Gap | It/Node Time
H    0     0                       2.6000000    2.05000  21.2%     -    0s

Explored 1 nodes (1 simplex iterations) in 0.01 seconds
Optimal solution found (tolerance 1.00e-09)
Best objective 2.100000000000e+00, best bound 2.100000000000e+00, gap 0.0000%
`;

describe('highs', () => {
  it('is called with a time limit and narrow gaps, and its columns are read, not its rows or duals', async () => {
    stub = stubProgram('highs', 'Solving report\n  Dual bound        2.1\n', highsSolution);
    const solution = await externalSolver('highs').solve(small(), 0, { seconds: 12 });
    expect(solution).toEqual({ status: 'optimal', objective: 2.1, bound: 2.1, values: Float64Array.of(1, 2) });
    const [{ args, model }] = stub.calls() as [{ args: string[]; model: string }];
    expect(args.slice(2, 4)).toEqual(['--time_limit', '12']);
    expect(model).toMatch(/^NAME small FREE\n/);
  });

  it('at its time limit: feasible, with its dual bound', async () => {
    stub = stubProgram(
      'highs',
      'Solving report\n  Primal bound      2.6\n  Dual bound        2.05\n',
      highsSolution.replace('Optimal', 'Time limit reached').replace('b 2', 'b 2.5'),
    );
    const solution = await externalSolver('highs').solve(small(), 0, { seconds: 1 });
    expect(solution).toMatchObject({ status: 'feasible', bound: 2.05 });
    expect(solution.objective).toBeCloseTo(2.6, 12);
  });
});

describe('gurobi_cl', () => {
  it('is called with parameters, and tells incumbent and bound as it searches', async () => {
    stub = stubProgram('gurobi_cl', gurobiLog, '# Solution for model small\n# Objective value = 2.1\na 1\nb 2\n');
    const said: unknown[] = [];
    const solution = await externalSolver('gurobi_cl', ({ objective, bound }) => {
      said.push([objective, bound]);
    }).solve(small(), 0, { seconds: 7 });
    expect(solution).toMatchObject({ status: 'optimal', objective: 2.1, bound: 2.1 });
    expect(said).toEqual([[2.6, 2.05]]);
    expect(stub.calls()[0]!.args).toEqual(expect.arrayContaining(['TimeLimit=7', 'MIPGap=1e-9']));
  });

  it('without a solution in its time: what it began with, and its bound', async () => {
    stub = stubProgram(
      'gurobi_cl',
      'Time limit reached\nBest objective -, best bound 2.000000000000e+00, gap -\n',
      null,
    );
    expect(
      await externalSolver('gurobi_cl').solve(small(), 0, { seconds: 1, start: Float64Array.of(1, 3) }),
    ).toMatchObject({ status: 'feasible', objective: 3.1, bound: 2 });
  });
});

describe('cbc', () => {
  it('infeasible, or stopped with nothing but a relaxation', async () => {
    stub = stubProgram('cbc', '', 'Infeasible - objective value 0.00000000\n');
    expect(await externalSolver('cbc').solve(small(), 0, { seconds: 1 })).toMatchObject({
      status: 'infeasible',
      values: null,
    });
    stub.remove();
    stub = stubProgram(
      'cbc',
      'Lower bound:                    1.5\n',
      'Stopped on time (no integer solution - continuous used) - objective value 2.1\n      0 a                    0.5                       0\n',
    );
    expect(await externalSolver('cbc').solve(small(), 0, { seconds: 1 })).toMatchObject({
      status: 'none',
      bound: 1.5,
      values: null,
    });
  });
});

describe('programs on PATH', () => {
  it('are found where they can be run, the fastest first', () => {
    const path = process.env['PATH'];
    process.env['PATH'] = tmpdir();
    const stubs: Stub[] = [];
    try {
      expect(programsOnPath()).toEqual([]);
      stubs.push(stubProgram('cbc', '', null), stubProgram('highs', '', null));
      expect(programsOnPath()).toEqual(['highs', 'cbc']);
    } finally {
      while (stubs.length > 0) stubs.pop()!.remove();
      process.env['PATH'] = path;
    }
  });

  it('are pointed at only where the bundled solver was left to its own', () => {
    stub = stubProgram('gurobi_cl', '', null);
    expect(otherSolverNotes('highs-wasm')[0]).toContain('--solver gurobi_cl');
    expect(otherSolverNotes('cbc')).toEqual([]);
  });
});

describe('failures', () => {
  it('a program that is not there is named, with where to get it', async () => {
    const path = process.env['PATH'];
    process.env['PATH'] = tmpdir();
    try {
      await expect(externalSolver('highs').solve(small(), 0, { seconds: 1 })).rejects.toMatchObject({
        message: 'there is no program highs on PATH',
        hint: expect.stringContaining('highs.dev') as string,
      });
    } finally {
      process.env['PATH'] = path;
    }
  });

  it('one that ends badly is named with its last lines', async () => {
    stub = stubProgram(
      'gurobi_cl',
      'Gurobi Optimizer\nERROR 10009: No Gurobi license found\n',
      null,
      'process.exit(1);',
    );
    await expect(externalSolver('gurobi_cl').solve(small(), 0, { seconds: 1 })).rejects.toMatchObject({
      message: expect.stringMatching(/^gurobi_cl ended with code 1, 0\.\d of its 1 s gone$/) as string,
      hint: expect.stringContaining('No Gurobi license found') as string,
    });
  });

  const start = Float64Array.of(1, 3);
  it.each<[string, string, RegExp, string]>([
    [
      'an exit code',
      "fs.writeSync(2, 'licence expired'); process.exit(3);",
      /^highs ended with code 3, /,
      'licence expired',
    ],
    [
      'a signal',
      "process.kill(process.pid, 'SIGSEGV'); setTimeout(() => {}, 5000);",
      /^highs was ended by SIGSEGV/,
      '',
    ],
    ['nothing at all', '', /^highs ended without a solution/, 'Solving report'],
  ])('one that ends with %s is no search whose time is over, whatever it was given to begin with', async (...row) => {
    const [, then, message, hint] = row;
    stub = stubProgram('highs', 'Solving report\n', null, then);
    await expect(externalSolver('highs').solve(small(), 0, { seconds: 30, start })).rejects.toMatchObject({
      message: expect.stringMatching(message) as string,
      hint: expect.stringContaining(hint) as string,
    });
    expect(solverFolders()).toEqual([]);
  });

  it('one that had a solution when it fell over a signal is refused, too', async () => {
    stub = stubProgram('highs', '', highsSolution, "process.kill(process.pid, 'SIGKILL'); setTimeout(() => {}, 5000);");
    await expect(externalSolver('highs').solve(small(), 0, { seconds: 30, start })).rejects.toThrow('SIGKILL');
  });

  it('of one that prints without end only the end is kept', async () => {
    stub = stubProgram('gurobi_cl', gurobiLog, 'a 1\nb 2\n', "process.stdout.write('x'.repeat(20e6));");
    await expect(externalSolver('gurobi_cl').solve(small(), 0, { seconds: 30 })).resolves.toMatchObject({
      status: 'feasible',
      objective: 2.1,
    });
  });

  it.each(['/nonexistent', '/dev/null'])('a folder for temporary files that is %s is named', async (folder) => {
    vi.stubEnv('TMPDIR', folder);
    await expect(externalSolver('cbc').solve(small(), 0, { seconds: 1 })).rejects.toMatchObject({
      name: 'ExternalSolverError',
      message: expect.stringContaining(folder) as string,
      hint: expect.stringContaining('TMPDIR') as string,
    });
  });

  it('folders of processes that are gone go; those of processes that live, and of others, stay', async () => {
    const own = mkdtempSync(join(tmpdir(), 'weft-tmpdir-'));
    stub = stubProgram('highs', '', highsSolution);
    vi.stubEnv('TMPDIR', own);
    try {
      const machine = hostname().replace(/[^a-zA-Z0-9.]/g, '_');
      const gone = join(own, `weft-solver-${machine}-999999999-aaaaaa`);
      mkdirSync(gone);
      writeFileSync(join(gone, 'model.mps'), 'NAME');
      writeFileSync(join(own, 'mine'), '');
      symlinkSync(join(own, 'mine'), join(gone, 'model.sol'));
      const stay = [
        `weft-solver-${machine}-${process.ppid}-aaaaaa`,
        'weft-solver-another.machine-999999999-aaaaaa',
        'weft-solver-999999999',
        'mine',
      ];
      for (const name of stay.slice(0, 3)) mkdirSync(join(own, name));
      await externalSolver('highs').solve(small(), 0, { seconds: 1 });
      expect(new Set(readdirSync(own))).toEqual(new Set(stay));
    } finally {
      rmSync(own, { recursive: true });
    }
  });

  it('nobody listens to signals any more once it is done', async () => {
    const before = listeners();
    stub = stubProgram('highs', '', highsSolution);
    await externalSolver('highs').solve(small(), 0, { seconds: 1 });
    expect(listeners()).toEqual(before);
  });

  it('a solution that breaks a row is refused', async () => {
    stub = stubProgram('highs', '', highsSolution.replace('b 2\n', 'b 1.5\n'));
    await expect(externalSolver('highs').solve(small(), 0, { seconds: 1 })).rejects.toThrow('breaks a row');
  });

  it('one that is cancelled is told to end and leaves no folder', async () => {
    const before = solverFolders();
    // it ends by SIGINT, as solvers do, and tells that it was there
    stub = stubProgram(
      'cbc',
      'waiting\n',
      null,
      "process.on('SIGINT', () => { fs.appendFileSync(args[0] + '.ended', ''); process.exit(0); }); setInterval(() => {}, 1000);",
    );
    const solution = await externalSolver('cbc').solve(small(), 0, {
      seconds: 60,
      start: Float64Array.of(1, 3),
      cancelled: waitForCall(stub),
    });
    expect(solution).toMatchObject({ status: 'feasible', objective: 3.1 });
    expect(solverFolders().filter((name) => !before.includes(name))).toEqual([]);
    expect(existsSync(stub.calls()[0]!.args[0]!)).toBe(false);
  });
});

function listeners(): number[] {
  return ['SIGINT', 'SIGTERM', 'SIGHUP', 'exit'].map((event) => process.listenerCount(event));
}

function solverFolders(): string[] {
  return readdirSync(tmpdir()).filter((name) => name.startsWith('weft-solver-') && name.includes(`-${process.pid}-`));
}

async function waitForCall(own: Stub): Promise<void> {
  while (own.calls().length === 0)
    await new Promise((resolve) => {
      setTimeout(resolve, 20);
    });
}
