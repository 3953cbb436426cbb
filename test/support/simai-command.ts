// SimAI's cases (ii) to (v) from the command line: `weft run` with SimAI's own files, in this process.

import { join } from 'node:path';
import { simulate } from '../../src/app/simulate.js';
import { runProgram } from '../../src/cli/program.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { scriptedContext } from './command-context.js';
import type { SimaiCase } from './simai-collective-cases.js';

export interface CommandRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const workloadFiles: Readonly<Record<string, string>> = {
  ii: 'tp8_allreduce16M.txt',
  iii: 'dp16_allreduce16M.txt',
  iv: 'dp16_alltoall16M.txt',
  v: 'tp8dp16_allreduce32M.txt',
};

/** Runs a command line with the environment that SimAI was started with. */
export async function weftAsSimai(...commandLine: string[]): Promise<CommandRun> {
  const context = scriptedContext({ makePlan, simulate, environment: { LANG: 'C.UTF-8', AS_SEND_LAT: '6' } });
  const code = await runProgram(commandLine, context);
  return { code, stdout: context.stdout.text, stderr: context.stderr.text };
}

/** The three files of a case as options, long or by SimAI's letters. */
export function caseOptions({ name, folder, topology }: SimaiCase, reference: string, isShort = false): string[] {
  const [conf, network, workload] = isShort ? ['-c', '-n', '-w'] : ['--simai-conf', '--topology', '--workload'];
  return [
    conf!,
    join(reference, 'cases', folder, 'SimAI.conf'),
    network!,
    join(reference, 'topo', topology),
    workload!,
    join(reference, 'cases', folder, workloadFiles[name]!),
  ];
}
