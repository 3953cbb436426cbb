#!/usr/bin/env node
// The process `weft`: the program with Node's streams and files.
// Invariant: results go to stdout, everything else to stderr; the process ends by itself, so that what was written
// arrives; what reads scenarios and what simulates is loaded when a command first does so.

import { InputDigests } from '../storage/input-digests.js';
import { nodeHost } from '../storage/node-host.js';
import { runProgram } from './program.js';

/** A reader that went away (`weft ... | head`) is no error. */
function endQuietlyWithoutReader(stream: NodeJS.WriteStream, end: () => void): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    end();
  });
}

endQuietlyWithoutReader(process.stdout, () => process.exit(process.exitCode));
endQuietlyWithoutReader(process.stderr, () => {});
const inputs = new InputDigests();
process.exitCode = await runProgram(process.argv.slice(2), {
  host: nodeHost(inputs),
  inputs,
  environment: process.env,
  stdout: process.stdout,
  stderr: process.stderr,
  makePlan: async (source, request) => (await import('../scenario/make-plan.js')).makePlan(source, request),
  simulate: async (plan, options) => (await import('../app/simulate.js')).simulate(plan, options),
});
