// The process `weft`: the program with Node's streams and files.
// Invariant: results go to stdout, everything else to stderr; the process ends by itself, so that what was written
// arrives, or with exit code 1 and one line if it could not be; what reads scenarios and what simulates is loaded when
// a command first does so.

import { availableParallelism } from 'node:os';
import { InputDigests } from '../storage/input-digests.js';
import { nodeHost } from '../storage/node-host.js';
import { outputError } from '../storage/output-error.js';
import { ExitCode } from './exit-codes.js';
import { describeFailure } from './failures.js';
import { runProgram } from './program.js';

/** Once standard output takes no more: a reader that went away (`weft ... | head`) is no error, a full disk is one. */
function endWithoutOutput(error: NodeJS.ErrnoException): never {
  if (error.code === 'EPIPE') process.exit();
  process.stderr.write(describeFailure(outputError('standard output', error), process.argv.slice(2)).text);
  process.exit(ExitCode.failed);
}

process.stdout.on('error', endWithoutOutput);
// where errors are told there is nobody left to tell
process.stderr.on('error', () => {});
const inputs = new InputDigests(false);
process.exitCode = await runProgram(process.argv.slice(2), {
  host: nodeHost(inputs),
  inputs,
  environment: process.env,
  sideBySide: { processes: availableParallelism() },
  stdout: process.stdout,
  stderr: process.stderr,
  makePlan: async (source, request) => {
    inputs.begin();
    return (await import('../scenario/make-plan.js')).makePlan(source, request);
  },
  simulate: async (plan, options) => (await import('../app/simulate.js')).simulate(plan, options),
});
